import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFile } from '../helpers/code/endpoints.ts'
import { withShop } from '../helpers/code/shop.ts'

const FIELD = `{ name: 'data', type: 'json' }`

const CODE = {
  'models/thing.ts': `import { defineModel } from 'admin-folder'
export default defineModel({ name: 'Thing', fields: [${FIELD}] })
`,
  'seed/thing.yaml': '- { data: 1 }\n',
  'endpoints/take.ts': endpointFile(
    `export default defineEndpoint({ method: 'POST', path: '/take', input: [${FIELD}], run: ({ input }) => Object.keys(input) })\n`,
  ),
  'actions/take.ts': `import { defineAction } from 'admin-folder'
import Thing from '../models/thing.ts'
export default defineAction(Thing, { name: 'take', input: [${FIELD}], run: () => 'taken' })
`,
  'jobs/take.ts': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'take', input: [${FIELD}], run() {} })
`,
}

/** What takes members: a model, whose answers are the measure, and the code of a project; with the levels of a value. */
const TAKERS: readonly (readonly [name: string, path: string, body: (members: string) => string, levels: number])[] = [
  ['a model', 'models/thing', (members) => `{"data":${members}}`, 32],
  ['an endpoint', 'ext/take', (members) => members, 32],
  ['an action', 'models/thing/1/actions/take', (members) => `{"input":${members}}`, 32],
  ['a job', 'jobs/take/run', (members) => `{"input":${members}}`, 31],
]

const nested = (levels: number) => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`

const attacks = (levels: number): readonly (readonly [name: string, members: string, isTaken: boolean])[] => [
  ['the deepest value', nested(levels), true],
  ['a value that is deeper', nested(levels + 1), false],
  ['a value of 100,000 levels', nested(100_000), false],
  ['a prototype', '{"data":1,"__proto__":{"is_superuser":true}}', false],
  ['a constructor', '{"data":1,"constructor":{"prototype":{}}}', false],
  ['a member twice', '{"data":1,"data":2}', false],
  ['a member twice within a value', '{"data":{"a":1,"a":2}}', false],
  ['a list', '[1]', false],
]

for (const [taker, path, bodyOf, levels] of TAKERS) {
  test(`${taker} takes no members that would be an attack`, () =>
    withShop(async ({ app }) => {
      const authorization = `Bearer ${await app.tokenOf('admin')}`
      for (const [attack, members, isTaken] of attacks(levels)) {
        const { statusCode, payload } = await app.server.inject({
          ...{ method: 'POST', url: `/api/v1/${path}`, payload: bodyOf(members) },
          headers: { authorization, 'content-type': 'application/json' },
        })
        assert.equal(
          isTaken ? Math.floor(statusCode / 100) : statusCode,
          isTaken ? 2 : 400,
          `${attack}: ${payload.slice(0, 200)}`,
        )
        assert.equal(Reflect.get({}, 'is_superuser'), undefined, attack)
      }
      assert.deepEqual(app.reported, [])
    }, CODE))
}

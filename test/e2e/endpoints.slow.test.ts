import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer } from '../helpers/cli/process.ts'
import { makeProject } from '../helpers/fixture.ts'

const BOUND = { timeout: 120_000 }

const FAILING = `import { defineEndpoint } from 'admin-folder'
import { fail } from '../lib/fail.ts'

const define = (path: \`/\${string}\`, run: () => unknown) => defineEndpoint({ method: 'POST', path, access: 'public', run })

export default [
  define('/thrown', () => {
    throw new Error('late')
  }),
  define('/rejected', () => fail()),
  define('/not-awaited', () => void fail()),
  define('/timer', () => void setTimeout(fail, 1)),
  define('/fatal', () => void setTimeout(() => {
    throw new Error('boom')
  }, 1)),
  defineEndpoint({ method: 'POST', path: '/write', access: 'public', run: (call, ctx) => ctx.system.model('note').create({ title: 'kept' }) }),
  defineEndpoint({ method: 'GET', path: '/count', access: 'public', run: async (call, ctx) => (await ctx.system.model('note').list()).total }),
  defineEndpoint({ method: 'GET', path: '/private', run: () => 1 }),
]
`
const PROJECT = {
  'models/note.yaml': 'name: Note\nfields: [{ name: title, type: string }]\n',
  'lib/fail.ts': "export async function fail(): Promise<void> {\n  await null\n  throw new Error('late')\n}\n",
  'endpoints/all.ts': FAILING,
}

test(
  'a server with endpoints lists the public ones, survives their rejections, and keeps every write when one ends it',
  BOUND,
  async () => {
    await using project = await makeProject(PROJECT)
    let server = await startServer(['--project', project.path])
    const call = (path: string, method = 'POST') => fetch(`${server.address}/api/v1/ext${path}`, { method })
    await server.said('Endpoints without a token, below /api/v1/ext: POST /thrown, POST /rejected, ')
    for (const [path, status] of [
      ['/thrown', 500],
      ['/rejected', 500],
      ['/not-awaited', 204],
      ['/timer', 204],
    ] as const) {
      const answer = await call(path)
      assert.doesNotMatch(await answer.text(), /late|\.ts/)
      assert.equal(answer.status, status, path)
      assert.equal((await call('/write')).status, 200)
    }
    await server.said('endpoints/all.ts:8 POST /thrown: late')
    await server.said(`${join(project.path, 'lib/fail.ts')}:3:9`)
    const counted = async () =>
      /^admin_unhandled_rejections_total (\d+)$/m.exec(await (await fetch(`${server.address}/metrics`)).text())?.[1]
    while ((await counted()) !== '2') await counted()
    assert.equal((await call('/private', 'GET')).status, 401)
    assert.equal((await call('/fatal')).status, 204)
    if (server.child.exitCode === null) await once(server.child, 'exit')
    const { code, stderr } = await server.stop()
    assert.equal(code, 1)
    assert.ok(stderr.includes(`${join(project.path, 'endpoints/all.ts')}:14:11`), stderr)
    assert.doesNotMatch(stderr, /GET \/private,|, GET \/private/)
    server = await startServer(['--project', project.path])
    assert.equal(await (await call('/count', 'GET')).json(), 4)
    await server.stop()
  },
)

test('--watch takes a changed file of endpoints, and keeps the former one while the file is faulty', BOUND, async () => {
  await using project = await makeProject(PROJECT)
  const server = await startServer(['--project', project.path, '--watch'])
  const answer = async () => (await fetch(`${server.address}/api/v1/ext/version`)).status
  const write = (text: string) => writeFile(join(project.path, 'endpoints/all.ts'), text)
  const version = `import { defineEndpoint } from 'admin-folder'\nexport default defineEndpoint({ method: 'GET', path: '/version', access: 'public', run: () => 2 })\n`
  assert.equal(await answer(), 404)
  await write(version)
  await server.said('Reloaded in')
  assert.equal(await answer(), 200)
  await write(version.replace('run:', 'runs:'))
  await server.said("Unknown key 'runs'; did you mean 'run'?")
  await server.said('the server continues with the previous version')
  assert.equal(await answer(), 200)
  await server.stop()
})

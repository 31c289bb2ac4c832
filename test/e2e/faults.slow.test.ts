import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { runCli } from '../helpers/cli/cli.ts'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { makeProject, type TemporaryFolder } from '../helpers/fixture.ts'

const BOUND = { timeout: 120_000 }

/** A form whose `validate` fails outside of the request, as the title says. */
const FORM = `import { defineFormView } from 'admin-folder'
import Note from '../models/note.ts'
import { fail } from '../lib/fail.ts'

export default defineFormView(Note, {
  name: 'NoteForm',
  fields: [{ name: 'title' }],
  validate: ({ title }) => {
    if (title === 'async') return fail() as never
    if (title === 'not awaited') void fail()
    if (title === 'timer') setTimeout(fail, 1)
    if (title === 'thrown')
      setTimeout(() => {
        throw new Error('boom')
      })
    return undefined
  },
})
`
const PROJECT = {
  'models/note.ts':
    "import { defineModel } from 'admin-folder'\nexport default defineModel({ name: 'Note', fields: [{ name: 'title', type: 'string' }] })\n",
  'views/note.ts': FORM,
  'lib/fail.ts': "export async function fail(): Promise<void> {\n  throw new Error('late')\n}\n",
  'seed/user.yaml': '- { username: root, email: r@example.com, password: long-enough, is_superuser: true, is_active: true }\n',
}

describe('project code that fails outside of a request', () => {
  let project: TemporaryFolder
  let server: RunningServer
  let bearer = ''

  const start = () => startServer(['--project', project.path])
  const create = (title: string): Promise<Response> =>
    fetch(`${server.address}/api/v1/models/note`, {
      method: 'POST',
      body: JSON.stringify({ data: { title }, form_id: 'NoteForm' }),
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    })

  beforeEach(async () => {
    project = await makeProject(PROJECT)
    server = await start()
    bearer = (await runCli(['token'], { cwd: project.path })).stdout.trim()
  })
  afterEach(async () => {
    await server.stop()
    await project.remove()
  })

  for (const [title, status] of [
    ['async', 500],
    ['not awaited', 201],
    ['timer', 201],
  ] as const) {
    test(
      `a rejection that nothing awaits (${title}) is logged with file and line and counted, and serving goes on`,
      BOUND,
      async () => {
        const answer = await create(title)
        assert.doesNotMatch(await answer.text(), /fail\.ts|late/)
        assert.equal(answer.status, status)
        await server.said('nothing awaits it')
        assert.equal((await create('after it')).status, 201)
        assert.match(await (await fetch(`${server.address}/metrics`)).text(), /^admin_unhandled_rejections_total 1$/m)
        const { code, stderr } = await server.stop()
        assert.equal(code, 0)
        assert.ok(stderr.includes(`${join(project.path, 'lib/fail.ts')}:2:9`), stderr)
      },
    )
  }

  test(
    'after an exception that nothing catches, requests in flight are answered, and the process ends with 1',
    BOUND,
    async () => {
      assert.equal((await create('kept')).status, 201)
      const { hostname, port } = new URL(server.address)
      const slow = connect(Number(port), hostname)
      const body = JSON.stringify({ data: { title: 'in flight' } })
      slow.write(
        `POST /api/v1/models/note HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${bearer}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
      )
      assert.equal((await fetch(`${server.address}/readyz`)).status, 200)
      assert.equal((await create('thrown')).status, 201)
      await server.said('the server stops')
      // A load balancer asks by a new connection.
      const [ready] = (await once(get(`${server.address}/readyz`, { agent: false }), 'response')) as [IncomingMessage]
      assert.deepEqual([ready.statusCode, await json(ready)], [503, { status: 'stopping' }])
      slow.write(body.slice(5))
      let answer = ''
      for await (const chunk of slow) answer += chunk
      assert.match(answer, /^HTTP\/1\.1 201 /)
      // A signal would end it with another status.
      if (server.child.exitCode === null) await once(server.child, 'exit')
      const { code, stderr } = await server.stop()
      assert.equal(code, 1)
      assert.match(stderr, /error An exception was thrown that nothing catches: boom/)
      assert.ok(stderr.includes(`${join(project.path, 'views/note.ts')}:14:15`), stderr)
      server = await start()
      const { total } = (await (
        await fetch(`${server.address}/api/v1/models/note`, { headers: { authorization: `Bearer ${bearer}` } })
      ).json()) as { total: number }
      assert.equal(total, 3)
    },
  )
})

/** Code of a project that fails, with the line at which it does in its file. */
const CODE = {
  'models/note.ts': PROJECT['models/note.ts'],
  'package.json': '{ "type": "module" }\n',
  'seed/user.yaml': PROJECT['seed/user.yaml'],
  'hooks/note.ts': `import { defineHooks } from 'admin-folder'

const late = async (): Promise<void> => {
  await null
  throw new Error('the secret')
}
export default defineHooks('note', {
  async beforeCreate({ record }: { record: { title?: string | null } }) {
    if (record.title === 'thrown') throw new Error('the secret')
    if (record.title === 'rejected late') await late()
    if (record.title === 'not awaited') void late()
    if (record.title === 'in a timer') setTimeout(late, 1)
  },
  afterCommit([{ after }]: readonly { after?: { title?: string | null } }[]) {
    if (after?.title === 'after the commit') throw new Error('the secret')
  },
})
`,
  'actions/fail.ts': `import { defineAction } from 'admin-folder'
import Note from '../models/note.ts'
export default defineAction(Note, {
  name: 'fail',
  run: () => {
    throw new Error('the secret')
  },
})
`,
  'jobs/fail.ts': `import { defineJob } from 'admin-folder'
export default defineJob({
  name: 'fail',
  run() {
    throw new Error('the secret')
  },
})
`,
  'endpoints/fail.ts': `import { defineEndpoint } from 'admin-folder'
export default defineEndpoint({ method: 'POST', path: '/fail', run: async () => {
  await null
  throw new Error('the secret')
} })
`,
}

const note = (title: string) => ['models/note', { data: { title } }] as const

/** What fails: the request that makes it fail, the status of the answer, and the place that the log names. */
const FAULTS: readonly (readonly [
  name: string,
  request: readonly [path: string, body: object],
  status: number,
  place: string,
])[] = [
  ['thrown in a hook', note('thrown'), 500, 'hooks/note.ts:9 beforeCreate: the secret'],
  ['rejected late in a hook', note('rejected late'), 500, 'hooks/note.ts:5 beforeCreate: the secret'],
  ['not awaited by a hook', note('not awaited'), 201, 'hooks/note.ts:5:9'],
  ['in a timer of a hook', note('in a timer'), 201, 'hooks/note.ts:5:9'],
  ['after the commit', note('after the commit'), 201, 'hooks/note.ts:15 afterCommit: the secret'],
  ['in an action', ['models/note/1/actions/fail', {}], 500, 'actions/fail.ts:6 fail: the secret'],
  ['in a job', ['jobs/fail/run', {}], 202, 'jobs/fail.ts:5 fail: the secret'],
  ['in an endpoint', ['ext/fail', {}], 500, 'endpoints/fail.ts:4 POST /fail: the secret'],
]

test(
  'code of a project that fails is no end: the log has file and line, the response neither, and serving goes on',
  BOUND,
  async (context) => {
    await using project = await makeProject(CODE)
    const bearer = async () => (await runCli(['token'], { cwd: project.path })).stdout.trim()
    for (const [name, request, status, place] of FAULTS) {
      await context.test(name, async () => {
        await using server = await startServer(['--project', project.path])
        const headers = { authorization: `Bearer ${await bearer()}`, 'content-type': 'application/json' }
        const send = async ([path, body]: readonly [string, object]) => {
          const reply = await fetch(`${server.address}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
          return { status: reply.status, text: await reply.text() }
        }
        assert.equal((await send(note('first'))).status, 201)
        const answer = await send(request)
        assert.equal(answer.status, status, answer.text)
        assert.doesNotMatch(answer.text, /secret|\.ts\b|node_modules|\n {4}at /)
        await server.said(place)
        assert.equal((await send(note('after it'))).status, 201)
        assert.equal((await server.stop()).code, 0)
      })
    }
  },
)

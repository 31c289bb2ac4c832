import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { makeProject } from '../helpers/fixture.ts'

const ACCOUNT = { username: 'admin', password: 'memory-admin-2024' }

const FILES = {
  'admin.config.json': JSON.stringify({ rate_limits: { default: 0, auth: 0, upload: 0 } }),
  'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n  - { name: body, type: text }\n',
  'seed/user.json': JSON.stringify([{ ...ACCOUNT, email: 'admin@example.org', is_superuser: true }]),
}

/** Asks a server, logged in as the superuser. */
async function callerOf({ address }: RunningServer) {
  const json = { 'content-type': 'application/json' }
  const login = await fetch(`${address}/api/v1/auth/token`, { method: 'POST', headers: json, body: JSON.stringify(ACCOUNT) })
  assert.equal(login.status, 200)
  const { access_token: token } = (await login.json()) as { access_token: string }
  return async (method: string, path: string, body?: object) => {
    const headers = { ...json, authorization: `Bearer ${token}` }
    const response = await fetch(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    // biome-ignore lint/suspicious/noExplicitAny: a parse boundary
    return { status: response.status, json: (await response.json()) as any }
  }
}

const NOTES = '/api/v1/models/note'

/** A text of 3,000 different words. */
function textOf(bytes: number): string {
  const words = Array.from({ length: bytes / 5 }, (_, index) => `w${1000 + (index % 3000)}`)
  return words.join(' ').slice(0, bytes)
}

// What is left must do for requests, and for caches of records, which are still empty.
for (const [bytes, heap] of [
  [1_000_000, 200],
  [10_000, 200],
] as const) {
  const env = { NODE_OPTIONS: `--max-old-space-size=${heap}` }
  const title = `a server with a small heap refuses records of ${bytes} bytes before the heap is full, reads on, stops and starts again`
  test(title, { timeout: 600_000 }, async () => {
    const folder = await makeProject(FILES)
    const body = textOf(bytes - 100)
    const records = Array.from({ length: 1_000_000 / bytes }, (_, index) => ({ title: `${index}`, body }))
    let server = await startServer(['--project', folder.path], { env })
    try {
      const call = await callerOf(server)
      let created = 0
      for (;;) {
        const { status, json } = await call('POST', `${NOTES}/bulk`, { records })
        if (status !== 201) {
          assert.equal(status, 503, JSON.stringify(json))
          assert.equal(json.error, 'Memory is nearly full')
          break
        }
        created += records.length
      }
      assert.ok(created > 0)
      const assertReads = async (ask: typeof call) => {
        for (let turn = 0; turn < 20; turn++) {
          const { status, json } = await ask('GET', `${NOTES}?page_size=2`)
          assert.equal(status, 200, JSON.stringify(json))
          assert.equal(json.total, created)
        }
      }
      await assertReads(call)
      assert.equal((await server.stop()).code, 0)

      server = await startServer(['--project', folder.path], { env })
      const again = await callerOf(server)
      await assertReads(again)
      while (created > 0) {
        const { json } = await again('GET', `${NOTES}?page_size=20&fields=id`)
        const ids: number[] = json.data.map(({ id }: { id: number }) => id)
        assert.equal((await again('DELETE', `${NOTES}/bulk`, { ids })).status, 200)
        created -= ids.length
      }
      // Without a restart, the memory of the latest deletions is still in use.
      assert.equal((await server.stop()).code, 0)

      server = await startServer(['--project', folder.path], { env })
      const last = await callerOf(server)
      assert.equal((await last('POST', NOTES, { data: { title: 'room', body } })).status, 201)
      assert.equal((await server.stop()).code, 0)
    } finally {
      await server.stop('SIGKILL')
      await folder.remove()
    }
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startServer } from '../helpers/cli/process.ts'
import { makeProject } from '../helpers/fixture.ts'
import { startMailReceiver } from '../helpers/mail-receiver.ts'

const ACCOUNT = { username: 'admin', password: 'a-long-password' }

test('a mail that had arrived when the server was killed is sent again, with the same Message-ID', {
  timeout: 300_000,
}, async () => {
  let kill = async () => {}
  await using receiver = await startMailReceiver([], { onArrival: () => kill() })
  await using project = await makeProject({
    'models/note.yaml': 'name: Note\nfields: [{ name: text, type: string }]\n',
    'admin.config.yaml': `mail: { from: no-reply@example.com, smtp: '${receiver.url}' }\n`,
    'seed/user.json': JSON.stringify([{ ...ACCOUNT, email: 'admin@example.org', is_superuser: true }]),
  })
  const killed = await startServer(['--project', project.path])
  const headers = { 'content-type': 'application/json', authorization: '' }
  const request = async (address: string, path: string, body?: object) => {
    const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${address}/api/v1/${path}`, { headers, ...options })
    const text = await response.text()
    assert.ok(response.ok, text)
    return JSON.parse(text)
  }
  const { access_token: token } = await request(killed.address, 'auth/token', ACCOUNT)
  headers.authorization = `Bearer ${token}`
  kill = async () => {
    kill = async () => {}
    await killed.stop('SIGKILL')
  }
  const mail = { to: 'ann@example.org', subject: 'Once', text: 'Or twice' }
  const { data } = await request(killed.address, 'jobs/admin.mail/run', { input: mail })
  while (receiver.seen.length === 0) await setTimeout(50)
  const server = await startServer(['--project', project.path])
  try {
    const stateOf = async () => (await request(server.address, 'jobs')).data[0]
    while ((await stateOf()).status !== 'done') await setTimeout(500)
    const { attempt, key } = await stateOf()
    assert.deepEqual([attempt, key], [2, data.key])
    const expected = `<${data.key}@example.com>`
    assert.deepEqual(
      receiver.seen.map((each) => each.field('Message-ID')),
      [expected, expected],
    )
  } finally {
    await server.stop()
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startReceiver } from '../helpers/api/receiver.ts'
import { runCli } from '../helpers/cli/cli.ts'
import { startServer } from '../helpers/cli/process.ts'
import { copyFixture } from '../helpers/fixture.ts'

test('a server that is killed between commit and delivery delivers after the restart under the same id', async () => {
  const project = await copyFixture('minimal')
  // This receiver accepts connections and never responds, so that nothing is delivered before the crash.
  const silent = createServer((socket) => {
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      const id = /webhook-id: (\S+)/i.exec(text)?.[1]
      if (id !== undefined) silent.emit('told', id)
    })
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  const cli = (...argv: string[]) => runCli(argv, { cwd: project.path, stdin: 'long-enough\n' })
  try {
    await cli('users', 'add', 'root', '--email', 'root@example.com', '--superuser', '--password-stdin')
    const secret = (await cli('webhooks', 'add', `http://127.0.0.1:${port}/hook`)).stdout.trim()
    const first = await startServer(['--project', project.path])
    const token = (await cli('token')).stdout.trim()
    const told = once(silent, 'told')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ data: { title: 'Before the crash' } })
    const reply = await fetch(`${first.address}/api/v1/models/note`, { method: 'POST', headers, body })
    assert.equal(reply.status, 201)
    const [id] = await told
    await first.stop('SIGKILL')
    silent.close()
    await once(silent, 'close')

    const receiver = await startReceiver(200)
    receiver.server.close()
    await once(receiver.server, 'close')
    receiver.server.listen(port, '127.0.0.1')
    await once(receiver.server, 'listening')
    const second = await startServer(['--project', project.path])
    await receiver.arrived(1)
    const [received] = receiver.received
    assert.equal(received?.headers['webhook-id'], id)
    assert.equal(JSON.parse(received?.body ?? '').data.title, 'Before the crash')
    assert.doesNotThrow(() => new Webhook(secret).verify(received?.body ?? '', { ...received?.headers }))
    assert.equal((await cli('webhooks', 'drain')).code, 0)
    await second.stop()

    const third = await startServer(['--project', project.path])
    assert.equal((await cli('webhooks', 'drain')).code, 0)
    await third.stop()
    assert.equal(receiver.received.length, 1, 'it was delivered again without a crash')
    await receiver.close()
  } finally {
    silent.close()
    await project.remove()
  }
})

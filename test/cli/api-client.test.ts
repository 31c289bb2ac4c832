import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { acquireLock, announceApi, apiOf } from '../../src/store/lock.ts'
import { withProject, withServer } from '../helpers/cli-project.ts'
import { startReceiver } from '../helpers/receiver.ts'

describe('a command beside a server', { timeout: 60_000 }, () => {
  test('sends no token to whoever listens where the server did', () =>
    withProject(async (project, admin) => {
      const stranger = await startReceiver((response, { headers }) => {
        // It says of itself whatever it is asked to.
        response.writeHead(200, { 'x-admin-proof': String(headers['x-admin-challenge']) }).end('{"data":[],"total":0}')
      })
      const lock = join(project.path, 'data', 'lock')
      const release = await acquireLock(lock)
      await announceApi(lock, `${new URL(stranger.url).origin}/api/v1`)
      const { code, stderr } = await admin('webhooks', 'list')
      await release()
      await stranger.close()
      assert.equal(code, 1)
      assert.match(stderr, /^error Whoever listens at \S+ is not this project's server/)
      assert.deepEqual(
        stranger.received.map(({ path, headers }) => [path, headers.authorization]),
        [['/healthz', undefined]],
      )
    }))

  test('is led to the server no longer once that begins to stop', () =>
    withProject((project, admin) =>
      withServer(project, async (server) => {
        const lock = join(project.path, 'data', 'lock')
        assert.equal(await apiOf(lock), `${server.address}/api/v1`)
        // A request that does not end keeps the server from closing at once.
        const port = Number(new URL(server.address).port)
        const token = (await admin('token')).stdout.trim()
        const held = fetch(`${server.address}/api/v1/models/note`, {
          method: 'POST',
          duplex: 'half',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: new ReadableStream({
            async start(controller) {
              controller.enqueue(Buffer.from('{"data":'))
              server.child.kill('SIGTERM')
              await server.said('finishing open requests')
              // The port is anybody's from here on.
              for (const taker = createServer(); ; ) {
                const taken = await new Promise((resolve) => {
                  taker.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
                })
                taker.removeAllListeners('error')
                if (taken === true) {
                  await new Promise((resolve) => taker.close(resolve))
                  break
                }
              }
              assert.ok(!(await readFile(lock, 'utf8')).includes('api'), 'the lock still leads there')
              assert.match((await admin('webhooks', 'list')).stderr, /^error The data folder is in use by process/)
              controller.enqueue(Buffer.from('{"title":"Slack water"}}'))
              controller.close()
            },
          }),
        } as RequestInit)
        assert.equal((await held).status, 201)
      }),
    ))
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe } from 'node:test'
import { acquireLock, apiOf, publishApi } from '../../src/store/embedded/files/lock.ts'
import { startReceiver } from '../helpers/api/receiver.ts'
import { projectTest, withServer } from '../helpers/cli/cli-project.ts'

/** True if no process listens on a port of this machine. */
async function canListen(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

describe('a command beside a server', { timeout: 60_000 }, () => {
  projectTest('sends no token to another process on the port of the server', async (project, admin) => {
    const stranger = await startReceiver((response, { headers }) => {
      // It says of itself whatever it is asked to.
      response.writeHead(200, { 'x-admin-proof': String(headers['x-admin-challenge']) }).end('{"data":[],"total":0}')
    })
    const lock = join(project.path, 'data', 'lock')
    const release = await acquireLock(lock)
    await publishApi(lock, `${new URL(stranger.url).origin}/api/v1`)
    const { code, stderr } = await admin('webhooks', 'list')
    await release()
    await stranger.close()
    assert.equal(code, 1)
    assert.match(stderr, /^error The server at \S+ is not this project's server/)
    assert.deepEqual(
      stranger.received.map(({ path, headers }) => [path, headers.authorization]),
      [['/healthz', undefined]],
    )
  })

  projectTest('is not counted by the rate limits', async (project, admin) => {
    await writeFile(join(project.path, 'admin.config.yaml'), 'rate_limits: { default: 1, auth: 1, upload: 1 }\n')
    await writeFile(join(project.path, 'one.csv'), 'title\r\nOne\r\n')
    await withServer(project, async () => {
      for (let count = 1; count <= 3; count++) {
        assert.equal((await admin('import', 'note', 'one.csv')).stderr, 'Imported 1 record\n')
        const { stdout } = await admin('export', 'note', '--format', 'ndjson')
        assert.equal(stdout.trim().split('\n').length, count)
      }
    })
  })

  projectTest('does not use a server that has begun to stop', (project, admin) =>
    withServer(project, async (server) => {
      const lock = join(project.path, 'data', 'lock')
      assert.equal(await apiOf(lock), `${server.address}/api/v1`)
      // A request that is not at its end keeps the server from ending at once.
      const authorization = `Bearer ${(await admin('token')).stdout.trim()}`
      const headers = { authorization, 'content-type': 'application/json', expect: '100-continue' }
      const held = request(`${server.address}/api/v1/models/note`, { method: 'POST', headers })
      // Cut when what is asserted below does not hold, which is then the failure to tell of.
      held.on('error', () => {}).flushHeaders()
      await once(held, 'continue')
      server.child.kill('SIGTERM')
      await server.said('finishing open requests')
      // From now on, other processes may use the port.
      while (!(await canListen(Number(new URL(server.address).port)))) {}
      assert.ok(!(await readFile(lock, 'utf8')).includes('api'), 'the lock still leads there')
      assert.match((await admin('webhooks', 'list')).stderr, /^error The data folder is in use by process/)
      held.end('{"data":{"title":"Slack water"}}')
      const [answer] = await once(held, 'response')
      assert.equal(answer.statusCode, 201)
      answer.resume()
    }),
  )
})

import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startServer } from '../helpers/cli/process.ts'
import { copyFixture } from '../helpers/fixture.ts'
import { newSchema } from '../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../helpers/postgres/server.ts'
import { valuesOf } from '../helpers/values-of.ts'

test('a logout on one process of admin serve is one on the other, and a login on one counts on the other', {
  skip: NO_POSTGRES ?? false,
}, async () => {
  const { schema, drop } = newSchema(await sharedDatabase())
  const url = await serverAddress()
  const folder = await copyFixture('blog')
  await appendFile(join(folder.path, 'admin.config.yaml'), `\nstore: ${JSON.stringify({ url, schema })}\n`)
  const env = { ADMIN_SECRET_KEY: 'a secret key that is only used in tests of two processes' }
  const start = () => startServer(['--project', folder.path], { env })
  // Both migrate the empty database.
  const servers = await Promise.all([start(), start()])
  try {
    const [a, b] = servers
    const post = (on: typeof a, path: string, body: object) =>
      fetch(`${on.address}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const login = (on: typeof a, password: string) => post(on, 'auth/token', { username: 'admin', password })
    const granted = await login(a, 'harbour-admin-2024')
    assert.equal(granted.status, 200)
    const { access_token, refresh_token } = (await granted.json()) as { access_token: string; refresh_token: string }
    const me = async (on: typeof a): Promise<number> =>
      (await fetch(`${on.address}/api/v1/auth/me`, { headers: { authorization: `Bearer ${access_token}` } })).status
    assert.deepEqual([await me(a), await me(b)], [200, 200])
    assert.equal((await post(a, 'auth/logout', { refresh_token })).status, 200)
    await delay(1000)
    assert.deepEqual([await me(a), await me(b)], [401, 401])
    // One login and one logout were counted before.
    const statuses = [await login(a, 'wrong'), await login(b, 'wrong'), await login(b, 'wrong'), await login(a, 'wrong')]
    assert.deepEqual(valuesOf(statuses, 'status'), [401, 401, 401, 429])
  } finally {
    for (const server of servers) await server.stop()
    await drop()
    await folder.remove()
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../src/client/client.ts'
import { openTestApp } from '../helpers/api/app.ts'

test('a client manages keys, and another one has a key in the place of a login', async () => {
  await using app = await openTestApp({ settings: { port: 0 } })
  const url = `http://127.0.0.1:${await app.live.start()}`
  const client = createClient({ url, token: await app.tokenOf('admin') })
  const { key, ...shown } = await client.createKey({ name: 'CI', scopes: ['view_post'], expires_in_days: null })
  assert.deepEqual(await client.keys(), [shown])
  const robot = createClient({ url, apiKey: key })
  assert.equal((await robot.model('post').list()).data.length > 0, true)
  await assert.rejects(robot.model('user').list(), { type: 'permission' })
  await assert.rejects(robot.keys(), { type: 'permission' })
  assert.equal(await robot.hasToken(), true)
  await client.revokeKey(shown.id)
  await assert.rejects(robot.model('post').list(), { type: 'authentication' })
  await assert.rejects(client.revokeKey(shown.id), { type: 'not_found' })
})

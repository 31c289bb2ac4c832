import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { identifier, sql } from '../../src/store/postgres/sql.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { openTwoApps, type Sent, type SharingApp, type TwoApps } from '../helpers/postgres/two-apps.ts'
import { EventReader } from '../http/events/event-reader.ts'

/** Time after which a change must hold on every process, in milliseconds. */
const WITHIN = 1000

const TAG = 'models/tag/1'

describe('accounts that two processes share', { skip: NO_POSTGRES ?? false }, () => {
  let apps: TwoApps
  let root = ''

  before(async () => {
    apps = await openTwoApps()
    root = (await login(apps.a, 'admin', 'harbour-admin-2024')).access_token
  })
  after(() => apps.close())

  async function login(on: SharingApp, username: string, password: string) {
    const { status, json } = await on.send('POST', 'auth/token', { body: { username, password } })
    assert.equal(status, 200, JSON.stringify(json))
    return json as { access_token: string; refresh_token: string }
  }

  /** Sends a request again and again until it gets a status; fails if that takes too long. */
  async function becomes(on: SharingApp, token: string, path: string, status: number): Promise<void> {
    const end = performance.now() + WITHIN
    for (;;) {
      const startedAt = performance.now()
      const reply = await on.send('GET', path, { token })
      if (reply.status === status) return
      assert.ok(startedAt < end, `is still ${reply.status} after ${WITHIN} ms`)
      await delay(5)
    }
  }

  async function userId(username: string): Promise<number> {
    const { json } = await apps.a.send('GET', `models/user?filters=username=${username}`, { token: root })
    return json.data[0].id
  }

  const change = async (on: SharingApp, model: string, id: number, data: object) => {
    const { status, json } = await on.send('PUT', `models/${model}/${id}`, { token: root, body: { data } })
    assert.equal(status, 200, JSON.stringify(json))
  }

  test('a read of a record is one statement; those besides go by time, as the check of versions every 250 ms', async () => {
    const { access_token: token } = await login(apps.a, 'm.keller', 'harbour-editor-2024')
    for (const on of [apps.a, apps.b]) {
      await on.send('GET', TAG, { token })
      await on.send('GET', TAG, { token })
      const [before, startedAt] = [on.statements(), performance.now()]
      for (let read = 0; read < 50; read++) assert.equal((await on.send('GET', TAG, { token })).status, 200)
      // Entries of the process, leases and the queue are renewed and read now and then, too.
      const besides = 3 + Math.ceil((performance.now() - startedAt) / 125)
      const sent = on.statements() - before
      assert.ok(sent >= 50 && sent <= 50 + besides, `${sent} statements for 50 reads, and ${besides} others at most`)
    }
  })

  test('a logout on one is one on the other', async () => {
    const { access_token: token, refresh_token } = await login(apps.a, 'anna.lind', 'lighthouse-keys-17')
    await becomes(apps.b, token, 'auth/me', 200)
    assert.equal((await apps.a.send('POST', 'auth/logout', { body: { refresh_token } })).status, 200)
    assert.equal((await apps.a.send('GET', 'auth/me', { token })).status, 401)
    await becomes(apps.b, token, 'auth/me', 401)
  })

  const LOSSES: Readonly<Record<string, (parts: { userId: number; keyId: number }) => Promise<Sent>>> = {
    'that is revoked': ({ keyId }) => apps.a.send('DELETE', `auth/keys/${keyId}`, { token: root }),
    'whose owner is disabled': ({ userId: id }) =>
      apps.a.send('PUT', `models/user/${id}`, { token: root, body: { data: { is_active: false } } }),
    'whose owner loses the permission': ({ userId: id }) =>
      apps.a.send('PUT', `models/user/${id}`, { token: root, body: { data: { groups: [] } } }),
  }

  for (const [loss, lose] of Object.entries(LOSSES)) {
    test(`a key ${loss} on one is refused 500 ms later on the other`, async () => {
      const owner = await userId('m.keller')
      const { json: before } = await apps.a.send('GET', `models/user/${owner}`, { token: root })
      const body = { name: loss, scopes: ['view_tag'], user_id: owner }
      const { json } = await apps.a.send('POST', 'auth/keys', { token: root, body })
      const { id: keyId, key } = json.data as { id: number; key: string }
      assert.equal((await apps.b.send('GET', TAG, { token: key })).status, 200)
      assert.equal((await lose({ userId: owner, keyId })).status, 200)
      const refusal = loss.endsWith('permission') ? 403 : 401
      assert.equal((await apps.a.send('GET', TAG, { token: key })).status, refusal)
      await delay(500)
      assert.equal((await apps.b.send('GET', TAG, { token: key })).status, refusal)
      await change(apps.a, 'user', owner, { is_active: true, groups: before.data.groups })
    })
  }

  test('the stream of a key that is revoked on one ends on the other', async () => {
    const { json } = await apps.a.send('POST', 'auth/keys', { token: root, body: { name: 'stream', scopes: ['view_tag'] } })
    const { id, key } = json.data as { id: number; key: string }
    const { reader } = await EventReader.open(`http://127.0.0.1:${await apps.b.listen()}/api/v1/events`, key)
    await reader.until(({ events }) => events.length > 0)
    const startedAt = performance.now()
    assert.equal((await apps.a.send('DELETE', `auth/keys/${id}`, { token: root })).status, 200)
    await reader.ended
    const time = performance.now() - startedAt
    assert.deepEqual(
      reader.events.map(({ event }) => event),
      ['ready', 'expired'],
    )
    assert.ok(time < WITHIN, `it ended after ${time} ms`)
  })

  test('a request that comes 500 ms after a logout is refused, though the process had none meanwhile', async () => {
    const { access_token: token, refresh_token } = await login(apps.a, 'anna.lind', 'lighthouse-keys-17')
    assert.equal((await apps.b.send('GET', 'auth/me', { token })).status, 200)
    assert.equal((await apps.a.send('POST', 'auth/logout', { body: { refresh_token } })).status, 200)
    await delay(500)
    assert.equal((await apps.b.send('GET', 'auth/me', { token })).status, 401)
  })

  test('a new password ends the sessions on both', async () => {
    const [own, other] = [
      await login(apps.a, 'anna.lind', 'lighthouse-keys-17'),
      await login(apps.b, 'anna.lind', 'lighthouse-keys-17'),
    ]
    await becomes(apps.b, other.access_token, 'auth/me', 200)
    const body = { current_password: 'lighthouse-keys-17', new_password: 'lighthouse-keys-18' }
    assert.equal((await apps.a.send('POST', 'auth/password', { token: own.access_token, body })).status, 200)
    await becomes(apps.b, other.access_token, 'auth/me', 401)
    assert.equal((await apps.b.send('GET', 'auth/me', { token: own.access_token })).status, 200)
    assert.equal((await apps.b.send('POST', 'auth/refresh', { body: { refresh_token: other.refresh_token } })).status, 401)
  })

  test('a disabled account is disabled on both', async () => {
    const { access_token: token } = await login(apps.b, 'm.keller', 'harbour-editor-2024')
    await becomes(apps.b, token, 'auth/me', 200)
    const id = await userId('m.keller')
    await change(apps.a, 'user', id, { is_active: false })
    await becomes(apps.b, token, 'auth/me', 401)
    const body = { username: 'm.keller', password: 'harbour-editor-2024' }
    assert.equal((await apps.b.send('POST', 'auth/token', { body })).status, 401)
    await change(apps.b, 'user', id, { is_active: true })
  })

  test('a disabled account is disabled at once in the process that disables it, while a deletion there waits for a lock', async () => {
    const { access_token: token } = await login(apps.b, 'm.keller', 'harbour-editor-2024')
    const id = await userId('m.keller')
    const { json } = await apps.a.send('POST', 'models/tag', { token: root, body: { data: { name: 'Held', slug: 'held' } } })
    const deleting = await apps.database.transaction(async (connection) => {
      await connection.query(sql`select from ${identifier(apps.schema, 'tag')} where "id" = ${json.data.id} for update`)
      const deletion = apps.a.send('DELETE', `models/tag/${json.data.id}`, { token: root })
      assert.equal((await apps.a.send('GET', 'auth/me', { token })).status, 200)
      await change(apps.a, 'user', id, { is_active: false })
      assert.equal((await apps.a.send('GET', 'auth/me', { token })).status, 401)
      return { deletion }
    })
    assert.equal((await deleting.deletion).status, 200)
    await change(apps.a, 'user', id, { is_active: true })
  })

  test('a permission that is removed from a group is gone on both, and so is a group', async () => {
    const { access_token: token } = await login(apps.b, 'm.keller', 'harbour-editor-2024')
    await becomes(apps.b, token, TAG, 200)
    const { json } = await apps.a.send('GET', 'models/group/1', { token: root })
    const { permissions } = json.data as { permissions: number[] }
    await change(apps.a, 'group', 1, { permissions: [] })
    assert.equal((await apps.a.send('GET', TAG, { token })).status, 403)
    await becomes(apps.b, token, TAG, 403)
    await change(apps.b, 'group', 1, { permissions })
    assert.equal((await apps.b.send('GET', TAG, { token })).status, 200)
    await becomes(apps.a, token, TAG, 200)
    await change(apps.a, 'user', await userId('m.keller'), { groups: [] })
    await becomes(apps.b, token, TAG, 403)
  })

  test('a session that a tool deletes is over', async () => {
    const { access_token: token } = await login(apps.a, 'anna.lind', 'lighthouse-keys-18')
    await becomes(apps.b, token, 'auth/me', 200)
    await apps.database.query(sql`delete from ${identifier(apps.schema, '_admin_authsession')}`)
    await becomes(apps.b, token, 'auth/me', 401)
    await becomes(apps.a, token, 'auth/me', 401)
    root = (await login(apps.a, 'admin', 'harbour-admin-2024')).access_token
  })
})

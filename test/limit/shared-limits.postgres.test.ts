import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Lockout, SharedLockout } from '../../src/limit/lockout.ts'
import { Layout } from '../../src/store/postgres/layout/layout.ts'
import { Lockouts } from '../../src/store/postgres/shared/limits.ts'
import { sql } from '../../src/store/postgres/sql.ts'
import { isoTime } from '../../src/util/clock.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { openTwoApps, type SharingApp, type TwoApps } from '../helpers/postgres/two-apps.ts'

const skip = NO_POSTGRES ?? false

const attempt = async (on: SharingApp, password: string, username = 'admin'): Promise<number> =>
  (await on.send('POST', 'auth/token', { body: { username, password } })).status

describe('the lockout of two processes', { skip }, () => {
  let apps: TwoApps
  before(async () => {
    apps = await openTwoApps()
  })
  after(() => apps.close())

  const alternate = (index: number) => (index % 2 === 0 ? apps.a : apps.b)

  async function failuresOf(): Promise<number[]> {
    const lockouts = new Layout(apps.a.app.project.registry, apps.schema).system('lockouts')
    const { rows } = await apps.database.query(sql`select "failures" from ${lockouts} order by 1`)
    return rows.map(([failures]) => Number(failures))
  }

  test('five wrong passwords, alternating between them, lock the account on both for a second', async () => {
    for (let index = 0; index < 4; index++) assert.equal(await attempt(alternate(index), 'wrong'), 401)
    assert.equal(await attempt(apps.a, 'harbour-admin-2024'), 200, 'four do not lock')
    for (let index = 0; index < 5; index++) assert.equal(await attempt(alternate(index), 'wrong'), 401)
    assert.equal(await attempt(apps.b, 'harbour-admin-2024'), 401)
    assert.equal(await attempt(apps.a, 'harbour-admin-2024'), 401)
    await delay(1100)
    assert.equal(await attempt(apps.b, 'harbour-admin-2024'), 200)
    assert.equal(await attempt(apps.a, 'wrong'), 401)
    assert.equal(await attempt(apps.a, 'harbour-admin-2024'), 200, 'a success has reset the failures')
  })

  test('of forty wrong passwords at once, five are counted', async () => {
    const sent = Array.from({ length: 40 }, (_, index) => attempt(alternate(index), 'wrong', 'm.keller'))
    assert.deepEqual(new Set(await Promise.all(sent)), new Set([401]))
    assert.deepEqual(await failuresOf(), [0, 5])
  })

  test('locks last as long as in the lockout of one process, by the same wrong passwords at the same times', async () => {
    let now = Date.parse('2026-01-15T12:00:00.000Z')
    const layout = new Layout(apps.a.app.project.registry, apps.schema)
    const shared = new SharedLockout(new Lockouts(apps.database, layout, () => sql`${isoTime(now)}::timestamptz`))
    const single = new Lockout({ clock: () => now })
    const locks: number[] = []
    for (let failure = 0; failure < 28; failure++) {
      for (const lockout of [shared, single]) assert.equal(await lockout.admit('ann', false), false)
      const start = now
      while (single.locks('ann')) {
        if ((now - start) % 60_000 === 0) assert.equal(await shared.locks('ann'), true, `after ${failure + 1} failures`)
        now += 1000
      }
      assert.equal(await shared.locks('ann'), false, `after ${failure + 1} failures`)
      locks.push((now - start) / 1000)
    }
    assert.deepEqual(
      locks.slice(4),
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 777, 0, 0, 0, 0, 3600, 0, 0, 0, 0, 3600, 0],
    )
    now += 3_600_001
    for (let failure = 0; failure < 4; failure++) for (const lockout of [shared, single]) await lockout.admit('ann', false)
    assert.deepEqual([await shared.locks('ann'), single.locks('ann')], [false, false])
    for (const lockout of [shared, single]) await lockout.admit('ann', false)
    now += 999
    assert.deepEqual([await shared.locks('ann'), single.locks('ann')], [true, true])
    now += 1
    assert.deepEqual([await shared.admit('ann', true), single.admit('ann', true)], [true, true])
  })

  test('a new password resets the failures on both', async () => {
    for (let index = 0; index < 8; index++) await attempt(alternate(index), 'wrong', 'anna.lind')
    assert.equal(await attempt(apps.b, 'lighthouse-keys-17', 'anna.lind'), 401)
    const token = (await apps.a.send('POST', 'auth/token', { body: { username: 'admin', password: 'harbour-admin-2024' } })).json
      .access_token
    const { json } = await apps.a.send('GET', 'models/user?filters=username=anna.lind', { token })
    const body = { data: { password: 'lighthouse-keys-19' } }
    assert.equal((await apps.a.send('PUT', `models/user/${json.data[0].id}`, { token, body })).status, 200)
    assert.equal(await attempt(apps.b, 'lighthouse-keys-19', 'anna.lind'), 200)
  })
})

describe('the limit of logins of two processes', { skip }, () => {
  test('lets exactly five of twenty at once pass, and no further one', async () => {
    await using apps = await openTwoApps({ settings: { rate_limits: { default: 0, auth: 5, upload: 0 } } })
    const sent = Array.from({ length: 20 }, (_, index) => attempt(index % 2 === 0 ? apps.a : apps.b, 'wrong', `nobody${index}`))
    const statuses = await Promise.all(sent)
    assert.equal(statuses.filter((status) => status === 401).length, 5)
    assert.equal(statuses.filter((status) => status === 429).length, 15)
    assert.equal(await attempt(apps.a, 'harbour-admin-2024'), 429)
    assert.equal(await attempt(apps.b, 'harbour-admin-2024'), 429)
  })
})

describe('the limit by user of two processes', { skip }, () => {
  let apps: TwoApps
  before(async () => {
    apps = await openTwoApps({ settings: { rate_limits: { default: 100, auth: 0, upload: 0 } } })
  })
  after(() => apps.close())

  const tokenOf = async (username: string, password: string): Promise<string> =>
    (await apps.a.send('POST', 'auth/token', { body: { username, password } })).json.access_token

  test('counts the requests of the other one before the first of its own', async () => {
    const token = await tokenOf('admin', 'harbour-admin-2024')
    for (let sent = 0; sent < 100; sent++) assert.equal((await apps.a.send('GET', 'models/tag/1', { token })).status, 200)
    await delay(250)
    assert.equal((await apps.b.send('GET', 'models/tag/1', { token })).status, 429)
    assert.equal((await apps.a.send('GET', 'models/tag/1', { token })).status, 429)
  })

  test('lets as many requests more pass as are sent in 250 ms', async () => {
    const token = await tokenOf('m.keller', 'harbour-editor-2024')
    const sent: { at: number; status: number }[] = []
    const end = performance.now() + 3000
    const client = async (on: SharingApp) => {
      while (performance.now() < end) {
        const at = performance.now()
        sent.push({ at, status: (await on.send('GET', 'models/tag/1', { token })).status })
        await delay(10)
      }
    }
    await Promise.all([client(apps.a), client(apps.b)])
    const granted = sent.filter(({ status }) => status === 200)
    const inInterval = Math.max(...sent.map(({ at }) => sent.filter((other) => other.at >= at && other.at < at + 250).length))
    assert.ok(sent.length > 150, `only ${sent.length} requests were sent`)
    assert.ok(granted.length >= 100, `${granted.length} requests passed`)
    assert.ok(granted.length <= 100 + inInterval, `${granted.length} requests passed; ${inInterval} were sent in 250 ms`)
  })
})

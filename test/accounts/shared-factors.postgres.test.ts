import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Layout } from '../../src/store/postgres/layout/layout.ts'
import { sql } from '../../src/store/postgres/sql.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { openTwoApps, type SharingApp, type TwoApps } from '../helpers/postgres/two-apps.ts'
import { codeAt, STEP } from '../helpers/totp.ts'

const ANNA = { username: 'anna.lind', password: 'lighthouse-keys-17' }

describe('second factors that two processes share', { skip: NO_POSTGRES ?? false }, () => {
  let apps: TwoApps
  let secret = ''
  let codes: readonly string[] = []
  let token = ''

  const post = (on: SharingApp, path: string, body?: object) =>
    on.send('POST', path, { token, ...(body === undefined ? {} : { body }) })

  before(async () => {
    apps = await openTwoApps()
    token = (await apps.a.send('POST', 'auth/token', { body: ANNA })).json.access_token
    secret = (await post(apps.a, 'auth/factors/totp')).json.data.secret
    // A step back, so that the present code has not been used.
    const confirmed = await post(apps.b, 'auth/factors/totp/confirm', { otp: codeAt(secret, Date.now() - STEP) })
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.json))
    codes = confirmed.json.recovery_codes
  })
  after(() => apps.close())

  const login = async (on: SharingApp, otp: string | undefined): Promise<number> =>
    (await on.send('POST', 'auth/token', { body: { ...ANNA, otp } })).status

  /** Forgets wrong codes. */
  const forgive = async () => {
    const lockouts = new Layout(apps.a.app.project.registry, apps.schema).system('lockouts')
    await apps.database.query(sql`delete from ${lockouts} where "name" like 'factor:%'`)
  }

  /** Sends a code to both at once, and says how many logins there were. */
  async function logins(otp: string | undefined): Promise<number> {
    const all = Array.from({ length: 8 }, (_, index) => login(index % 2 === 0 ? apps.a : apps.b, otp))
    return (await Promise.all(all)).filter((status) => status === 200).length
  }

  test('one that was set up on one is asked for on the other', async () => {
    assert.deepEqual([await login(apps.a, undefined), await login(apps.b, undefined)], [401, 401])
  })

  test('a code that is sent to both at once logs in once, and a recovery code too', async () => {
    for (const otp of [codeAt(secret, Date.now()), codes[0]]) {
      await forgive()
      assert.equal(await logins(otp), 1)
    }
  })

  test('wrong codes on both are counted together', async () => {
    await forgive()
    for (let attempt = 0; attempt < 3; attempt++) for (const on of [apps.a, apps.b]) assert.equal(await login(on, '000000'), 401)
    assert.deepEqual([await login(apps.a, codes[1]), await login(apps.b, codes[1])], [401, 401])
    await forgive()
    assert.equal(await login(apps.b, codes[1]), 200)
  })
})

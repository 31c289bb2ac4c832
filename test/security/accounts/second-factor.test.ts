import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Sealer } from '../../../src/auth/sealing.ts'
import { systemRandom } from '../../../src/util/ids.ts'
import { NEEDS_DATA_FOLDER, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play } from '../../helpers/api/scenario.ts'
import { codeAt, codeOf, STEP, setUpFactor, tryCode } from '../../helpers/totp.ts'
import { ANNA, appTest, ask, login, refresh } from '../access.ts'

const EDITOR = { username: 'm.keller', password: 'harbour-editor-2024' }
const CONFIRM = 'POST /api/v1/auth/confirm'

const statusOf = async (app: TestApp, otp: unknown, user: object = ANNA): Promise<number> =>
  (await tryCode(app, user, otp)).status

const factorsOf = async (app: TestApp) =>
  (await app.app.store.find('authfactor', { filters: [], sort: [], offset: 0, limit: 100 })).records

describe('a code of an authenticator', () => {
  appTest('works once, wherever it was used', async (app) => {
    const { secret, grant } = await setUpFactor(app, ANNA)
    const code = codeOf(app, secret)
    assert.deepEqual([await statusOf(app, code), await statusOf(app, code)], [200, 401])
    assert.equal((await ask(app, grant.access_token, CONFIRM, { otp: code })).status, 400)
    app.advance(STEP)
    const next = codeOf(app, secret)
    assert.equal((await ask(app, grant.access_token, CONFIRM, { otp: next })).status, 200)
    assert.equal(await statusOf(app, next), 401)
  })

  appTest('that has confirmed the authenticator does not log in', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    assert.equal(await statusOf(app, codeOf(app, secret, -STEP)), 401)
  })

  appTest('works for one of many who send it at once; so does a recovery code', async (app) => {
    const { secret, recoveryCodes } = await setUpFactor(app, ANNA)
    for (const otp of [codeOf(app, secret), recoveryCodes[0]]) {
      const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(app, otp)))
      assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
      app.advance(2 * 60 * 60_000)
    }
  })

  appTest('is good a step early and a step late, and no longer', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    for (const [shift, expected] of [
      [-2 * STEP, 401],
      [-STEP, 200],
      [2 * STEP, 401],
      [STEP, 200],
    ] as const) {
      app.advance(10 * STEP)
      assert.equal(await statusOf(app, codeOf(app, secret, shift)), expected, `${shift / 1000} seconds`)
    }
  })

  appTest('of an older step is refused after a newer one', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    app.advance(10 * STEP)
    assert.equal(await statusOf(app, codeOf(app, secret, STEP)), 200)
    assert.equal(await statusOf(app, codeOf(app, secret)), 401)
    assert.equal(await statusOf(app, codeOf(app, secret, -STEP)), 401)
    app.advance(STEP)
    assert.equal(await statusOf(app, codeOf(app, secret)), 401)
    app.advance(STEP)
    assert.equal(await statusOf(app, codeOf(app, secret)), 200)
  })

  test('is that of RFC 6238 for its secret', () => {
    // Appendix B, of which six digits are used.
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    assert.deepEqual([codeAt(secret, 59_000), codeAt(secret, 1_111_111_109_000)], ['287082', '081804'])
  })

  appTest('of another user does not work, nor does their recovery code', async (app) => {
    const [anna, editor] = [await setUpFactor(app, ANNA), await setUpFactor(app, EDITOR)]
    assert.equal(await statusOf(app, codeOf(app, editor.secret)), 401)
    assert.equal(await statusOf(app, editor.recoveryCodes[0]), 401)
    assert.equal(await statusOf(app, codeOf(app, anna.secret)), 200)
  })
})

describe('the second factor', () => {
  appTest('is not asked for before the password is right', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    const reply = await tryCode(app, { ...ANNA, password: 'wrong-password' }, codeOf(app, secret))
    assert.equal(reply.json.second_factor, undefined)
    assert.equal(await statusOf(app, codeOf(app, secret)), 200)
  })

  appTest('of a stolen session cannot be changed by a refreshed token', async (app) => {
    const { id, grant } = await setUpFactor(app, ANNA)
    app.advance(11 * 60_000)
    const { access_token } = (await refresh(app, grant.refresh_token)).json
    for (const request of [
      `DELETE /api/v1/auth/factors/${id}`,
      'POST /api/v1/auth/factors/totp',
      'POST /api/v1/auth/factors/recovery',
    ] as const) {
      assert.equal((await ask(app, access_token, request)).json.error, 'insufficient_user_authentication', request)
    }
  })

  appTest('of another user is not found', async (app) => {
    const { id } = await setUpFactor(app, EDITOR)
    const { access_token } = await login(app)
    assert.equal((await ask(app, access_token, `DELETE /api/v1/auth/factors/${id}`)).status, 404)
  })

  appTest('has one answer for a wrong code, a used one and a locked account', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    const code = codeOf(app, secret)
    assert.equal(await statusOf(app, code), 200)
    app.advance(STEP)
    const texts = new Set([(await tryCode(app, ANNA, code)).text])
    for (let attempt = 0; attempt < 5; attempt++) texts.add((await tryCode(app, ANNA, '000000')).text)
    texts.add((await tryCode(app, ANNA, codeOf(app, secret))).text)
    assert.equal(texts.size, 1, [...texts].join('\n'))
  })
})

describe('guesses of codes', () => {
  appTest(
    'lock the account for codes, which right passwords do not open; a right code is refused meanwhile, and not spent',
    async (app) => {
      const { secret, recoveryCodes } = await setUpFactor(app, ANNA)
      for (let attempt = 0; attempt < 5; attempt++) {
        assert.equal(await statusOf(app, '000000'), 401)
        assert.equal(await statusOf(app, undefined), 401)
      }
      assert.equal(await statusOf(app, recoveryCodes[0]), 401)
      assert.equal(await statusOf(app, codeOf(app, secret)), 401)
      app.advance(1000)
      assert.equal(await statusOf(app, codeOf(app, secret)), 200)
      assert.equal(await statusOf(app, recoveryCodes[0]), 200)
    },
  )

  appTest('of both kinds, and by logins and confirmations, are counted together', async (app) => {
    const { secret, grant } = await setUpFactor(app, ANNA)
    assert.equal(await statusOf(app, '000000'), 401)
    assert.equal(await statusOf(app, '0000-0000-0000-0000'), 401)
    assert.equal(await statusOf(app, 'not a code'), 401)
    for (const otp of ['000000', '111111']) assert.equal((await ask(app, grant.access_token, CONFIRM, { otp })).status, 400)
    assert.equal(await statusOf(app, codeOf(app, secret)), 401)
  })

  appTest(
    'from 100 addresses are compared at most 120 times in 24 hours, and the owner gets in between',
    async (app) => {
      const { secret } = await setUpFactor(app, ANNA)
      const end = app.time.clock() + 24 * 60 * 60_000
      let [sent, compared] = [0, 0]
      while (app.time.clock() < end) {
        const headers = { 'x-forwarded-for': `192.0.2.${sent++ % 100}` }
        const body = { ...ANNA, otp: '000000' }
        await play(app, { request: 'POST /api/v1/auth/token', as: null, body, headers, status: 401 })
        const [reason] = app.logged.splice(0).flatMap((line) => JSON.parse(line).reason ?? [])
        if (reason === 'second_factor_wrong') compared++
        else {
          assert.equal(reason, 'account_locked')
          app.advance(STEP)
        }
      }
      assert.ok(compared > 80 && compared <= 120, `${compared}`)
      for (let waits = 0; (await statusOf(app, codeOf(app, secret))) !== 200; waits++) {
        assert.ok(waits < 150)
        app.advance(STEP)
      }
    },
    { settings: { trusted_proxies: 1 } },
  )
})

describe('a sealed secret', () => {
  appTest('that is copied to another user does not work', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    await setUpFactor(app, EDITOR)
    const [own, others] = (await factorsOf(app)).filter(({ kind }) => kind === 'totp')
    assert.deepEqual([own?.user_id, others?.user_id], [3, 2])
    const values = { secret: String(own?.secret) }
    await app.app.store.transact([{ kind: 'update', table: 'authfactor', id: others?.id ?? 0, values }])
    assert.equal(await statusOf(app, codeOf(app, secret), EDITOR), 401)
    assert.equal(await statusOf(app, codeOf(app, secret)), 200)
    assert.ok(app.logged.some((line) => line.includes('cannot be opened')))
    app.logged.length = 0
  })

  test('and recovery codes stand in no file as they are', { skip: NEEDS_DATA_FOLDER }, async () => {
    await using app = await openTestApp()
    const { secret, recoveryCodes } = await setUpFactor(app, ANNA)
    const files = await readdir(app.folder.path, { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
    )
    const all = [...texts, ...app.logged].join('\n')
    assert.match(all, /authfactor/)
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      assert.ok(!all.includes(text), text)
    for (const request of ['GET /api/v1/models/authfactor', 'GET /api/v1/models/authfactor/export'] as const)
      await play(app, { request, status: 404 })
  })

  const [FORMER, PRESENT] = ['a former secret of thirty-two bytes or more', 'the present secret of 32 bytes or more, too']

  for (const isUsed of [false, true])
    test(`of a former secret_key is sealed with the present one at ${isUsed ? 'its use' : 'the next start'}`, async () => {
      await using app = await openTestApp({ settings: { secret_key: PRESENT, secret_keys_previous: [FORMER] } })
      const { secret } = await setUpFactor(app, ANNA)
      const seal = (key: string) => new Sealer({ secret: key }, 'second factor', systemRandom)
      const [factor] = (await factorsOf(app)).filter(({ kind }) => kind === 'totp')
      const values = { secret: seal(FORMER).seal(secret, 'user 3') }
      await app.app.store.transact([{ kind: 'update', table: 'authfactor', id: factor?.id ?? 0, values }])
      if (isUsed) assert.equal(await statusOf(app, codeOf(app, secret)), 200)
      else await app.app.begin()
      const [now] = (await factorsOf(app)).filter(({ kind }) => kind === 'totp')
      assert.deepEqual(seal(PRESENT).open(String(now?.secret), 'user 3'), { text: secret, isOutdated: false })
    })
})

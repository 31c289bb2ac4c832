import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { codeOf, STEP, setUpFactor, tryCode } from '../../helpers/totp.ts'
import { ANNA, appTest, ask, login, refresh, standing, tryLogin } from '../../security/access.ts'
import { FORBIDDEN, UNAUTHENTICATED } from '../records/expected.ts'

const ADMIN = { username: 'admin', password: 'harbour-admin-2024' }
const EDITOR = { username: 'm.keller', password: 'harbour-editor-2024' }
const FACTORS = '/api/v1/auth/factors'
const NEEDED = 'This account has a second factor; send `otp`, a code of the authenticator or a recovery code'
const WRONG = 'The code is wrong, or was used before, or too many were wrong lately'

const asked = (details: string, methods: readonly string[] = ['totp', 'recovery']) => ({
  error: 'Authentication required',
  status_code: 401,
  details,
  second_factor: { methods },
})

const listOf = async (app: TestApp, token: string) => (await ask(app, token, `GET ${FACTORS}`)).json

describe('an authenticator', () => {
  appTest('is set up in two steps, after which logins ask for a code', async (app) => {
    const { access_token } = await login(app)
    const begun = await ask(app, access_token, `POST ${FACTORS}/totp`)
    const { id, secret, uri } = begun.json.data
    assert.deepEqual([begun.status, begun.headers['cache-control']], [201, 'no-store'])
    assert.match(secret, /^[A-Z2-7]{32}$/)
    const [issuer, form] = ['The%20Harbour%20Journal', 'algorithm=SHA1&digits=6&period=30']
    assert.equal(uri, `otpauth://totp/${issuer}:anna.lind?issuer=${issuer}&secret=${secret}&${form}`)
    const none = { data: [], total: 0, recovery_codes_left: 0, two_factor: 'optional' }
    assert.deepEqual(await listOf(app, access_token), none)
    await login(app)
    const confirm = (otp: string) => ask(app, access_token, `POST ${FACTORS}/totp/confirm`, { otp })
    const refused = await confirm('000000')
    assert.equal(refused.status, 400, refused.text)
    assert.deepEqual(Object.keys(refused.json.detail.error), ['otp'])
    const confirmed = await confirm(codeOf(app, secret))
    assert.deepEqual([confirmed.status, confirmed.headers['cache-control']], [200, 'no-store'])
    assert.equal(new Set(confirmed.json.recovery_codes).size, 10)
    for (const code of confirmed.json.recovery_codes) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    const at = '2026-01-15T12:00:00.000Z'
    const data = [{ id, kind: 'totp', created_at: at, last_used_at: at }]
    assert.deepEqual(await listOf(app, access_token), { data, total: 1, recovery_codes_left: 10, two_factor: 'optional' })

    const [missing, wrong] = [await tryLogin(app, ANNA), await tryCode(app, ANNA, '000000')]
    assert.deepEqual([missing.status, missing.json, missing.headers['www-authenticate']], [401, asked(NEEDED), 'Bearer'])
    assert.deepEqual([wrong.status, wrong.json], [401, asked(WRONG)])
    assert.deepEqual((await tryCode(app, { ...ANNA, password: 'x' }, codeOf(app, secret))).json, UNAUTHENTICATED)
    app.advance(STEP)
    assert.equal((await tryCode(app, ANNA, codeOf(app, secret))).status, 200)
    app.advance(STEP)
    const spaced = codeOf(app, secret).replace(/^.../, '$& ')
    assert.equal((await tryCode(app, ANNA, spaced)).status, 200)
  })

  appTest('is asked for in forms, and where the refresh token is in a cookie', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    const form = (otp: string) =>
      send(app, {
        request: 'POST /api/v1/auth/token',
        as: null,
        rawBody: new URLSearchParams({ ...ANNA, otp }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    assert.deepEqual((await form('')).json, asked(NEEDED))
    assert.equal((await form(codeOf(app, secret))).status, 200)
    app.advance(STEP)
    const headers = { 'sec-fetch-site': 'same-origin' }
    const body = { ...ANNA, refresh: 'cookie', otp: codeOf(app, secret) }
    const reply = await send(app, { request: 'POST /api/v1/auth/token', as: null, body, headers })
    assert.equal(reply.status, 200, reply.text)
    assert.match(String(reply.headers['set-cookie']), /admin_refresh\w*=/)
  })

  appTest('ends all other sessions when it is added and when it is removed; the present one goes on', async (app) => {
    const [other, editor] = [await login(app), await login(app, EDITOR)]
    const { id, secret, grant } = await setUpFactor(app, ANNA)
    assert.deepEqual(await standing(app, other), [401, 401])
    const second = (await tryCode(app, ANNA, codeOf(app, secret))).json
    assert.equal((await ask(app, grant.access_token, `GET ${FACTORS}`)).status, 200)
    const removed = await ask(app, grant.access_token, `DELETE ${FACTORS}/${id}`)
    assert.deepEqual([removed.status, removed.json.data.id], [200, id])
    assert.deepEqual(await standing(app, second), [401, 401])
    assert.deepEqual(await standing(app, grant), [200, 200])
    assert.deepEqual(await standing(app, editor), [200, 200])
    await login(app)
    assert.equal((await listOf(app, (await login(app)).access_token)).recovery_codes_left, 0)
  })

  appTest('may be one of five; the others stay when one is removed', async (app) => {
    const { id, grant } = await setUpFactor(app, ANNA)
    const token = grant.access_token
    const secrets: string[] = []
    let codes: readonly string[] = []
    for (let more = 0; more < 4; more++) {
      const { secret } = (await ask(app, token, `POST ${FACTORS}/totp`)).json.data
      codes = (await ask(app, token, `POST ${FACTORS}/totp/confirm`, { otp: codeOf(app, secret) })).json.recovery_codes
      secrets.push(secret)
    }
    const sixth = await ask(app, token, `POST ${FACTORS}/totp`)
    assert.match(sixth.json.details, /^An account has at most 5 authenticators; remove one/)
    assert.equal((await ask(app, token, `DELETE ${FACTORS}/${id}`)).status, 200)
    app.advance(STEP)
    for (const secret of secrets) assert.equal((await tryCode(app, ANNA, codeOf(app, secret))).status, 200)
    assert.equal((await tryCode(app, ANNA, codes[0])).status, 200)
    assert.equal((await listOf(app, token)).recovery_codes_left, 9)
  })

  appTest('that was not confirmed is replaced by the next one', async (app) => {
    const { access_token } = await login(app)
    const begin = async () => (await ask(app, access_token, `POST ${FACTORS}/totp`)).json.data
    const [first, second] = [await begin(), await begin()]
    const confirm = (secret: string) => ask(app, access_token, `POST ${FACTORS}/totp/confirm`, { otp: codeOf(app, secret) })
    assert.equal((await confirm(first.secret)).status, 400)
    assert.equal((await confirm(second.secret)).status, 200)
    const again = await confirm(second.secret)
    assert.deepEqual(
      [again.status, again.json.details],
      [400, 'No authenticator is being set up; begin with POST /auth/factors/totp'],
    )
  })
})

describe('recovery codes', () => {
  appTest('are good once each, however they are typed, and are replaced by new ones', async (app) => {
    const { recoveryCodes, grant } = await setUpFactor(app, ANNA)
    const [first = '', second = '', third = ''] = recoveryCodes
    assert.equal((await tryCode(app, ANNA, first)).status, 200)
    assert.deepEqual((await tryCode(app, ANNA, first)).json, asked(WRONG))
    assert.equal((await tryCode(app, ANNA, ` ${second.toLowerCase().replaceAll('-', ' ')}`)).status, 200)
    assert.equal((await listOf(app, grant.access_token)).recovery_codes_left, 8)
    const renewed = await ask(app, grant.access_token, `POST ${FACTORS}/recovery`)
    assert.equal(renewed.status, 200, renewed.text)
    assert.equal((await tryCode(app, ANNA, third)).status, 401)
    for (const code of renewed.json.recovery_codes) assert.equal((await tryCode(app, ANNA, code)).status, 200)
    assert.deepEqual((await tryLogin(app, ANNA)).json, asked(NEEDED, ['totp']))
  })

  appTest('need an authenticator', async (app) => {
    const { access_token } = await login(app)
    const { status, json } = await ask(app, access_token, `POST ${FACTORS}/recovery`)
    assert.deepEqual(
      [status, json.details],
      [400, 'Recovery codes belong to an authenticator; begin with POST /auth/factors/totp'],
    )
  })
})

describe('superusers', () => {
  appTest('list and reset the factors of others, whose sessions all end', async (app) => {
    const { id, grant } = await setUpFactor(app, ANNA)
    const { access_token } = await login(app, ADMIN)
    const of = `${FACTORS}?user_id=3`
    const { data } = (await ask(app, access_token, `GET ${of}`)).json
    assert.deepEqual([data.length, data[0].id], [1, id])
    const reset = await ask(app, access_token, `DELETE ${of}`)
    assert.deepEqual([reset.status, reset.json], [200, { message: 'Second factors reset successfully', total: 1 }])
    assert.deepEqual(await standing(app, grant), [401, 401])
    assert.equal((await ask(app, access_token)).status, 200)
    assert.deepEqual((await ask(app, access_token, `DELETE ${of}`)).json.total, 0)
    const { data: events } = (await ask(app, access_token, 'GET /api/v1/auth/log?user_id=3')).json
    const removal = events.find(({ event }: { event: string }) => event === 'factor_removed')
    assert.deepEqual([removal.method, removal.address], ['other_user', null], 'the address is not that of the user')
    await login(app)
  })

  appTest('need a recent login for it', async (app) => {
    const { access_token } = await login(app, ADMIN)
    app.advance(600_001)
    assert.equal((await ask(app, access_token, `DELETE ${FACTORS}?user_id=3`)).status, 401)
  })
})

describe('the log of an account', () => {
  appTest('tells of factors, codes and confirmations', async (app) => {
    const { secret, recoveryCodes, grant } = await setUpFactor(app, ANNA)
    const token = grant.access_token
    assert.equal((await ask(app, token, `POST ${FACTORS}/recovery`)).status, 200)
    await tryCode(app, ANNA, recoveryCodes[0])
    const { access_token } = (await tryCode(app, ANNA, codeOf(app, secret))).json
    app.advance(STEP)
    assert.equal((await ask(app, access_token, 'POST /api/v1/auth/confirm', { otp: codeOf(app, secret) })).status, 200)
    const [, code] = (await ask(app, token, `POST ${FACTORS}/recovery`)).json.recovery_codes
    assert.equal((await tryCode(app, ANNA, code)).status, 200)
    const [{ id }] = (await listOf(app, token)).data
    assert.equal((await ask(app, token, `DELETE ${FACTORS}/${id}`)).status, 200)
    const { data } = (await ask(app, token, 'GET /api/v1/auth/log')).json
    assert.deepEqual(data.map(({ event, method, session }: Record<string, unknown>) => [event, method, session]).toReversed(), [
      ['login', 'password', 1],
      ['factor_added', null, 1],
      ['recovery_codes_created', null, 1],
      ['login_failed', 'second_factor', null],
      ['login', 'password', 2],
      ['confirmed', 'totp', 2],
      ['recovery_codes_created', null, 1],
      ['recovery_code_used', null, null],
      ['login', 'password', 3],
      ['factor_removed', null, 1],
    ])
    // A login without a code is no failure.
    assert.ok(app.logged.every((line) => !line.includes('second_factor_missing')))
  })
})

describe('with two_factor: required', () => {
  const settings = { accounts: { two_factor: 'required' } } as const
  const REFUSAL = {
    error: 'Insufficient permissions',
    status_code: 403,
    details: 'The settings require a second factor; set one up with POST /auth/factors/totp',
    second_factor: { enrol: true },
  }

  appTest(
    'a session without one may set one up, and nothing else but what concerns the own account',
    async (app) => {
      const { access_token, refresh_token } = await login(app)
      const statusOf = async (request: Scenario['request'], body?: unknown) =>
        (await ask(app, access_token, request, body)).status
      for (const request of [
        'GET /api/v1/models/post/1',
        'GET /api/v1/models/post',
        'GET /admin/api/v1/site',
        'GET /api/v1/search?q=harbour',
        'GET /api/v1/events',
        'GET /api/v1/auth/log',
        'GET /api/v1/files/post/1/cover/1',
      ] as const) {
        const { status, json } = await ask(app, access_token, request)
        assert.deepEqual([status, json], [403, REFUSAL], request)
      }
      const created = await ask(app, access_token, 'POST /api/v1/models/tag', { data: { name: 'x' } })
      assert.deepEqual(created.json, REFUSAL)
      const { json } = await ask(app, access_token, 'GET /api/v1/auth/me')
      assert.deepEqual(json.second_factor, { active: false, enrol: true })
      assert.equal(await statusOf('GET /api/v1/auth/sessions'), 200)
      const next = { current_password: ANNA.password, new_password: 'something-new-18' }
      assert.equal(await statusOf('POST /api/v1/auth/password', next), 200)
      assert.equal(await statusOf('POST /api/v1/auth/confirm', { password: next.new_password }), 200)
      assert.equal((await refresh(app, refresh_token)).status, 200)
      const { secret } = (await ask(app, access_token, `POST ${FACTORS}/totp`)).json.data
      assert.equal(await statusOf('GET /api/v1/models/post/1'), 403)
      assert.equal(await statusOf(`POST ${FACTORS}/totp/confirm`, { otp: codeOf(app, secret) }), 200)
      assert.equal(await statusOf('GET /api/v1/models/post/1'), 200)
      const [{ id }] = (await listOf(app, access_token)).data
      assert.equal(await statusOf(`DELETE ${FACTORS}/${id}`), 200)
      assert.equal(await statusOf('GET /api/v1/models/post/1'), 403)
    },
    { settings },
  )

  appTest(
    'a token of the shell is not asked',
    async (app) => {
      await play(app, { request: 'GET /api/v1/models/post/1', status: 200 })
    },
    { settings },
  )

  appTest(
    'as superusers, others are not asked',
    async (app) => {
      const [admin, anna] = [await login(app, ADMIN), await login(app)]
      assert.deepEqual((await ask(app, admin.access_token)).json, REFUSAL)
      assert.equal((await ask(app, anna.access_token)).status, 200)
      const { grant } = await setUpFactor(app, ADMIN)
      assert.equal((await ask(app, grant.access_token)).status, 200)
    },
    { settings: { accounts: { two_factor: 'superusers' } } },
  )
})

describe('with two_factor: off', () => {
  appTest(
    'none is set up, and none asked for; what is there can be removed',
    async (app) => {
      const at = '2026-01-01T00:00:00.000Z'
      const values = { user_id: 3, kind: 'totp', secret: 'v1.x', created_at: at, confirmed_at: at }
      await app.app.store.transact([{ kind: 'insert', table: 'authfactor', values }])
      const { access_token } = await login(app)
      assert.deepEqual((await ask(app, access_token, 'GET /api/v1/auth/me')).json.second_factor, { active: false, enrol: false })
      const { data, two_factor } = await listOf(app, access_token)
      assert.deepEqual([data.length, two_factor], [1, 'off'])
      const { status, json } = await ask(app, access_token, `POST ${FACTORS}/totp`)
      assert.deepEqual([status, json.details], [403, "Second factors are turned off by the setting 'accounts.two_factor'"])
      assert.equal((await ask(app, access_token, `DELETE ${FACTORS}/1`)).status, 200)
    },
    { settings: { accounts: { two_factor: 'off' } } },
  )
})

describe('the own user', () => {
  appTest('has a second factor or not', async (app) => {
    const { grant } = await setUpFactor(app, ANNA)
    const factorOf = async (token: string) => (await ask(app, token, 'GET /api/v1/auth/me')).json.second_factor
    assert.deepEqual(await factorOf(grant.access_token), { active: true, enrol: false })
    assert.deepEqual(await factorOf(await app.tokenOf('m.keller')), { active: false, enrol: false })
  })
})

const refused = (request: Scenario['request'], status: number, more: Partial<Scenario>): Scenario =>
  scenario(`${more.as ?? 'admin'}`, request, status, more)

scenarios('a request about second factors', [
  refused(`GET ${FACTORS}?user_id=1`, 403, { as: 'anna.lind', expect: FORBIDDEN }),
  refused(`DELETE ${FACTORS}?user_id=1`, 403, { as: 'anna.lind', expect: FORBIDDEN }),
  refused(`GET ${FACTORS}`, 401, { as: null, expect: UNAUTHENTICATED }),
  refused(`POST ${FACTORS}/totp`, 401, { as: null, expect: UNAUTHENTICATED }),
  refused(`DELETE ${FACTORS}/1`, 404, {
    as: 'anna.lind',
    expect: { error: 'Record not found', status_code: 404, details: 'Factor with ID 1 does not exist' },
  }),
  refused(`GET ${FACTORS}?user_id=999`, 404, {}),
  refused(`DELETE ${FACTORS}?user_id=999`, 404, {}),
  refused(`DELETE ${FACTORS}`, 400, {}),
  refused(`DELETE ${FACTORS}/x`, 400, {}),
  refused(`POST ${FACTORS}/totp/confirm`, 400, {
    body: {},
    expect: { detail: { error: { otp: ['otp is mandatory'] } } },
  }),
  refused('POST /api/v1/auth/token', 400, {
    as: null,
    body: { ...ADMIN, otp: 123456 },
    expect: { detail: { error: { otp: ['otp must be a string'] } } },
  }),
])

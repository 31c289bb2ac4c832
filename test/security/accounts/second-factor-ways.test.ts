import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkIdentity, OidcBrowser, openOidcApp } from '../../helpers/oidc/browser.ts'
import { codeOf, STEP, setUpFactor } from '../../helpers/totp.ts'
import { ANNA, ask, login, withApp } from '../access.ts'

test('a login at a provider asks for the second factor of the account, and a wrong or used code begins no session', async () => {
  await using oidc = await openOidcApp()
  const { app, double } = oidc
  const { secret, grant } = await setUpFactor(app, ANNA)
  await linkIdentity(oidc, ANNA.username, { sub: 'anna' })
  const browser = new OidcBrowser(app)
  const asked = await browser.logIn(double, { sub: 'anna' })
  assert.deepEqual([asked.status, asked.json.second_factor], [401, { methods: ['totp', 'recovery'] }])
  const otp = codeOf(app, secret)
  assert.equal((await browser.finish({ otp: '000000' })).status, 401)
  const sessions = async () => (await ask(app, grant.access_token, 'GET /api/v1/auth/sessions')).json.total
  assert.equal(await sessions(), 1)
  const finished = await browser.finish({ otp })
  assert.equal(finished.status, 200, finished.text)
  assert.equal(await sessions(), 2)
  const other = new OidcBrowser(app)
  await other.logIn(double, { sub: 'anna' })
  assert.equal((await other.finish({ otp })).status, 401)
  app.advance(STEP)
  assert.equal((await other.finish({ otp: codeOf(app, secret) })).status, 200)
})

test('with two_factor: required, an account that a provider creates sets one up first', async () => {
  await using oidc = await openOidcApp(
    { create: true, domains: ['example.org'] },
    { settings: { accounts: { two_factor: 'required' } } },
  )
  const { app, double } = oidc
  const claims = { sub: 'new', email: 'new@example.org', email_verified: true }
  const reply = await new OidcBrowser(app).logIn(double, claims)
  assert.equal(reply.status, 200, reply.text)
  const token = reply.json.access_token
  assert.deepEqual((await ask(app, token, 'GET /api/v1/auth/me')).json.second_factor, { active: false, enrol: true })
  assert.deepEqual((await ask(app, token, 'GET /api/v1/models/saved-view')).json.second_factor, { enrol: true })
  const { secret } = (await ask(app, token, 'POST /api/v1/auth/factors/totp')).json.data
  const confirmed = await ask(app, token, 'POST /api/v1/auth/factors/totp/confirm', { otp: codeOf(app, secret) })
  assert.equal(confirmed.status, 200, confirmed.text)
  app.advance(STEP)
  const again = new OidcBrowser(app)
  assert.equal((await again.logIn(double, claims)).status, 401)
  assert.equal((await again.finish({ otp: codeOf(app, secret) })).status, 200)
})

test('who has to set one up first does nothing to the accounts of others', () =>
  withApp(
    async (app) => {
      const { access_token: token } = await login(app, { username: 'admin', password: 'harbour-admin-2024' })
      for (const request of [
        'DELETE /api/v1/auth/factors?user_id=3',
        'GET /api/v1/auth/factors?user_id=3',
        'GET /api/v1/auth/sessions?user_id=3',
        'DELETE /api/v1/auth/sessions?user_id=3',
      ] as const) {
        const { status, json } = await ask(app, token, request)
        assert.deepEqual([status, json.second_factor], [403, { enrol: true }], request)
      }
      for (const request of ['GET /api/v1/auth/factors', 'GET /api/v1/auth/sessions'] as const)
        assert.equal((await ask(app, token, request)).status, 200)
    },
    { settings: { accounts: { two_factor: 'required' } } },
  ))

import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { UNAUTHENTICATED } from '../../http/records/expected.ts'
import { ANNA, appTest, ask, tryLogin } from '../access.ts'
import { Browser, sendAs } from '../cookies.ts'

/** The status of an access token. */
const statusOf = async (app: TestApp, token: string): Promise<number> => (await ask(app, token)).status

describe('a refresh by cookie', () => {
  appTest('replaces the cookie and the access token', async (app) => {
    const browser = new Browser(app)
    const first = await browser.login()
    const { token } = browser
    const { status, json, headers } = await browser.refresh()
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json).sort(), ['access_token', 'expires_in', 'token_type'])
    assert.equal(headers['cache-control'], 'no-store')
    assert.notEqual(browser.token, token)
    assert.notEqual(json.access_token, first)
    assert.equal(await statusOf(app, json.access_token), 200)
  })

  appTest('by tabs at the same time succeeds in each of them, and the session goes on', async (app) => {
    for (const tabs of [2, 3, 10]) {
      const browser = new Browser(app)
      await browser.login()
      const replies = await Promise.all(Array.from({ length: tabs }, () => browser.refresh()))
      for (const { status, json, text } of replies) {
        assert.equal(status, 200, text)
        assert.equal(await statusOf(app, json.access_token), 200)
      }
      app.advance(60_000)
      // Whichever cookie the browser stores last, it is the present one.
      for (const reply of replies) {
        const copy = browser.copy()
        copy.store(reply)
        assert.equal((await copy.refresh()).status, 200)
      }
    }
  })

  appTest('by a tab whose request arrives after two renewals of another tab succeeds', async (app) => {
    const browser = new Browser(app)
    await browser.login()
    const late = browser.copy()
    await browser.refresh()
    app.advance(1000)
    await browser.refresh()
    app.advance(1000)
    assert.equal((await late.refresh()).status, 200)
    app.advance(60_000)
    assert.equal((await late.refresh()).status, 200, 'it got the present cookie')
  })

  appTest('whose response was lost may be repeated', async (app) => {
    const browser = new Browser(app)
    await browser.login()
    await browser.copy().refresh()
    app.advance(9999)
    assert.equal((await browser.refresh()).status, 200)
  })

  for (const milliseconds of [10_000, 60_000]) {
    appTest(`with a cookie that was replaced ${milliseconds / 1000} s ago ends the session`, async (app) => {
      const browser = new Browser(app)
      const token = await browser.login()
      const stolen = browser.copy()
      const renewed = (await browser.refresh()).json.access_token
      app.advance(milliseconds)
      const reply = await stolen.refresh()
      assert.deepEqual([reply.status, reply.json], [401, UNAUTHENTICATED])
      assert.equal((await browser.refresh()).status, 401)
      for (const each of [token, renewed]) assert.equal(await statusOf(app, each), 401)
      assert.equal(stolen.cookies.size, 0)
      assert.ok(app.logged.some((line) => line.includes('refresh_token_reused')))
    })
  }

  appTest('does not extend the time of a replaced cookie', async (app) => {
    const browser = new Browser(app)
    await browser.login()
    const stolen = browser.copy()
    await browser.refresh()
    for (let second = 0; second < 9; second += 3) {
      app.advance(3000)
      assert.equal((await stolen.copy().refresh()).status, 200)
      await browser.refresh()
    }
    app.advance(1000)
    assert.equal((await stolen.refresh()).status, 401)
  })

  appTest('ends with the account, with its password and with the lifetime of the token', async (app) => {
    for (const data of [
      { is_active: false },
      { is_active: true },
      { password: 'something-new-18' },
      { password: ANNA.password },
    ]) {
      const browser = new Browser(app)
      if (data.is_active !== true)
        await browser.login(data.password === ANNA.password ? { ...ANNA, password: 'something-new-18' } : ANNA)
      const admin = { 'content-type': 'application/json', authorization: `Bearer ${await app.tokenOf('admin')}` }
      const changed = await sendAs(app, 'PUT /api/v1/models/user/3', admin, JSON.stringify({ data }))
      assert.equal(changed.status, 200, changed.text)
      assert.equal((await browser.refresh()).status, 401)
    }
    const browser = new Browser(app)
    await browser.login()
    app.advance(7 * 24 * 3_600_000)
    assert.equal((await browser.refresh()).status, 401)
  })

  appTest(
    'without a cookie is no failed login, with a wrong one it is',
    async (app) => {
      const browser = new Browser(app)
      for (let request = 0; request < 10; request++) assert.equal((await browser.refresh()).status, 401)
      browser.cookies.set('admin_refresh_8000', 'wrong')
      assert.equal((await browser.refresh()).status, 401)
      browser.cookies.set('admin_refresh_8000', 'wrong')
      assert.equal((await browser.refresh()).status, 401)
      browser.cookies.set('admin_refresh_8000', 'wrong')
      assert.equal((await browser.refresh()).status, 429)
      assert.equal((await tryLogin(app, ANNA)).status, 429)
    },
    { settings: { rate_limits: { default: 10, auth: 2, upload: 0 } } },
  )
})

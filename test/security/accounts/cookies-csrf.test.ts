import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import type { Reply } from '../../helpers/api/scenario.ts'
import { ANNA, appTest } from '../access.ts'
import { Browser, SAME_ORIGIN, sendAs } from '../cookies.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const HOST = { host: 'admin.example:8000' }
const OWN_ORIGIN = { ...HOST, origin: 'http://admin.example:8000' }
const MANDATORY = { detail: { error: { refresh_token: ['refresh_token is mandatory'] } } }

/** Asserts that a request with the cookie of a session was not answered with tokens, and that the session goes on. */
async function assertIgnored(app: TestApp, browser: Browser, reply: Reply): Promise<void> {
  assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status}: ${reply.text}`)
  assert.equal(reply.headers['set-cookie'], undefined)
  assert.equal((await browser.refresh()).status, 200)
  assert.deepEqual(app.reported, [])
}

describe('a page of another site', () => {
  const FOREIGN: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['of another site', { ...JSON_TYPE, 'sec-fetch-site': 'cross-site' }],
    ['of another host of the domain', { ...JSON_TYPE, 'sec-fetch-site': 'same-site' }],
    ['of another site, with the origin of the server', { ...JSON_TYPE, ...OWN_ORIGIN, 'sec-fetch-site': 'cross-site' }],
    ['that a user typed in', { ...JSON_TYPE, 'sec-fetch-site': 'none' }],
    ['of another port', { ...JSON_TYPE, ...HOST, origin: 'http://admin.example:8001' }],
    ['of another scheme', { ...JSON_TYPE, ...HOST, origin: 'https://admin.example:8000' }],
    ['of another host', { ...JSON_TYPE, ...HOST, origin: 'http://evil.example:8000' }],
    ['of no origin', { ...JSON_TYPE, ...HOST, origin: 'null' }],
    ['without either header', { ...JSON_TYPE, ...HOST }],
  ]

  for (const [name, headers] of FOREIGN) {
    appTest(`cannot use the cookie: a request ${name}`, async (app) => {
      const browser = new Browser(app)
      await browser.login()
      for (const action of ['refresh', 'logout']) {
        const reply = await browser.post(action, {}, headers)
        assert.deepEqual([reply.status, reply.json], [400, MANDATORY])
        await assertIgnored(app, browser, reply)
      }
    })
  }

  const BODIES: readonly (readonly [string, Readonly<Record<string, string>>, string, number])[] = [
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, '', 400],
    ['a form with a value', { 'content-type': 'application/x-www-form-urlencoded' }, 'grant_type=refresh_token', 400],
    ['text', { 'content-type': 'text/plain' }, '{}', 415],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--', 415],
    ['no type', {}, '{}', 400],
    ['no body', JSON_TYPE, '', 400],
    ['an array', JSON_TYPE, '[]', 400],
    ['null', JSON_TYPE, 'null', 400],
    ['an empty token', JSON_TYPE, '{"refresh_token":""}', 400],
  ]

  for (const [name, type, body, status] of BODIES) {
    appTest(`cannot use the cookie without a JSON object as the body: ${name}`, async (app) => {
      const browser = new Browser(app)
      await browser.login()
      for (const action of ['refresh', 'logout']) {
        const headers = { 'sec-fetch-site': 'same-origin', ...browser.cookieHeader, ...type }
        const reply = await sendAs(app, `POST /api/v1/auth/${action}`, headers, body)
        assert.equal(reply.status, status, reply.text)
        await assertIgnored(app, browser, reply)
      }
    })
  }

  appTest('cannot use the cookie by another method', async (app) => {
    const browser = new Browser(app)
    await browser.login()
    for (const action of ['refresh', 'logout']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const request = `${method} /api/v1/auth/${action}`
        const reply = await sendAs(app, request, { ...SAME_ORIGIN, ...browser.cookieHeader })
        assert.equal(reply.status, 405, request)
        await assertIgnored(app, browser, reply)
      }
    }
  })

  appTest('cannot log its visitor in as another user', async (app) => {
    const body = JSON.stringify({ ...ANNA, refresh: 'cookie' })
    const form = `username=${ANNA.username}&password=${ANNA.password}&refresh=cookie`
    const foreign = FOREIGN.filter(([name]) => name !== 'without either header')
    for (const [name, headers] of foreign) {
      const reply = await sendAs(app, 'POST /api/v1/auth/token', headers, body)
      assert.deepEqual([reply.status, reply.headers['set-cookie']], [400, undefined], name)
      assert.deepEqual(reply.json.detail.error, { refresh: ['refresh is accepted from pages of this server only'] })
    }
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }]) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const reply = await sendAs(app, 'POST /api/v1/auth/token', { ...type, ...headers }, form)
      assert.deepEqual([reply.status, reply.headers['set-cookie']], [400, undefined])
      assert.deepEqual(reply.json.detail.error, { refresh: ['refresh is accepted in a JSON body only'] })
    }
  })

  appTest(
    'is told from a page of the server by Origin, where browsers send no Sec-Fetch-Site',
    async (app) => {
      const browser = new Browser(app)
      await browser.login()
      assert.equal((await browser.post('refresh', {}, { ...JSON_TYPE, ...OWN_ORIGIN })).status, 200)
      const https = { ...JSON_TYPE, ...HOST, origin: 'https://admin.example:8000' }
      assert.equal((await browser.post('refresh', {}, https)).status, 400)
      assert.equal((await browser.post('refresh', {}, { ...https, 'x-forwarded-proto': 'https' })).status, 200)
      assert.equal((await browser.post('logout', {}, { ...JSON_TYPE, ...OWN_ORIGIN })).status, 200)
    },
    { settings: { trusted_proxies: 1 } },
  )

  appTest(
    'gets no cookie where `cors` allows its origin',
    async (app) => {
      const browser = new Browser(app)
      await browser.login()
      const headers = { ...JSON_TYPE, ...HOST, origin: 'https://front.example', 'sec-fetch-site': 'cross-site' }
      for (const [action, body] of [
        ['token', { ...ANNA, refresh: 'cookie' }],
        ['refresh', {}],
        ['logout', {}],
      ] as const) {
        const reply = await browser.post(action, body, headers)
        assert.equal(reply.status, 400, action)
        assert.equal(reply.headers['access-control-allow-credentials'], undefined)
        await assertIgnored(app, browser, reply)
      }
    },
    { settings: { cors: ['https://front.example'] } },
  )
})

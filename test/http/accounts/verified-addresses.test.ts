import assert from 'node:assert/strict'
import { describe, mock } from 'node:test'
import { linkIn, MAIL_SETTINGS, tokenOf, waitingMails } from '../../helpers/account-mails.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Reply } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { appTest, ask, login, withApp } from '../../security/access.ts'

const mailTest = testsOf((work: (app: TestApp) => Promise<void>) => withApp(work, { settings: MAIL_SETTINGS }))

const EDITOR = { username: 'm.keller', password: 'harbour-editor-2024' }

const request = (app: TestApp, token: string, email: unknown): Promise<Reply> =>
  ask(app, token, 'POST /api/v1/auth/email', { email })
const verify = (app: TestApp, access: string, token: string): Promise<Reply> =>
  ask(app, access, 'POST /api/v1/auth/email/verify', { token })

const meOf = async (app: TestApp, token: string): Promise<[email: string, verified: boolean]> => {
  const { json } = await ask(app, token, 'GET /api/v1/auth/me')
  assert.equal(json.has_password, true)
  return [json.data.email, json.email_verified]
}

/** Asks for a link and returns its token. */
const asked = async (app: TestApp, access: string, email: string): Promise<string> => {
  const { length } = await waitingMails(app)
  const { status, text } = await request(app, access, email)
  assert.equal(status, 202, text)
  const mail = (await waitingMails(app)).slice(length).find(({ to, text }) => to === email && text.includes('#token='))
  return tokenOf(linkIn(String(mail?.text)))
}

describe('the own address', () => {
  mailTest('is verified by a link, once', async (app) => {
    const { access_token: access } = await login(app)
    const [email, verified] = await meOf(app, access)
    assert.equal(verified, false)
    const token = await asked(app, access, email)
    assert.deepEqual(valuesOf(await waitingMails(app), 'to'), [email])
    assert.equal((await verify(app, access, token)).status, 200)
    assert.deepEqual(await meOf(app, access), [email, true])
    assert.equal((await verify(app, access, token)).status, 400)
  })

  mailTest('is changed when the new one is verified, and the former one is told', async (app) => {
    const { access_token: access } = await login(app)
    const [former] = await meOf(app, access)
    const token = await asked(app, access, 'next@example.org')
    assert.deepEqual(await meOf(app, access), [former, false])
    const replies = await Promise.all(Array.from({ length: 8 }, () => verify(app, access, token)))
    assert.deepEqual(valuesOf(replies, 'status').sort(), [200, ...Array(7).fill(400)])
    assert.deepEqual(await meOf(app, access), ['next@example.org', true])
    const mails = await waitingMails(app)
    assert.deepEqual(valuesOf(mails, 'to'), ['next@example.org', former, former])
    for (const { text } of mails.slice(1)) assert.ok(!text.includes('#token='), text)
    const { json } = await play(app, { request: 'GET /api/v1/auth/log?user_id=3', status: 200 })
    assert.deepEqual(valuesOf(json.data, 'event', 'address').slice(0, 2), [
      ['email_verified', '127.0.0.1'],
      ['email_changed', '127.0.0.1'],
    ])
  })

  mailTest('is not verified any more after another change of it, though it is changed back', async (app) => {
    const { access_token: access } = await login(app)
    const [email] = await meOf(app, access)
    assert.equal((await verify(app, access, await asked(app, access, email))).status, 200)
    for (const next of ['other@example.org', email]) {
      await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { email: next } }, status: 200 })
      assert.deepEqual(await meOf(app, access), [next, false])
    }
    const updates = [{ id: 3, data: { email: 'bulk@example.org' } }]
    assert.equal((await verify(app, access, await asked(app, access, email))).status, 200)
    await play(app, { request: 'PUT /api/v1/models/user/bulk', body: { updates }, status: 200 })
    assert.deepEqual(await meOf(app, access), ['bulk@example.org', false])
    // Another value of the user leaves it as it is.
    assert.equal((await verify(app, access, await asked(app, access, 'bulk@example.org'))).status, 200)
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { first_name: 'Anna' } }, status: 200 })
    assert.deepEqual(await meOf(app, access), ['bulk@example.org', true])
  })

  mailTest('is changed by its link only, by a superuser too, and not for another user', async (app) => {
    const { access_token: access } = await login(app, { username: 'admin', password: 'harbour-admin-2024' })
    const [email] = await meOf(app, access)
    const data = { email: 'thief@example.org' }
    for (const [route, body] of [
      ['PUT /api/v1/models/user/1', { data }],
      ['PUT /api/v1/models/user/1?dry_run=true', { data }],
      ['PUT /api/v1/models/user/bulk', { updates: [{ id: 1, data }] }],
      ['POST /api/v1/batch', { operations: [{ method: 'update', model: 'user', id: 1, data }] }],
    ] as const) {
      const { status, text } = await ask(app, access, route, body)
      assert.equal(status, 403, `${route} ${text}`)
      assert.match(text, /Change your own address with POST \/auth\/email/)
    }
    assert.deepEqual(await meOf(app, access), [email, false])
    const same = { data: { email, first_name: 'Ada' } }
    assert.equal((await ask(app, access, 'PUT /api/v1/models/user/1', same)).status, 200)
    assert.equal((await verify(app, access, await asked(app, access, 'next@example.org'))).status, 200)
  })

  mailTest('is told of a change by somebody else', async (app) => {
    const { access_token: access } = await login(app)
    const [former] = await meOf(app, access)
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { email: 'other@example.org' } }, status: 200 })
    const [mail, ...more] = await waitingMails(app)
    assert.deepEqual([mail?.to, more], [former, []])
    assert.match(String(mail?.text), /does not have this address any more/)
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { first_name: 'Anna' } }, status: 200 })
    assert.equal((await waitingMails(app)).length, 1)
  })

  mailTest('is told of a change of several at once, by mails that one transaction stores', async (app) => {
    const users = (await play(app, { request: 'GET /api/v1/models/user?filters=id__in=2,3,4', status: 200 })).json.data
    const stored: number[] = []
    app.app.store.onChange(
      (changes) => {
        const { length } = changes.filter(({ table }) => table === 'queuedjob')
        if (length > 0) stored.push(length)
      },
      () => {},
    )
    const updates = users.map(({ id }: { id: number }) => ({ id, data: { email: `moved-${id}@example.org` } }))
    await play(app, { request: 'PUT /api/v1/models/user/bulk', body: { updates }, status: 200 })
    assert.deepEqual(valuesOf(await waitingMails(app), 'to').toSorted(), valuesOf(users, 'email').toSorted())
    assert.deepEqual(stored, [3])
  })

  appTest('is changed by users who may change users after a login within 10 minutes only, where no mail is sent', async (app) => {
    const { access_token: access } = await login(app, { username: 'admin', password: 'harbour-admin-2024' })
    const change = (email: string) => ask(app, access, 'PUT /api/v1/models/user/1', { data: { email } })
    assert.equal((await change('next@example.org')).status, 200)
    app.advance(11 * 60_000)
    const { status, json } = await change('late@example.org')
    assert.deepEqual([status, json.error], [401, 'insufficient_user_authentication'])
    assert.equal((await change('next@example.org')).status, 200)
  })

  mailTest('is verified for the user who asked only, so that nobody verifies it for somebody else', async (app) => {
    const [anna, editor] = [await login(app), await login(app, EDITOR)]
    const token = await asked(app, editor.access_token, 'victim@example.org')
    assert.equal((await verify(app, anna.access_token, token)).status, 400)
    await play(app, { request: 'POST /api/v1/auth/email/verify', as: null, body: { token }, status: 401 })
    assert.equal((await verify(app, editor.access_token, token)).status, 200)
  })

  mailTest('is no address of another account, which the answer does not tell', async (app) => {
    const { access_token: access } = await login(app)
    const [own] = await meOf(app, access)
    const { json: taken } = await play(app, { request: 'GET /api/v1/models/user/1', status: 200 })
    const [free, other] = [
      await request(app, access, 'free@example.org'),
      await request(app, access, taken.data.email.toUpperCase()),
    ]
    assert.deepEqual([free.status, free.json], [other.status, other.json])
    assert.deepEqual(valuesOf(await waitingMails(app), 'to'), ['free@example.org', own, own])
    // Taken meanwhile.
    const token = await asked(app, access, 'late@example.org')
    await play(app, { request: 'PUT /api/v1/models/user/2', body: { data: { email: 'late@example.org' } }, status: 200 })
    const late = await verify(app, access, token)
    assert.deepEqual([late.status, Object.keys(late.json.detail.error)], [400, ['email']])
  })

  mailTest('is refused with what is wrong', async (app) => {
    const { access_token: access } = await login(app)
    for (const email of ['x', '', 7, 'mıke@example.org', 'a@b.c\r\nBcc: d@e.f', null]) {
      assert.equal((await request(app, access, email)).status, 400)
    }
    for (let number = 0; number < 5; number++) assert.equal((await request(app, access, `n${number}@example.org`)).status, 202)
    assert.equal((await request(app, access, 'n6@example.org')).status, 429)
  })

  mailTest('gets no link that was not stored, and the answer says so', async (app) => {
    const { access_token: access } = await login(app)
    const { transact } = app.app.store
    const stale = { ok: false, failure: { kind: 'stale', index: 0 } }
    const mocked = mock.method(app.app.store, 'transact', async (...args: Parameters<typeof transact>) =>
      args[0].some(({ table }) => table === 'onetimetoken') ? (stale as never) : transact.apply(app.app.store, args),
    )
    const { status, json } = await request(app, access, 'next@example.org')
    mocked.mock.restore()
    assert.deepEqual([status, json.details], [409, 'The account has just been changed; send the request again'])
    assert.deepEqual(await waitingMails(app), [])
  })

  mailTest('is changed after a login within 10 minutes only', async (app) => {
    const { access_token: access } = await login(app)
    app.advance(11 * 60_000)
    const { status, json } = await request(app, access, 'next@example.org')
    assert.deepEqual([status, json.error], [401, 'insufficient_user_authentication'])
    assert.deepEqual(await waitingMails(app), [])
  })

  appTest('needs mail, and says how', async (app) => {
    const { access_token: access } = await login(app)
    const { status, json } = await request(app, access, 'next@example.org')
    assert.equal(status, 404)
    assert.match(json.details, /ADMIN_MAIL__FROM/)
  })

  appTest('is taken as verified by the shell', async (app) => {
    const { access_token: access } = await login(app)
    await app.app.accountLinks.emails.confirm(3, {})
    assert.equal((await meOf(app, access))[1], true)
  })
})

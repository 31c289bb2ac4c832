import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { forgot, linkIn, MAIL_SETTINGS, resetToken, sentMails, tokenOf, waitingMails } from '../../helpers/account-mails.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { codeOf, setUpFactor } from '../../helpers/totp.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { ANNA, ask, login, permit, standing, tryLogin, withApp } from '../access.ts'

const resetTest = testsOf((work: (app: TestApp) => Promise<void>, options: object = {}) =>
  withApp(work, { settings: { ...MAIL_SETTINGS, ...(options as { settings?: object }).settings } }),
)

const NEXT = 'another-lighthouse-18'

const reset = (app: TestApp, token: unknown, new_password: unknown = NEXT): Promise<Reply> =>
  send(app, { request: 'POST /api/v1/auth/password/reset', as: null, body: { token, new_password } })

const REFUSED = {
  detail: { error: { token: ['token is not valid: the link was used, has expired, or a newer change replaced it'] } },
}

const assertRefused = async (app: TestApp, token: unknown) => {
  const { status, json } = await reset(app, token)
  assert.deepEqual([status, json], [400, REFUSED])
}

const changeUser = (app: TestApp, data: object, id = 3) =>
  play(app, { request: `PUT /api/v1/models/user/${id}`, body: { data }, status: 200 })

const emailOf = async (app: TestApp, id = 3): Promise<string> =>
  (await play(app, { request: `GET /api/v1/models/user/${id}`, status: 200 })).json.data.email

describe('a link to set another password', () => {
  resetTest('sets it once, ends all sessions and begins none', async (app) => {
    const before = await login(app)
    const token = await resetToken(app, await emailOf(app))
    const { status, json } = await reset(app, token)
    assert.deepEqual([status, json], [200, { message: 'Password set successfully; log in with it' }])
    assert.deepEqual(await standing(app, before), [401, 401])
    assert.equal((await tryLogin(app, ANNA)).status, 401)
    await login(app, { ...ANNA, password: NEXT })
    await assertRefused(app, token)
    const { json: log } = await play(app, { request: 'GET /api/v1/auth/log?user_id=3', status: 200 })
    const events = ['login', 'login_failed', 'password_reset', 'password_reset_requested', 'login']
    assert.deepEqual(valuesOf(log.data, 'event').sort(), events.sort())
    const [, told] = await waitingMails(app)
    assert.match(String(told?.subject), /your password was changed/)
  })

  resetTest('is for no one who sets the address of a user with more rights, or their own', async (app) => {
    await permit(app, 3, 'view_user', 'change_user')
    const { access_token } = await login(app)
    const authorization = `Bearer ${access_token}`
    const change = async (id: number, data: object) =>
      (await send(app, { request: `PUT /api/v1/models/user/${id}`, as: null, headers: { authorization }, body: { data } })).status
    await permit(app, 2, 'delete_post')
    assert.equal(await change(2, { email: 'mine@example.org' }), 403)
    assert.equal(await change(3, { email: 'mine@example.org' }), 403)
    assert.equal(await change(3, { email: await emailOf(app), first_name: 'Ann' }), 200)
    await permit(app, 2)
    await changeUser(app, { groups: [] }, 2)
    assert.equal(await change(2, { email: 'mine@example.org' }), 200)
  })

  resetTest('asks for the second factor, without which it is not spent', async (app) => {
    const { secret } = await setUpFactor(app, ANNA)
    const token = await resetToken(app, await emailOf(app))
    const missing = await reset(app, token)
    assert.deepEqual([missing.status, missing.json.second_factor.methods], [401, ['totp', 'recovery']])
    const request = 'POST /api/v1/auth/password/reset' as const
    const body = { token, new_password: NEXT }
    const wrong = await send(app, { request, as: null, body: { ...body, otp: '000000' } })
    assert.deepEqual([wrong.status, wrong.json.second_factor.methods], [401, ['totp', 'recovery']])
    await play(app, { request, as: null, body: { ...body, otp: codeOf(app, secret) }, status: 200 })
    const after = await tryLogin(app, { ...ANNA, password: NEXT })
    assert.equal(after.status, 401, 'the factor stays')
  })

  resetTest('is spent by one of 32 at once', async (app) => {
    const token = await resetToken(app, await emailOf(app))
    const replies = await Promise.all(Array.from({ length: 32 }, (_, number) => reset(app, token, `${NEXT}-${number}`)))
    const good = replies.flatMap(({ status }, number) => (status === 200 ? [number] : []))
    assert.equal(good.length, 1)
    for (const { status, json } of replies) if (status !== 200) assert.deepEqual([status, json], [400, REFUSED])
    await login(app, { ...ANNA, password: `${NEXT}-${good[0]}` })
  })

  resetTest('is good for nothing after another link was used', async (app) => {
    const email = await emailOf(app)
    const [first, second] = [await resetToken(app, email), await resetToken(app, email)]
    const replies = await Promise.all([reset(app, first), reset(app, second, 'yet-another-lighthouse-19')])
    assert.deepEqual(valuesOf(replies, 'status').sort(), [200, 400])
    await assertRefused(app, first)
    await assertRefused(app, second)
  })

  resetTest('is good for nothing after the password was changed', async (app) => {
    const token = await resetToken(app, await emailOf(app))
    const { access_token } = await login(app)
    const body = { current_password: ANNA.password, new_password: NEXT }
    assert.equal((await ask(app, access_token, 'POST /api/v1/auth/password', body)).status, 200)
    await assertRefused(app, token)
  })

  resetTest('is good for nothing after the address was changed, or the account was disabled', async (app) => {
    const email = await emailOf(app)
    const token = await resetToken(app, email)
    await changeUser(app, { email: 'other@example.org' })
    await assertRefused(app, token)
    const other = await resetToken(app, 'other@example.org')
    await changeUser(app, { is_active: false })
    await assertRefused(app, other)
  })

  resetTest('is good for 30 minutes', async (app) => {
    const email = await emailOf(app)
    const [token, later] = [await resetToken(app, email), await resetToken(app, email)]
    app.advance(30 * 60_000 - 1)
    assert.equal((await reset(app, later)).status, 200)
    const last = await resetToken(app, email)
    app.advance(30 * 60_000)
    await assertRefused(app, last)
    await assertRefused(app, token)
  })

  resetTest('is no link of another kind', async (app) => {
    const { json } = await play(app, {
      request: 'POST /api/v1/auth/invitations',
      body: { email: 'new@example.org' },
      status: 201,
    })
    await assertRefused(app, tokenOf(json.data.link))
    const { access_token } = await login(app)
    const asked = await ask(app, access_token, 'POST /api/v1/auth/email', { email: 'next@example.org' })
    assert.equal(asked.status, 202, asked.text)
    const mail = (await waitingMails(app)).find(({ to }) => to === 'next@example.org')
    await assertRefused(app, tokenOf(linkIn(String(mail?.text))))
    for (const token of ['x', 'a'.repeat(43), access_token]) await assertRefused(app, token)
    const token = await resetToken(app, await emailOf(app))
    const verified = await ask(app, access_token, 'POST /api/v1/auth/email/verify', { token })
    assert.deepEqual([verified.status, verified.json], [400, REFUSED])
    const body = { token, username: 'somebody', password: NEXT }
    const accepted = await send(app, { request: 'POST /api/v1/auth/invitations/accept', as: null, body })
    assert.deepEqual([accepted.status, accepted.json], [400, REFUSED])
    assert.equal((await reset(app, token)).status, 200)
  })

  resetTest('is not spent by GET and HEAD of a scanner, nor by a password that is refused', async (app) => {
    const email = await emailOf(app)
    await forgot(app, email)
    const [mail] = await waitingMails(app)
    const link = linkIn(String(mail?.text))
    const { pathname, hash } = new URL(link)
    for (const method of ['GET', 'HEAD'] as const) {
      for (const url of [pathname, `${pathname}?${hash.slice(1)}`, `/api/v1/auth/password/reset?${hash.slice(1)}`]) {
        await app.server.inject({ method, url })
      }
    }
    const short = await reset(app, tokenOf(link), 'short')
    assert.deepEqual([short.status, Object.keys(short.json.detail.error)], [400, ['new_password']])
    assert.equal((await reset(app, tokenOf(link))).status, 200)
  })

  resetTest('has its token in the fragment, 256 random bits, which are not stored', async (app) => {
    const token = await resetToken(app, await emailOf(app))
    assert.match(token, /^[\w-]{43}$/)
    const { records } = await app.app.store.find('onetimetoken', { filters: [], sort: [], offset: 0, limit: 10 })
    assert.equal(records.length, 1)
    assert.ok(!JSON.stringify(records).includes(token))
    assert.ok(!app.logged.join('').includes(token))
    for (const path of ['models/onetimetoken', 'models/verifiedaddress', 'models/accountevent']) {
      await play(app, { request: `GET /api/v1/${path}`, status: 404 })
    }
    const jobs = await play(app, { request: 'GET /api/v1/jobs', status: 200 })
    assert.ok(!jobs.text.includes(token))
  })

  resetTest(
    'begins with public_url, whatever Host and X-Forwarded-Host say',
    async (app) => {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
      await forgot(app, await emailOf(app), headers)
      const body = { email: 'new@example.org' }
      const { json } = await play(app, { request: 'POST /api/v1/auth/invitations', body, headers, status: 201 })
      const [mail] = await waitingMails(app)
      for (const link of [linkIn(String(mail?.text)), json.data.link]) {
        assert.match(link, /^https:\/\/admin\.example\.com\/console\/(reset-password|accept-invitation)#token=[\w-]{43}$/)
      }
    },
    { settings: { public_url: 'https://admin.example.com', trusted_proxies: 1, admin_path: '/console' } },
  )
})

describe('asking for a link', () => {
  const BODY = { message: 'If an account has this address, a link is sent to it' }

  resetTest('answers the same for every address, and sends to an active account with a password only', async (app) => {
    const email = await emailOf(app)
    const keyless = { username: 'ci.robot', email: 'ci@example.org', password: null }
    await play(app, { request: 'POST /api/v1/models/user', body: { data: keyless }, status: 201 })
    await changeUser(app, { is_active: false, email: 'off@example.org' }, 4)
    for (let attempt = 0; attempt < 6; attempt++) await tryLogin(app, { ...ANNA, password: 'wrong' })
    for (const address of [
      ...['nobody@example.org', 'off@example.org', 'ci@example.org', 'no address', '@', 'a@b'],
      ...[
        'anna.lınd@example.org',
        'ANNA.LİND@EXAMPLE.ORG',
        ` ${email}`,
        `${email} `,
        `"A" <${email}>`,
        `${email},x@evil.example`,
      ],
      ...[`${email}\r\nBcc: x@evil.example`, `x@evil.example\r\n${email}`, email.slice(1), `%${email}`, '%'],
    ]) {
      assert.deepEqual((await forgot(app, address)).json, BODY)
    }
    assert.deepEqual(await sentMails(app), [])
    // A locked account is that of the one who guesses, and of its owner.
    assert.deepEqual((await forgot(app, email.toUpperCase())).json, BODY)
    assert.deepEqual(valuesOf(await sentMails(app), 'to'), [email])
  })

  resetTest('sends to the stored address, not to the one of the request', async (app) => {
    await changeUser(app, { email: 'Mike@Example.org' })
    for (const similar of ['mıke@example.org', 'mİke@example.org', 'MİKE@EXAMPLE.ORG', 'mi\u212ae@example.org'])
      await forgot(app, similar)
    assert.deepEqual(await sentMails(app), [])
    await forgot(app, 'MIKE@eXample.ORG')
    await forgot(app, 'miKe@example.org')
    assert.deepEqual(valuesOf(await sentMails(app), 'to'), ['Mike@Example.org'])
  })

  resetTest('finds the exact address of two that differ in the case only, and else neither', async (app) => {
    await changeUser(app, { email: 'mike@example.org' })
    await changeUser(app, { email: 'Mike@example.org' }, 4)
    await forgot(app, 'MIKE@example.org')
    assert.deepEqual(await sentMails(app), [])
    await forgot(app, 'Mike@example.org')
    assert.deepEqual(valuesOf(await sentMails(app), 'to'), ['Mike@example.org'])
  })

  resetTest('sends three mails to an account in half an hour', async (app) => {
    const email = await emailOf(app)
    for (let number = 0; number < 6; number++) {
      await forgot(app, email)
      await waitingMails(app)
    }
    assert.equal((await waitingMails(app)).length, 3)
    app.advance(30 * 60_000)
    await forgot(app, email)
    assert.equal((await waitingMails(app)).length, 4)
  })

  resetTest(
    'counts as a login of its address',
    async (app) => {
      await forgot(app, 'a@example.org')
      await forgot(app, 'b@example.org')
      const body = { email: 'c@example.org' }
      await play(app, { request: 'POST /api/v1/auth/password/forgot', as: null, body, status: 429 })
      await play(app, {
        request: 'POST /api/v1/auth/password/reset',
        as: null,
        body: { token: 'x', new_password: 'y' },
        status: 429,
      })
    },
    { settings: { rate_limits: { auth: 2, default: 0 } } },
  )

  resetTest('tells the log once a minute how many requests were dropped, since too many waited', async (app) => {
    const { resets } = app.app.accountLinks
    for (let number = 0; number < 1003; number++) resets.request({ email: `a${number}@example.org` }, {})
    const told = () => app.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('were dropped'))
    assert.deepEqual(told(), [])
    app.advance(60_000)
    assert.deepEqual(valuesOf(told(), 'requests'), [3])
    await resets.flush()
  })

  resetTest('needs an address', async (app) => {
    for (const body of [{}, { email: 7 }, { email: ['a@b.c'] }, { email: 'a@b.c', to: 'd@e.f' }, []]) {
      await play(app, { request: 'POST /api/v1/auth/password/forgot', as: null, body, status: 400 })
    }
  })

  resetTest('is worked on without another request, and before the server stops', async (app) => {
    const email = await emailOf(app)
    const mails = async (of: TestApp) =>
      (await of.app.store.find('queuedjob', { filters: [], sort: [], offset: 0, limit: 10 })).total
    await forgot(app, email)
    assert.equal(await mails(app), 0)
    app.advance(500)
    for (let turn = 0; turn < 1000 && (await mails(app)) === 0; turn++) await new Promise((done) => setTimeout(done, 5))
    assert.equal(await mails(app), 1)
    await forgot(app, email)
    const again = await app.reopen()
    try {
      assert.equal(await mails(again), 2)
    } finally {
      await again.close()
    }
  })

  resetTest(
    'is refused where it is not turned on, with the remedy',
    async (app) => {
      const body = { email: 'a@example.org' }
      const { json } = await play(app, { request: 'POST /api/v1/auth/password/forgot', as: null, body, status: 404 })
      assert.match(json.details, /accounts: \{ password_reset: true \}/)
      const methods = { password: true, password_reset: false, providers: [] }
      await play(app, { request: 'GET /api/v1/auth/methods', as: null, status: 200, expect: methods })
    },
    { settings: { accounts: { password_reset: false } } },
  )

  resetTest('is among the ways to log in', (app) =>
    play(app, {
      request: 'GET /api/v1/auth/methods',
      as: null,
      status: 200,
      expect: { password: true, password_reset: true, providers: [] },
    }).then(() => {}),
  )
})

describe('links for administrators', () => {
  resetTest('are made by the shell only', async (app) => {
    for (const [as, status] of [
      ['admin', 403],
      ['anna.lind', 403],
      [null, 401],
    ] as const) {
      await play(app, { request: 'POST /api/v1/auth/password/link', as, body: { user_id: 3 }, status })
      await play(app, { request: 'POST /api/v1/auth/email/confirmed', as, body: { user_id: 3 }, status })
    }
    const { link } = await app.app.accountLinks.resets.link(3)
    assert.equal((await reset(app, tokenOf(link))).status, 200)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linkIn, MAIL_SETTINGS, tokenOf, waitingMails } from '../../helpers/account-mails.ts'
import { ADMIN_SEED, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, send } from '../../helpers/api/scenario.ts'
import { USER_MODEL } from '../../helpers/user-model.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { ANNA, appTest, ask, login, tryLogin } from '../../security/access.ts'

const WITH_MAIL = { settings: MAIL_SETTINGS }
const INVITE = 'POST /api/v1/auth/invitations'
const NEW = { username: 'new.writer', password: 'a-long-enough-password' }

const invite = async (app: TestApp, body: object = { email: 'new@example.org', groups: [1] }) =>
  (await play(app, { request: INVITE, body, status: 201 })).json.data

const accept = (app: TestApp, body: object): Promise<Reply> =>
  send(app, { request: 'POST /api/v1/auth/invitations/accept', as: null, body })

const assertRefused = async (app: TestApp, token: string) => {
  const { status, json } = await accept(app, { ...NEW, token })
  assert.deepEqual([status, Object.keys(json.detail.error)], [400, ['token']])
}

describe('an invitation', () => {
  appTest(
    'has its link in the answer and in a mail, and makes an account with groups and a verified address',
    async (app) => {
      const { link, mailed, ...shown } = await invite(app)
      assert.deepEqual(
        [shown, mailed],
        [
          {
            id: 1,
            email: 'new@example.org',
            groups: [1],
            invited_by: { id: 1, username: 'admin' },
            created_at: '2026-01-15T12:00:00.000Z',
            expires_at: '2026-01-22T12:00:00.000Z',
          },
          true,
        ],
      )
      assert.match(link, /^http:\/\/127\.0\.0\.1:8000\/admin\/accept-invitation#token=[\w-]{43}$/)
      const [mail] = await waitingMails(app)
      assert.deepEqual([mail?.to, linkIn(String(mail?.text))], ['new@example.org', link])
      const { json } = await play(app, { request: 'GET /api/v1/auth/invitations', status: 200 })
      assert.deepEqual(json, { data: [shown], total: 1 })
      const made = await accept(app, { ...NEW, token: tokenOf(link) })
      assert.deepEqual([made.status, made.json], [201, { message: 'Account created successfully; log in with it' }])
      const { access_token } = await login(app, NEW)
      const me = await ask(app, access_token, 'GET /api/v1/auth/me')
      const { email, groups, is_superuser } = me.json.data
      assert.deepEqual([email, groups, is_superuser, me.json.email_verified], ['new@example.org', [{ id: 1 }], false, true])
      await assertRefused(app, tokenOf(link))
      await play(app, { request: 'GET /api/v1/auth/invitations', status: 200, expect: { data: [], total: 0 } })
      const log = await play(app, { request: 'GET /api/v1/auth/log?all=true', status: 200 })
      assert.deepEqual(valuesOf(log.json.data, 'event'), ['login', 'invitation_accepted', 'invited'])
    },
    WITH_MAIL,
  )

  appTest('needs no mail', async (app) => {
    const { link, mailed } = await invite(app, { email: 'new@example.org' })
    assert.equal(mailed, false)
    assert.equal((await accept(app, { ...NEW, token: tokenOf(link) })).status, 201)
  })

  appTest('is accepted by one of 32 at once', async (app) => {
    const token = tokenOf((await invite(app)).link)
    const bodies = Array.from({ length: 32 }, (_, number) => ({ ...NEW, username: `new.writer-${number}`, token }))
    const replies = await Promise.all(bodies.map((body) => accept(app, body)))
    assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    for (const { status, json } of replies)
      if (status !== 201) assert.deepEqual([status, Object.keys(json.detail.error)], [400, ['token']])
    const { json } = await play(app, { request: 'GET /api/v1/models/user?filters=email=new@example.org', status: 200 })
    assert.equal(json.total, 1)
  })

  appTest('is not spent by a name or password that is refused', async (app) => {
    const token = tokenOf((await invite(app)).link)
    for (const [body, field] of [
      [{ ...NEW, username: ANNA.username }, 'username'],
      [{ ...NEW, username: 'a b' }, 'username'],
      [{ ...NEW, password: 'short' }, 'password'],
    ] as const) {
      const { status, json } = await accept(app, { ...body, token })
      assert.deepEqual([status, Object.keys(json.detail.error)], [400, [field]])
    }
    for (const further of [{ is_superuser: true }, { groups: [2] }, { email: 'other@example.org' }]) {
      assert.equal((await accept(app, { ...NEW, ...further, token })).status, 400)
    }
    assert.equal((await accept(app, { ...NEW, token })).status, 201)
  })

  appTest('is good for 7 days, until it is withdrawn or replaced, and while who invites may', async (app) => {
    const first = tokenOf((await invite(app)).link)
    const second = await invite(app, { email: 'New@Example.org' })
    await assertRefused(app, first)
    const removed = await play(app, { request: `DELETE /api/v1/auth/invitations/${second.id}`, status: 200 })
    assert.equal(removed.json.data.email, 'New@Example.org')
    await play(app, { request: `DELETE /api/v1/auth/invitations/${second.id}`, status: 404 })
    await assertRefused(app, tokenOf(second.link))
    const third = tokenOf((await invite(app)).link)
    app.advance(7 * 86_400_000)
    await assertRefused(app, third)
    const data = { username: 'boss', password: 'a-password-of-the-boss', email: 'boss@example.org', is_superuser: true }
    const { json } = await play(app, { request: 'POST /api/v1/models/user', body: { data }, status: 201 })
    const boss = await login(app, { username: data.username, password: data.password })
    const invited = await ask(app, boss.access_token, INVITE, { email: 'new@example.org' })
    await play(app, { request: `PUT /api/v1/models/user/${json.data.id}`, body: { data: { is_superuser: false } }, status: 200 })
    await assertRefused(app, tokenOf(invited.json.data.link))
  })

  appTest('of an address with an account is refused, whatever the case of its letters', async (app) => {
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { email: 'Anna@example.org' } }, status: 200 })
    const { json } = await play(app, { request: INVITE, body: { email: 'anna@Example.org' }, status: 400 })
    assert.match(json.detail.error.email[0], /has an account already/)
    const token = tokenOf((await invite(app)).link)
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { email: 'New@example.org' } }, status: 200 })
    await assertRefused(app, token)
  })

  appTest('is refused with what is wrong', async (app) => {
    for (const [body, field] of [
      [{}, 'email'],
      [{ email: 'x' }, 'email'],
      [{ email: 'mıke@example.org' }, 'email'],
      [{ email: 'a@b.c\r\nBcc: d@e.f' }, 'email'],
      [{ email: 'a@example.org', groups: 1 }, 'groups'],
      [{ email: 'a@example.org', groups: ['1'] }, 'groups'],
      [{ email: 'a@example.org', groups: [999] }, 'groups'],
      [{ email: 'a@example.org', is_superuser: true }, 'is_superuser'],
    ] as const) {
      const { json } = await play(app, { request: INVITE, body, status: 400 })
      assert.deepEqual(Object.keys(json.detail.error), [field])
    }
    for (const [as, status] of [
      ['anna.lind', 403],
      [null, 401],
    ] as const) {
      await play(app, { request: INVITE, as, body: { email: 'a@example.org' }, status })
      await play(app, { request: 'GET /api/v1/auth/invitations', as, status })
      await play(app, { request: 'DELETE /api/v1/auth/invitations/1', as, status })
    }
  })

  appTest(
    'is refused where the address of the server is not known, with the remedy',
    async (app) => {
      const headers = { host: 'evil.example' }
      const { json } = await play(app, { request: INVITE, headers, body: { email: 'a@example.org' }, status: 404 })
      assert.match(json.details, /public_url: https:.*ADMIN_PUBLIC_URL/)
      assert.equal((await tryLogin(app, ANNA)).status, 200)
    },
    { settings: { host: '0.0.0.0' } },
  )

  test('is refused where users must have further fields', async () => {
    const model = `${USER_MODEL}  - { name: badge, type: string, required: true }\n`
    const seed = ADMIN_SEED['seed/user.yaml'].replace('}', ', badge: A1 }')
    await using app = await openTestApp({ files: { 'models/user.yaml': model, 'seed/user.yaml': seed } })
    const { json } = await play(app, { request: INVITE, body: { email: 'a@example.org' }, status: 400 })
    assert.match(JSON.stringify(json), /must have 'badge'/)
  })
})

import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { AppError } from '../../../src/errors.ts'
import { MAIL_SETTINGS, waitingMails } from '../../helpers/account-mails.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import { linkIdentity, type OidcApp, OidcBrowser, ORIGIN, openOidcApp, verifyAddress } from '../../helpers/oidc/browser.ts'
import { codeOf, setUpFactor } from '../../helpers/totp.ts'
import { ANNA as ANNA_LOGIN, ask, login } from '../access.ts'
import { SAME_ORIGIN } from '../cookies.ts'

const ANNA_EMAIL = 'anna.lindqvist@example.org'
const ANNA = { sub: 'anna-at-double', email: ANNA_EMAIL, email_verified: true }
const NEWCOMER = {
  sub: 'mike-at-double',
  email: 'mike.young@example.org',
  email_verified: true,
  given_name: 'Mike',
  family_name: 'Young',
}
const NEWCOMER_ACCOUNT = { email: NEWCOMER.email, first_name: 'Mike', last_name: 'Young' }
const ACCOUNT = `${ORIGIN}/admin/account`

async function identitiesOf({ app }: TestApp): Promise<readonly [unknown, unknown][]> {
  const { records } = await app.store.find('authidentity', { filters: [], sort: [], offset: 0, limit: 100 })
  return records.map(({ user_id, subject }): [unknown, unknown] => [user_id, subject])
}

async function userNamed({ app }: TestApp, username: string) {
  const filters = [{ field: 'username', operator: 'eq', value: username } as const]
  return (await app.store.find('user', { filters, sort: [], offset: 0, limit: 1 })).records[0]
}

const countOf = async ({ app }: TestApp, table: string): Promise<number> =>
  (await app.store.find(table, { filters: [], sort: [], offset: 0, limit: 0 })).total

const countUsers = (app: TestApp): Promise<number> => countOf(app, 'user')

/** Logs in, which is refused without a change. */
async function assertRefused(linked: OidcApp, claims: Readonly<Record<string, unknown>>): Promise<void> {
  const before = [await identitiesOf(linked.app), await countUsers(linked.app)]
  const reply = await new OidcBrowser(linked.app).logIn(linked.double, claims)
  assert.deepEqual([reply.status, reply.json.error], [403, 'Identity is not linked'])
  assert.equal(
    reply.json.details,
    'No account is linked with this identity of Double; log in and link it, or ask an administrator for an account',
  )
  assert.deepEqual([await identitiesOf(linked.app), await countUsers(linked.app)], before)
}

describe('an identity with the address of an account', () => {
  test('is linked if both sides have verified the address, and its user is told', async () => {
    await using linked = await openOidcApp({ link: 'verified_email' }, { settings: MAIL_SETTINGS })
    await verifyAddress(linked.app, 'anna.lind')
    const reply = await new OidcBrowser(linked.app).logIn(linked.double, { ...ANNA, email: 'Anna.Lindqvist@Example.org' })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(await identitiesOf(linked.app), [[3, ANNA.sub]])
    const [mail, ...others] = await waitingMails(linked.app)
    assert.deepEqual([mail?.to, others], [ANNA_EMAIL, []])
    assert.match(mail?.text ?? '', /anna\.lind .*Double/)
    // From then on the address does not matter.
    const other = { sub: ANNA.sub, email: 'another@example.com', email_verified: false }
    assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, other)).status, 200)
  })

  const NEVER: readonly (readonly [
    string,
    {
      readonly claims?: object
      readonly verified?: boolean
      readonly link?: 'explicit'
      readonly domains?: readonly string[]
      given?: (linked: OidcApp) => Promise<unknown>
    },
  ])[] = [
    ['that is not verified here: sign-up first', { verified: false }],
    ['that is not verified there', { claims: { email_verified: false } }],
    ['of which the provider does not say that it is verified', { claims: { email_verified: undefined } }],
    ['that is "true" as a text', { claims: { email_verified: 'true' } }],
    ['where the settings do not say so', { link: 'explicit' }],
    ['of a domain that the settings do not have', { domains: ['example.com'] }],
    ['with a letter of another alphabet', { claims: { email: 'anna.lındqvist@example.org' } }],
    [
      'of an account with another identity there: other subject',
      { given: (linked) => linkIdentity(linked, 'anna.lind', { sub: 'anna-before' }) },
    ],
    [
      'of an account that verified a former address',
      {
        given: async ({ app }) => {
          await app.app.records.updateInternal('user', 3, { email: 'anna.new@example.org' })
          await app.app.records.updateInternal('user', 4, { email: ANNA_EMAIL })
        },
      },
    ],
    ['of a superuser', { given: ({ app }) => app.app.records.updateInternal('user', 3, { is_superuser: true }) }],
  ]
  for (const [name, { claims, verified = true, link = 'verified_email', domains, given }] of NEVER) {
    test(`is never linked with one ${name}`, async () => {
      await using linked = await openOidcApp({ link, create: true, domains: domains ?? ['example.org'] })
      if (verified) await verifyAddress(linked.app, 'anna.lind')
      await given?.(linked)
      await assertRefused(linked, { ...ANNA, ...claims })
    })
  }

  test('is linked with one of two identities of its issuer that log in at once', async () => {
    await using linked = await openOidcApp({ link: 'verified_email' })
    await verifyAddress(linked.app, 'anna.lind')
    const { identities, records, settings } = linked.app.app
    const user = await userNamed(linked.app, 'anna.lind')
    const [provider] = settings.accounts.providers ?? []
    assert.ok(user !== undefined && provider !== undefined)
    const commit = records.commitInternal.bind(records)
    let commits = 0
    let goOn = () => {}
    const bothDecided = new Promise<void>((resolve) => {
      goOn = resolve
    })
    mock.method(records, 'commitInternal', async (...args: Parameters<typeof commit>) => {
      if (++commits === 2) goOn()
      await bothDecided
      return commit(...args)
    })
    const known = { issuer: linked.double.issuer, email: ANNA_EMAIL, isVerified: true, groups: [] }
    const outcomes = await Promise.allSettled(
      ['one', 'two'].map((subject) => identities.linkByAddress(user, provider, { ...known, subject }, {})),
    )
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    assert.deepEqual(refusals, ['IDENTITY_NOT_LINKED'])
    assert.equal((await identitiesOf(linked.app)).length, 1)
  })

  for (const [name, change] of [
    ['is a superuser by then', { is_superuser: true }],
    ['has another address by then', { email: 'anna.new@example.org' }],
  ] as const) {
    test(`is not linked, and begins no session, if the user ${name}`, async () => {
      await using linked = await openOidcApp({ link: 'verified_email' })
      await verifyAddress(linked.app, 'anna.lind')
      const { accountLinks, records } = linked.app.app
      const { verified } = accountLinks
      const requiring = verified.requiring.bind(verified)
      let calls = 0
      mock.method(verified, 'requiring', async (user: Parameters<typeof requiring>[0]) => {
        const conditions = await requiring(user)
        // The first call admits the user, the second one is that of the link.
        if (++calls === 2) await records.updateInternal('user', user.id, change)
        return conditions
      })
      await assertRefused(linked, ANNA)
      assert.ok(calls >= 2)
      assert.equal(await countOf(linked.app, 'authsession'), 0)
    })
  }

  test('is linked once its user has shown the second factor, and not before', async () => {
    await using linked = await openOidcApp({ link: 'verified_email' })
    await verifyAddress(linked.app, 'anna.lind')
    const { secret } = await setUpFactor(linked.app, ANNA_LOGIN)
    const browser = new OidcBrowser(linked.app)
    const asked = await browser.logIn(linked.double, ANNA)
    assert.deepEqual([asked.status, asked.json.second_factor], [401, { methods: ['totp', 'recovery'] }])
    const wrong = await browser.finish({ otp: '000000' })
    assert.equal(wrong.status, 401)
    assert.notEqual(wrong.json.second_factor, undefined)
    assert.deepEqual(await identitiesOf(linked.app), [])
    assert.equal((await browser.finish({ otp: codeOf(linked.app, secret) })).status, 200)
    assert.deepEqual(await identitiesOf(linked.app), [[3, ANNA.sub]])
  })
})

describe('an identity without an account', () => {
  test('gets one where the settings say so: without a password, and without rights', async () => {
    await using linked = await openOidcApp({ create: true, domains: ['example.org'] })
    const reply = await new OidcBrowser(linked.app).logIn(linked.double, { ...NEWCOMER, is_superuser: true, groups: ['Editors'] })
    assert.equal(reply.status, 200, reply.text)
    const user = await userNamed(linked.app, 'mike.young')
    const { email, first_name, last_name } = NEWCOMER_ACCOUNT
    assert.deepEqual([user?.email, user?.first_name, user?.last_name], [email, first_name, last_name])
    const rights = [user?.is_superuser, user?.is_active, user?.password ?? null, user?.groups ?? [], user?.permissions ?? []]
    assert.deepEqual(rights, [false, true, null, [], []])
    assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, { sub: NEWCOMER.sub })).status, 200)
    const other = await new OidcBrowser(linked.app).logIn(linked.double, {
      ...NEWCOMER,
      sub: 'b',
      email: 'mike.young@example.org',
    })
    assert.equal(other.status, 403)
    assert.equal(
      (
        await new OidcBrowser(linked.app).logIn(linked.double, {
          ...NEWCOMER,
          sub: 'c',
          email: 'b@example.org',
          preferred_username: 'mike.young',
        })
      ).status,
      200,
    )
    assert.notEqual(await userNamed(linked.app, 'mike.young-2'), undefined)
  })

  for (const [name, claims, create = true] of [
    ['where the settings do not say so', {}, false],
    ['with an address of another domain', { email: 'mike.young@example.com' }],
    ['with an address of a domain below', { email: 'mike.young@a.example.org' }],
    ['with two addresses in one', { email: 'mike@evil.example@example.org' }],
    ['with an address that is not verified', { email_verified: false }],
    ['with an address that is "true" as a text', { email_verified: 'true' }],
    ['without an address', { email: undefined }],
    ['with the address of an account, in other letters', { email: 'ANNA.LINDQVIST@example.org' }],
    ['with what is no address', { email: 'mike young@example.org' }],
  ] as const) {
    test(`gets none ${name}`, async () => {
      await using linked = await openOidcApp({ create, domains: ['example.org'] })
      await assertRefused(linked, { ...NEWCOMER, ...claims })
    })
  }

  test('gets one at once with another: one account', async () => {
    await using linked = await openOidcApp({ create: true, domains: ['example.org'] })
    const browsers = Array.from({ length: 4 }, () => new OidcBrowser(linked.app))
    for (const browser of browsers) await browser.visit(linked.double, NEWCOMER)
    const before = await countUsers(linked.app)
    const replies = await Promise.all(browsers.map((browser) => browser.finish()))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    assert.equal(await countUsers(linked.app), before + 1)
    assert.equal((await identitiesOf(linked.app)).length, 1)
  })
})

test('an account is created with its identity, or not at all', async () => {
  await using linked = await openOidcApp({ create: true, domains: ['example.org'] })
  const { store } = linked.app.app
  const transact = store.transact.bind(store)
  const broken = mock.method(store, 'transact', async (...args: Parameters<typeof transact>) => {
    if (args[0].some(({ kind, table }) => kind === 'insert' && table === 'authidentity')) throw new Error('The disk is full')
    return transact(...args)
  })
  const before = await countUsers(linked.app)
  assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, NEWCOMER)).status, 500)
  assert.equal(await countUsers(linked.app), before)
  linked.app.reported.length = 0
  broken.mock.restore()
  assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, NEWCOMER)).status, 200)
})

describe('groups of a claim', () => {
  const groups = { claim: 'teams', map: { eng: 'Editors', mod: 'Moderators', root: 'Authors' } }

  test('follow it at each login, and others stay', async () => {
    await using linked = await openOidcApp({ groups })
    await linkIdentity(linked, 'pia.nakamura', { sub: 'pia' })
    const groupsNow = async () => {
      const user = await userNamed(linked.app, 'pia.nakamura')
      return [...((user?.groups ?? []) as number[])].sort()
    }
    const rows: readonly (readonly [unknown, readonly number[]])[] = [
      [
        ['eng', 'all', 'mod'],
        [1, 3, 4],
      ],
      [['mod'], [3, 4]],
      ['eng', [1, 4]],
      [undefined, [4]],
      [['Editors', 'constructor', '__proto__', 7, null], [4]],
    ]
    for (const [teams, expected] of rows) {
      assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, { sub: 'pia', teams })).status, 200)
      assert.deepEqual(await groupsNow(), expected, JSON.stringify(teams))
    }
  })

  test('do not follow it before the second factor, nor for a disabled account', async () => {
    await using linked = await openOidcApp({ groups })
    await linkIdentity(linked, 'pia.nakamura', { sub: 'pia' })
    await linked.app.app.records.updateInternal('user', 7, { is_active: false })
    assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, { sub: 'pia', teams: ['eng'] })).status, 401)
    assert.deepEqual((await userNamed(linked.app, 'pia.nakamura'))?.groups, [4])
  })

  test('leave alone what another write takes away meanwhile', async () => {
    await using linked = await openOidcApp({ groups })
    await linkIdentity(linked, 'pia.nakamura', { sub: 'pia' })
    const { records } = linked.app.app
    const update = records.update.bind(records)
    let isFirst = true
    mock.method(records, 'update', async (...args: Parameters<typeof update>) => {
      if (args[1] === 'user' && isFirst) {
        isFirst = false
        await update(SYSTEM, 'user', 7, { data: { groups: [] } })
      }
      return update(...args)
    })
    assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, { sub: 'pia', teams: ['eng'] })).status, 200)
    assert.equal(isFirst, false)
    assert.deepEqual((await userNamed(linked.app, 'pia.nakamura'))?.groups, [1])
  })

  test('begin no session where they cannot follow', async () => {
    await using linked = await openOidcApp({ groups })
    await linkIdentity(linked, 'pia.nakamura', { sub: 'pia' })
    const { records } = linked.app.app
    const before = await userNamed(linked.app, 'pia.nakamura')
    const update = records.update.bind(records)
    mock.method(records, 'update', async (...args: Parameters<typeof update>) => {
      if (args[1] === 'user') throw new AppError('PRECONDITION_FAILED', 'overtaken')
      return update(...args)
    })
    const reply = await new OidcBrowser(linked.app).logIn(linked.double, { sub: 'pia', teams: ['eng'] })
    assert.deepEqual([reply.status, reply.json.details], [409, 'The account keeps changing under other writes; try again'])
    assert.equal(await countOf(linked.app, 'authsession'), 0)
    assert.deepEqual(await userNamed(linked.app, 'pia.nakamura'), before)
  })

  test('make no superuser, and no group', async () => {
    await using linked = await openOidcApp({ groups: { claim: 'is_superuser', map: { true: 'Superusers', yes: 'Editors' } } })
    await linkIdentity(linked, 'pia.nakamura', { sub: 'pia' })
    await new OidcBrowser(linked.app).logIn(linked.double, { sub: 'pia', is_superuser: true })
    await new OidcBrowser(linked.app).logIn(linked.double, { sub: 'pia', is_superuser: ['true', 'yes'] })
    const user = await userNamed(linked.app, 'pia.nakamura')
    assert.deepEqual([user?.is_superuser, [...((user?.groups ?? []) as number[])].sort()], [false, [1, 4]])
  })
})

describe('linking in a session', () => {
  const LINK = 'POST /api/v1/auth/identities/double'

  /** Logs anna in, and lets her link an identity up to the provider. */
  async function beginLink(linked: OidcApp, browser: OidcBrowser): Promise<{ token: string; url: string }> {
    const reply = await browser.send('POST /api/v1/auth/token', SAME_ORIGIN, { ...ANNA_LOGIN, refresh: 'cookie' })
    const token = reply.json.access_token
    const begun = await browser.send(LINK, { ...SAME_ORIGIN, authorization: `Bearer ${token}` }, {})
    assert.equal(begun.status, 200, begun.text)
    assert.ok(begun.json.url.startsWith(linked.double.issuer))
    return { token, url: begun.json.url }
  }

  const listed = async (app: TestApp, token: string): Promise<Reply> => ask(app, token, 'GET /api/v1/auth/identities')

  test('links, lists and removes an identity, which the log tells', async () => {
    await using linked = await openOidcApp()
    const browser = new OidcBrowser(linked.app)
    const { token, url } = await beginLink(linked, browser)
    assert.equal(
      await browser.comeBack(linked.double.authorize(url, { ...ANNA, email_verified: false })),
      `${ACCOUNT}#identity-linked`,
    )
    assert.deepEqual((await listed(linked.app, token)).json, {
      data: [
        {
          id: 1,
          provider: 'double',
          title: 'Double',
          subject: ANNA.sub,
          email: ANNA_EMAIL,
          created_at: '2026-01-15T12:00:00.000Z',
        },
      ],
      total: 1,
    })
    assert.equal((await new OidcBrowser(linked.app).logIn(linked.double, ANNA)).status, 200)
    const removed = await ask(linked.app, token, 'DELETE /api/v1/auth/identities/1')
    assert.deepEqual([removed.status, removed.json.data?.subject], [200, ANNA.sub], removed.text)
    assert.equal((await ask(linked.app, token, 'DELETE /api/v1/auth/identities/1')).status, 404)
    await assertRefused(linked, ANNA)
    const { json } = await ask(linked.app, token, 'GET /api/v1/auth/log')
    const events = json.data.map(({ event, method }: Record<string, unknown>) => `${event} ${method}`)
    const { address, session, request_id: request } = json.data[2]
    assert.deepEqual([address, session, typeof request], ['127.0.0.1', 1, 'string'])
    assert.deepEqual(events, ['identity_unlinked double', 'login oidc', 'identity_linked double', 'login password'])
  })

  test('is of the browser and the session that began it', async () => {
    await using linked = await openOidcApp()
    const [browser, other] = [new OidcBrowser(linked.app), new OidcBrowser(linked.app)]
    const first = await beginLink(linked, browser)
    const back = linked.double.authorize(first.url, ANNA)
    assert.equal(await other.comeBack(back), `${ORIGIN}/admin/sign-in#oidc-error=expired`)
    await browser.send('POST /api/v1/auth/logout', SAME_ORIGIN, {})
    assert.equal(await browser.comeBack(back), `${ACCOUNT}#oidc-error=expired`)
    assert.deepEqual(await identitiesOf(linked.app), [])
  })

  test('does not take the identity of another account', async () => {
    await using linked = await openOidcApp()
    await linkIdentity(linked, 'tomasz', ANNA)
    const browser = new OidcBrowser(linked.app)
    const { url } = await beginLink(linked, browser)
    assert.equal(await browser.comeBack(linked.double.authorize(url, ANNA)), `${ACCOUNT}#oidc-error=taken`)
    assert.deepEqual(await identitiesOf(linked.app), [[6, ANNA.sub]])
  })

  test('needs a login within 10 minutes; so does removing', async () => {
    await using linked = await openOidcApp()
    await linkIdentity(linked, 'anna.lind', ANNA)
    const { access_token: token } = await login(linked.app)
    linked.app.advance(601_000)
    for (const request of [LINK, 'DELETE /api/v1/auth/identities/1'] as const) {
      const reply = await ask(linked.app, token, request, request === LINK ? {} : undefined)
      assert.deepEqual([reply.status, reply.json.error], [401, 'insufficient_user_authentication'], request)
    }
    assert.deepEqual(await identitiesOf(linked.app), [[3, ANNA.sub]])
  })

  test('concerns the own identities only', async () => {
    await using linked = await openOidcApp()
    await linkIdentity(linked, 'tomasz', ANNA)
    const { access_token: token } = await login(linked.app)
    assert.deepEqual((await listed(linked.app, token)).json, { data: [], total: 0 })
    assert.equal((await ask(linked.app, token, 'DELETE /api/v1/auth/identities/1')).status, 404)
    assert.equal((await send(linked.app, { request: 'GET /api/v1/auth/identities', as: null })).status, 401)
  })

  test('never removes the last way in, also at once', async () => {
    await using linked = await openOidcApp()
    await linkIdentity(linked, 'anna.lind', ANNA)
    await linkIdentity(linked, 'anna.lind', { sub: 'anna-again' })
    const { access_token: token } = await login(linked.app)
    const user = await userNamed(linked.app, 'anna.lind')
    await linked.app.app.records.updateInternal('user', 3, { password: null })
    const fresh = (await new OidcBrowser(linked.app).logIn(linked.double, ANNA)).json.access_token
    assert.ok(user !== undefined && token !== fresh)
    const { logins, identities } = linked.app.app
    const actor = await logins.actorOf(logins.claimsOf(fresh))
    const outcomes = await Promise.allSettled([1, 2].map((id) => identities.unlink(actor, id, {})))
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const [[, subject] = []] = await identitiesOf(linked.app)
    const last = subject === ANNA.sub ? 1 : 2
    const reply = await ask(linked.app, fresh, `DELETE /api/v1/auth/identities/${last}`)
    assert.deepEqual([reply.status, reply.json.error], [409, 'Last way in'])
    assert.match(reply.json.details, /link another one first, or ask an administrator to set a password$/)
    assert.equal((await identitiesOf(linked.app)).length, 1)
  })

  test('says so where a removal is overtaken again and again', async () => {
    await using linked = await openOidcApp()
    await linkIdentity(linked, 'anna.lind', ANNA)
    const { access_token: token } = await login(linked.app)
    mock.method(linked.app.app.records, 'commitInternal', async () => ({ ok: false, violations: [] }))
    const reply = await ask(linked.app, token, 'DELETE /api/v1/auth/identities/1')
    assert.deepEqual([reply.status, reply.json.details], [409, 'The identity keeps changing under other writes; try again'])
  })

  test('is no matter of a provider that is out of order', async () => {
    await using linked = await openOidcApp(
      {},
      { twist: { metadata: (metadata) => ({ ...metadata, issuer: 'https://evil.example' }) } },
    )
    const { access_token: token } = await login(linked.app)
    const reply = await ask(linked.app, token, LINK, {})
    assert.deepEqual([reply.status, reply.json.error], [503, 'Provider is unavailable'])
    assert.equal((await ask(linked.app, token, 'POST /api/v1/auth/identities/google', {})).status, 404)
  })
})

describe('identities', () => {
  test('are found in no export, list, search, site, history or event', async () => {
    await using linked = await openOidcApp({}, { settings: { history: { days: 1 } } })
    await linkIdentity(linked, 'anna.lind', ANNA)
    for (const path of [
      '/models/authidentity',
      '/models/authidentity/1',
      '/models/authidentity/export',
      '/models/user/export?format=ndjson',
      '/search?q=double',
      '/history',
      '/openapi.json',
    ]) {
      const { text } = await send(linked.app, { request: `GET /api/v1${path}` })
      assert.doesNotMatch(text, /anna-at-double/, path)
    }
  })
})

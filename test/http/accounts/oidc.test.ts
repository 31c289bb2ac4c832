import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../../helpers/api/app.ts'
import { OidcBrowser, ORIGIN } from '../../helpers/oidc/browser.ts'
import { CLIENT, startRealProvider } from '../../helpers/oidc/real-provider.ts'
import { assertNoSecrets } from '../../helpers/secrets.ts'

test('users log in at a certified provider: a new account, its groups, and the same account again', async () => {
  let teams: readonly string[] = ['eng', 'all']
  const claims = { email: 'mike.young@example.org', email_verified: true, given_name: 'Mike', family_name: 'Young' }
  await using real = await startRealProvider([`${ORIGIN}/api/v1/auth/oidc/double/callback`], () => ({ ...claims, teams }))
  const provider = {
    ...{ name: 'double', title: 'Our own', issuer: real.issuer, client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret },
    ...{ create: true, domains: ['example.org'], groups: { claim: 'teams', map: { eng: 'Editors', ops: 'Moderators' } } },
  }
  await using app = await openTestApp({ settings: { accounts: { providers: [provider] } } })
  const logIn = async () => {
    const browser = new OidcBrowser(app)
    const back = await real.authorize(await browser.begin('/models/post'), 'mike')
    assert.equal(await browser.comeBack(back), `${ORIGIN}/admin/sign-in#oidc`)
    const reply = await browser.finish()
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.to, '/models/post')
    const me = await browser.send('GET /api/v1/auth/me', { authorization: `Bearer ${reply.json.access_token}` })
    assert.deepEqual([me.json.has_password, me.json.second_factor.active], [false, false])
    return me.json.data
  }
  const first = await logIn()
  assert.deepEqual(
    [first.username, first.email, first.groups.map(({ id }: { id: number }) => id)],
    ['mike.young', claims.email, [1]],
  )
  teams = ['ops']
  const second = await logIn()
  assert.deepEqual([second.id, second.groups.map(({ id }: { id: number }) => id)], [first.id, [3]])
  assertNoSecrets(app.logged, [CLIENT.clientSecret])
})

test('without providers nothing is loaded, and there are none', async () => {
  await using app = await openTestApp()
  const browser = new OidcBrowser(app)
  assert.equal((await browser.send('GET /api/v1/auth/oidc/google')).status, 404)
  assert.equal((await browser.finish()).status, 401)
  assert.deepEqual((await browser.send('GET /api/v1/auth/methods')).json.providers, [])
})

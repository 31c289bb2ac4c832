import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { logInByForm, newAccount, signOut } from '../../helpers/browser-accounts.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { copyFixture } from '../../helpers/fixture.ts'
import { CLIENT, startRealProvider } from '../../helpers/oidc/real-provider.ts'

const provider = await startRealProvider(['http://127.0.0.1/api/v1/auth/oidc/acme/callback'], (subject) => ({
  email: `${subject}@acme.example`,
  email_verified: true,
}))
after(() => provider[Symbol.asyncDispose]())

const copy = await copyFixture('blog')
after(() => copy.remove())
const acme = {
  name: 'acme',
  title: 'Acme',
  issuer: provider.issuer,
  client_id: CLIENT.clientId,
  client_secret: CLIENT.clientSecret,
}
await appendFile(join(copy.path, 'admin.config.yaml'), `accounts: ${JSON.stringify({ providers: [acme] })}\n`)

const inBrowser = browserSite({ project: copy.path })

const withProvider = (page: Page) => page.getByRole('link', { name: 'Sign in with Acme' })

const atAccount = (page: Page) => page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()

inBrowser(
  'a user links an identity, signs in with it, and unlinks it; then it signs nobody in',
  { as: null, at: '/account', allows: ['403 /auth/oidc/finish'] },
  async ({ page, server, variant, checkAccess }) => {
    const account = await newAccount(server, variant, 'linking')
    provider.user = account.username
    const section = page.getByRole('region', { name: 'Linked sign-ins' }).first()
    await withProvider(page).waitFor()
    await checkAccess()
    await logInByForm(page, account)
    await section.getByRole('button', { name: 'Link Acme' }).click()
    await section.getByText('Linked. You can now sign in with it.').waitFor()
    await assertBecomes(async () => new URL(page.url()).hash, '')
    const row = section.getByRole('row').filter({ hasText: `${account.username}@acme.example` })
    await row.waitFor()
    await checkAccess()

    await signOut(page, account)
    await withProvider(page).click()
    await atAccount(page)
    assert.equal(new URL(page.url()).pathname, '/admin/account')
    await row.getByRole('button', { name: 'Unlink' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('Unlinked', { exact: true }).waitFor()
    await section.getByRole('button', { name: 'Link Acme' }).waitFor()

    await signOut(page, account)
    await withProvider(page).click()
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
    await page.getByRole('alert').getByText(/link/).waitFor()
    await checkAccess()
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await page.getByLabel('Username').waitFor()
  },
)

inBrowser(
  'a login at a provider that was cancelled says so, and leads back',
  { as: null, at: '/' },
  async ({ page, path, checkAccess }) => {
    provider.user = undefined
    await withProvider(page).click()
    await page.getByText('The provider has not signed you in.').waitFor()
    assert.equal(new URL(page.url()).hash, '')
    await checkAccess()
    await page.goto(`${path}/sign-in#oidc-error=expired`)
    await page.getByText('This sign-in has expired').waitFor()
  },
)

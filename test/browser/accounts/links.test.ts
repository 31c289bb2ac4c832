import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { mailsIn } from '../../../src/mail/mail-folder.ts'
import { browserSite } from '../../helpers/browser.ts'
import { logInByForm, newAccount, newFactor, signOut } from '../../helpers/browser-accounts.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { codeAt, STEP } from '../../helpers/totp.ts'

const inBrowser = browserSite({
  keepsData: true,
  env: { ADMIN_MAIL__FROM: 'Harbour <no-reply@example.com>', ADMIN_ACCOUNTS__PASSWORD_RESET: 'true' },
})

/** The link of the last mail to an address, which the server writes into a folder of its project. Fails after a minute. */
async function linkTo(project: string, address: string, name: string): Promise<string> {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const mails = await mailsIn(join(project, 'data/mail'))
    for (const { to, content } of mails) {
      const [link] = to.includes(address) ? (new RegExp(`http\\S*/${name}#token=\\S+`).exec(content) ?? []) : []
      if (link !== undefined) return link
    }
    await setTimeout(50)
  }
  assert.fail(`No mail with a link to ${name} for ${address}`)
}

/** Opens a link of a mail: the token does not stay in the address. */
async function follow(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await assertBecomes(async () => new URL(page.url()).hash, '')
}

inBrowser(
  'a user who forgot the password sets another one by a link and a code, and signs in; the link works once',
  { as: null, at: '/models/tag', allows: ['400 /auth/password/reset', '401 /auth/password/reset', '401 /auth/token'] },
  async ({ page, server, variant, folder, checkAccess }) => {
    const account = await newAccount(server, variant, 'forgetful')
    const { secret, codes } = await newFactor(server, account)
    await page.getByRole('button', { name: 'Forgot your password?' }).click()
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('Enter your email address.').waitFor()
    await checkAccess()
    await page.getByLabel('Email address').fill(account.email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText(`If ${account.email} belongs to an account`).waitFor()
    const link = await linkTo(folder, account.email, 'reset-password')

    await follow(page, link)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText(/^New password must/).waitFor()
    await assertBecomes(() => page.locator(':focus').getAttribute('name'), 'password')
    await checkAccess()
    await page.getByLabel('New password').fill('the-second-password')
    await page.getByRole('button', { name: 'Set password' }).click()
    await assertBecomes(() => page.locator(':focus').getAttribute('name'), 'otp')
    await checkAccess()
    await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, Date.now() + STEP))
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Your password is changed.').waitFor()
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await logInByForm(page, { ...account, password: 'the-second-password' })
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: `${account.username}: Your account` }).waitFor()

    await follow(page, link)
    await page.getByLabel('New password').fill('the-third-password')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('This link was used, has expired, or a later change replaced it.').waitFor()
    await checkAccess()
    await page.getByRole('button', { name: 'Ask for a new link' }).click()
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
    await assertBecomes(() => page.locator(':focus').getAttribute('name'), 'email')
    await assert.rejects(apiOf(server, { ...account, password: 'the-third-password' }), { type: 'authentication' })
  },
)

inBrowser(
  'a superuser invites somebody, who follows the link and has an account with the groups of the invitation',
  { at: '/models/user', allows: ['400 /auth/invitations'] },
  async ({ page, context, server, variant, folder, checkAccess }) => {
    const email = `invited-${variant.scheme}-${variant.width}@example.org`
    await page.getByRole('button', { name: 'Invite user' }).click()
    const form = page.getByRole('dialog', { name: 'Invite user' })
    await form.getByLabel('Email address').fill('nobody')
    await form.getByRole('button', { name: 'Invite', exact: true }).click()
    await form.locator('input[aria-invalid]:focus').waitFor()
    await form.getByLabel('Email address').fill(email)
    await form.getByRole('checkbox', { name: 'Authors' }).check()
    await checkAccess()
    await form.getByRole('button', { name: 'Invite', exact: true }).click()
    const sent = page.getByRole('dialog', { name: 'Invitation', exact: true })
    await sent.getByText(`A mail with this link is on its way to ${email}.`).waitFor()
    const link = await sent.getByLabel('Link').inputValue()
    assert.equal(link, await linkTo(folder, email, 'accept-invitation'))
    await sent.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Invite user' }).click()
    await form.getByRole('row').filter({ hasText: email }).waitFor()
    await page.keyboard.press('Escape')
    await signOut(page, { username: 'admin', password: '' })

    const guest = await context.newPage()
    await follow(guest, link)
    await guest.getByLabel('Username').fill('admin')
    await guest.getByLabel('Password', { exact: true }).fill('a-new-password-1')
    await guest.getByRole('button', { name: 'Create account' }).click()
    await guest.locator('input[name=username][aria-invalid]:focus').waitFor()
    const username = `guest-${variant.scheme}-${variant.width}`
    await guest.getByLabel('Username').fill(username)
    await guest.getByRole('button', { name: 'Create account' }).click()
    await guest.getByText('Your account is ready.').waitFor()
    await guest.getByRole('link', { name: 'Go to sign-in' }).click()
    await logInByForm(guest, { username, password: 'a-new-password-1' })
    await guest.getByRole('button', { name: `${username}: Your account` }).waitFor()
    const me = await (await apiOf(server, { username, password: 'a-new-password-1' })).site()
    assert.deepEqual(
      me.user.groups.map(({ name }) => name),
      ['Authors'],
    )
    await follow(guest, link)
    await guest.getByLabel('Username').fill(`${username}-2`)
    await guest.getByLabel('Password', { exact: true }).fill('a-new-password-1')
    await guest.getByRole('button', { name: 'Create account' }).click()
    await guest.getByText('Ask your administrator for a new invitation.').waitFor()
    await guest.close()
  },
)

inBrowser(
  'a user changes the mail address, which counts when its link was followed by the same user',
  { as: null, at: '/account' },
  async ({ page, server, variant, folder, checkAccess }) => {
    const account = await newAccount(server, variant, 'moving')
    await logInByForm(page, account)
    const section = page.getByRole('region', { name: 'Email address' })
    await section.getByText('not confirmed').waitFor()
    await section.getByRole('button', { name: 'Change address' }).click()
    const email = `moved-${variant.scheme}-${variant.width}@example.org`
    await section.locator('input:focus').waitFor({ timeout: 5000 })
    await section.getByLabel('New email address').fill(email)
    await section.getByRole('button', { name: 'Send link' }).click()
    await section.getByText(`A link is on its way to ${email}.`).waitFor()
    await section.locator('button:focus').waitFor({ timeout: 5000 })
    await section.getByText(account.email).waitFor()
    await checkAccess()
    const link = await linkTo(folder, email, 'verify-email')
    await signOut(page, account)

    await follow(page, link)
    await logInByForm(page, account)
    await page.getByRole('heading', { name: 'Confirm your email address' }).waitFor()
    await checkAccess()
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByText('Your email address is confirmed.').waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByRole('button', { name: `${account.username}: Your account` }).click()
    await page.getByRole('menuitem', { name: 'Your account' }).click()
    await section.getByText(email).waitFor()
    await section.getByText('confirmed', { exact: true }).waitFor()
  },
)

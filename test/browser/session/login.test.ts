import assert from 'node:assert/strict'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'

const inBrowser = browserSite()

inBrowser(
  'a visitor logs in and sees the menu; the address stays',
  { as: null, at: '/account' },
  async ({ page, checkAccess }) => {
    await page.getByLabel('Username').fill(ACCOUNTS.superuser.username)
    await checkAccess()
    await page.getByLabel('Password').fill(ACCOUNTS.superuser.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('banner').getByRole('button', { name: 'admin: Your account' }).waitFor()
    assert.match(page.url(), /\/admin\/account$/)
  },
)

inBrowser('a wrong password is refused in place', { as: null, allows: ['401 /auth/token'] }, async ({ page }) => {
  // Failed logins lock an account for a while, so this is none that another test uses.
  await page.getByLabel('Username').fill('tomasz')
  await page.getByLabel('Password').fill('wrong-password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('The username or the password is wrong').waitFor()
  // Only failures of the server have more in its log.
  assert.doesNotMatch(await page.getByRole('alert').innerText(), /Request/)
  assert.equal(await page.getByLabel('Username').inputValue(), 'tomasz')
})

inBrowser('a session survives a reload, and logging out ends it', {}, async ({ page }) => {
  await page.getByRole('button', { name: 'admin: Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Username').waitFor()
  await page.reload()
  await page.getByLabel('Username').waitFor()
})

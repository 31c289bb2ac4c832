import assert from 'node:assert/strict'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'a visitor logs in and sees the menu; the address stays',
  { as: null, at: '/account' },
  async ({ page, checkAccess }) => {
    await page.getByLabel('Username').fill(ACCOUNTS.superuser.username)
    await checkAccess()
    await page.getByLabel('Password', { exact: true }).fill(ACCOUNTS.superuser.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('banner').getByRole('button', { name: 'admin: Your account' }).waitFor()
    assert.match(page.url(), /\/admin\/account$/)
  },
)

inBrowser(
  'the login shows title and colour of the project, and the password that is typed',
  { as: null },
  async ({ page, variant }) => {
    await page.getByRole('heading', { level: 1, name: 'Sign in to The Harbour Journal' }).waitFor()
    await assertBecomes(() => page.title(), 'Sign in · The Harbour Journal')
    const card = await page.locator('.login-card').boundingBox()
    assert.ok(card !== null && Math.abs(card.x + card.width / 2 - variant.width / 2) <= 1, 'the card is in the middle')
    assert.doesNotMatch(await page.locator('.login-card').innerText(), /\*/)
    const color = await page.evaluate<string>("getComputedStyle(document.querySelector('.button-primary')).backgroundColor")
    assert.equal(color, 'rgb(15, 118, 110)')
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('seen')
    await page.getByRole('button', { name: 'Show password' }).click()
    await assertBecomes(() => password.getAttribute('type'), 'text')
    await page.getByRole('button', { name: 'Hide password' }).click()
    await assertBecomes(() => password.getAttribute('type'), 'password')
  },
)

inBrowser(
  'a login without a name or a password says so in the words of the page',
  { as: null },
  async ({ page, checkAccess }) => {
    const submit = page.getByRole('button', { name: 'Sign in' })
    const username = page.getByLabel('Username')
    await submit.click()
    await page.getByText('Enter your username.').waitFor()
    await page.getByText('Enter your password.').waitFor()
    await assertBecomes(() => page.evaluate('document.activeElement.name'), 'username')
    await assertBecomes(() => username.getAttribute('aria-invalid'), 'true')
    await checkAccess()
    await username.fill('tomasz')
    await page.getByText('Enter your username.').waitFor({ state: 'detached' })
    await submit.click()
    await page.getByText('Enter your password.').waitFor()
    await assertBecomes(() => page.evaluate('document.activeElement.name'), 'password')
  },
)

inBrowser(
  'a failed login has the id of its request behind a fold',
  { as: null, allows: ['500 /auth/token'] },
  async ({ page }) => {
    await page.route('**/auth/token', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/json',
        headers: { 'x-request-id': 'req-of-login' },
        body: JSON.stringify({ error: { code: 'INTERNAL', message: 'The server failed', details: {} } }),
      }),
    )
    await page.getByLabel('Username').fill('tomasz')
    await page.getByLabel('Password', { exact: true }).fill('any-password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const id = page.getByRole('alert').getByText('req-of-login')
    await id.waitFor({ state: 'attached' })
    assert.ok(!(await id.isVisible()))
    await page.getByRole('alert').getByText('Details').click()
    await id.waitFor()
  },
)

inBrowser('a wrong password is refused in place', { as: null, allows: ['401 /auth/token'] }, async ({ page }) => {
  // Failed logins lock an account for a while, so this is none that another test uses.
  await page.getByLabel('Username').fill('tomasz')
  await page.getByLabel('Password', { exact: true }).fill('wrong-password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('The username or the password is wrong').waitFor()
  // Only failures of the server have more in its log.
  assert.doesNotMatch(await page.getByRole('alert').innerText(), /Request/)
  await assertBecomes(() => page.getByLabel('Username').inputValue(), 'tomasz')
  await assertBecomes(() => page.locator(':focus').getAttribute('name'), 'password')
})

inBrowser('a session survives a reload, and logging out ends it', {}, async ({ page }) => {
  await page.getByRole('button', { name: 'admin: Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Username').waitFor()
  await page.reload()
  await page.getByLabel('Username').waitFor()
})

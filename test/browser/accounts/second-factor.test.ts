import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { logInByForm, newAccount, signOut } from '../../helpers/browser-accounts.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { codeAt, STEP } from '../../helpers/totp.ts'

const inBrowser = browserSite()
const inStrictSite = browserSite({ env: { ADMIN_ACCOUNTS__TWO_FACTOR: 'required' } })

const dialog = (page: Page) => page.getByRole('dialog')

/** Goes from the first step of a set-up to the recovery codes; returns the secret and the codes. */
async function setUp(page: Page): Promise<{ secret: string; codes: readonly string[] }> {
  const begun = page.waitForResponse((response) => response.url().endsWith('/auth/factors/totp'))
  await dialog(page).getByRole('button', { name: 'Set up' }).click()
  const { data } = (await (await begun).json()) as { data: { secret: string; uri: string } }
  const picture = dialog(page).getByRole('img', { name: 'QR code for your authenticator app' })
  await picture.waitFor()
  const dark = encode(data.uri, { border: 4, ecc: 'M' }).data.flat().filter(Boolean).length
  assert.equal((await picture.locator('path').getAttribute('d'))?.match(/M/g)?.length, dark, 'the picture is that of the URI')
  const secret = await dialog(page).getByLabel('Key to enter by hand').inputValue()
  assert.equal(secret, data.secret)
  await dialog(page).getByLabel('Code', { exact: true }).fill(codeAt(secret, Date.now()))
  await dialog(page).getByRole('button', { name: 'Turn on' }).click()
  const list = dialog(page).getByRole('list', { name: 'Your recovery codes' })
  await list.waitFor()
  return { secret, codes: await list.getByRole('listitem').allInnerTexts() }
}

inBrowser(
  'a user sets up a second factor, and then signs in with its codes and a recovery code',
  { as: null, at: '/account', allows: ['401 /auth/token', '400 /auth/factors'] },
  async ({ page, server, variant, checkAccess }) => {
    const account = await newAccount(server, variant, 'factor')
    const section = page.getByRole('region', { name: 'Two-step sign-in' })
    await logInByForm(page, account)
    await section.getByRole('button', { name: 'Set up' }).click()
    await dialog(page).getByText('Besides your password').waitFor()
    await checkAccess()
    const { secret, codes } = await setUp(page)
    assert.equal(codes.length, 10)
    await checkAccess()
    const saved = page.waitForEvent('download')
    await dialog(page).getByRole('button', { name: 'Download' }).click()
    const file = await readFile(await (await saved).path(), 'utf8')
    assert.deepEqual(file.trim().split('\n'), codes)
    await page.keyboard.press('Escape')
    await dialog(page).getByRole('button', { name: 'I have kept them' }).click()
    await section.getByText('10 recovery codes left').waitFor()

    await signOut(page, account)
    await logInByForm(page, account)
    const code = page.getByLabel('Code', { exact: true })
    await code.waitFor()
    await assertBecomes(() => page.locator(':focus').getAttribute('name'), 'otp')
    assert.deepEqual(await Promise.all(['autocomplete', 'inputmode'].map((name) => code.getAttribute(name))), [
      'one-time-code',
      'numeric',
    ])
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Enter the code.').waitFor()
    await code.fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('The code is wrong').waitFor()
    await checkAccess()
    // The code of the next step: that of the present one was used by the set-up.
    await code.fill(codeAt(secret, Date.now() + STEP))
    await code.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()

    await signOut(page, account)
    await logInByForm(page, account)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await assertBecomes(() => page.locator(':focus').getAttribute('inputmode'), 'text')
    await page.getByLabel('Recovery code').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await section.getByText('9 recovery codes left').waitFor()

    await section.getByRole('button', { name: 'Remove' }).click()
    await dialog(page).getByRole('button', { name: 'Remove' }).click()
    await section.getByRole('button', { name: 'Set up' }).waitFor()
  },
)

inStrictSite(
  'a user who must have a second factor sets one up before anything else',
  { as: null, at: '/models/tag', allows: ['403 /'] },
  async ({ page, checkAccess }) => {
    await logInByForm(page, ACCOUNTS.editor)
    await dialog(page).getByText('Your account needs it before you can go on.').waitFor()
    await checkAccess()
    await setUp(page)
    await dialog(page).getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await page.locator('tbody tr').first().waitFor()
  },
)

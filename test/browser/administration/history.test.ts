import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { BARE_ACCOUNTS, bareProject } from '../../helpers/bare-project.ts'
import { ACCOUNTS, browserSite, type Variant } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { choose } from '../../helpers/browser-typing.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'

const inBrowser = browserSite()

/** Creates and renames a tag; returns its id and names. */
async function renamedTag(server: RunningServer, { scheme, width }: Variant) {
  const tags = (await apiOf(server)).model('tag')
  const slug = `${scheme}-${width}-${crypto.randomUUID().slice(0, 8)}`
  const [before, after] = [`Old ${slug}`, `New ${slug}`]
  const { data } = await tags.create({ name: before, slug })
  await tags.update(data.id, { name: after })
  return { id: data.id, before, after }
}

const rows = (page: Page) => page.getByRole('region', { name: 'History' }).locator('.table-stacks > tbody > tr')

const rowsOf = (page: Page, record: string) => rows(page).filter({ hasText: record })

inBrowser(
  'all changes are shown with who, when, old and new',
  { at: '/history' },
  async ({ page, server, variant, checkAccess }) => {
    const { id, before, after } = await renamedTag(server, variant)
    await page.reload()
    const row = rowsOf(page, `Tags ${id}`).filter({ hasText: 'Changed' })
    await row.getByText('admin', { exact: true }).waitFor()
    await row.getByText('API', { exact: true }).waitFor()
    assert.match((await row.locator('time').getAttribute('datetime')) ?? '', /^\d{4}-.*Z$/)
    await row.locator('summary').filter({ hasText: 'Name' }).click()
    const change = row.getByRole('row', { name: /^Name/ })
    assert.deepEqual(await change.getByRole('cell').allInnerTexts(), [before, after])
    await checkAccess()
    await row.getByRole('link', { name: `Tags ${id}` }).click()
    assert.equal(await page.getByLabel('Name').inputValue(), after)
  },
)

inBrowser('filters are in the address, and every row matches them', { at: '/history' }, async ({ page, server, variant }) => {
  const { id } = await renamedTag(server, variant)
  await (await apiOf(server)).model('category').update(2, { position: variant.width })
  await choose(page.getByLabel('Model'), 'Tags')
  await page.waitForURL(/model=tag/)
  await choose(page.getByLabel('Action'), 'Created')
  await page.waitForURL(/action=create/)
  await page.getByLabel('Who').fill('adm')
  await page.getByLabel('Who').press('Enter')
  await page.waitForURL(/user=adm/)
  await rowsOf(page, `Tags ${id}`).first().waitFor()
  await rows(page).filter({ hasText: 'Changed' }).first().waitFor({ state: 'detached' })
  await rows(page).filter({ hasText: 'Categories' }).first().waitFor({ state: 'detached' })
  await page.reload()
  await rowsOf(page, `Tags ${id}`).first().waitFor()
  assert.equal(await page.getByLabel('Who').inputValue(), 'adm')
  assert.equal(await rowsOf(page, `Tags ${id}`).count(), 1)
  await choose(page.getByLabel('Source'), 'Deletion of another record')
  await page.getByRole('heading', { name: 'No changes' }).waitFor()
  await page.goBack()
  await rowsOf(page, `Tags ${id}`).first().waitFor()
})

inBrowser('the history has pages', { at: '/history?model=comment' }, async ({ page, server, variant }) => {
  const comments = (await apiOf(server)).model('comment')
  for (let number = 0; number < 51; number++) await comments.update(1, { body: `${variant.scheme} ${variant.width} ${number}` })
  await page.reload()
  await rows(page).nth(49).waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL(/page=2/)
  await page.getByText(/^51–/).waitFor()
  await choose(page.getByLabel('Action'), 'Changed')
  await page.waitForURL((url) => !url.searchParams.has('page'))
})

inBrowser('the value of a secret field is not shown', { at: '/history?model=user' }, async ({ page, server, variant }) => {
  const password = `anchors-aweigh-${variant.scheme}-${variant.width}`
  await (await apiOf(server)).model('user').update(8, { password })
  await page.reload()
  const row = rowsOf(page, 'Users 8').first()
  await row.locator('summary').filter({ hasText: 'Password' }).click()
  await row.getByText('Changed (the value is not recorded)').waitFor()
  assert.equal(await page.getByText(password).count(), 0)
})

const NEWCOMER = { username: 'newcomer', password: 'first-day-ashore' }

for (const [who, account] of [
  ['an editor', ACCOUNTS.editor],
  ['a user without permissions', NEWCOMER],
] as const) {
  inBrowser(`${who} has no history of all records`, { as: account, at: '/history' }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(await page.locator('a[href$="/history"]').count(), 0)
  })
}

const bare = await bareProject()
const withoutHistory = browserSite({ project: bare.path })
after(() => bare.remove())

withoutHistory(
  'a project without history says how to record it',
  { as: BARE_ACCOUNTS.superuser, at: '/history' },
  async ({ page }) => {
    await page.getByRole('heading', { name: 'History is off' }).waitFor()
    assert.equal(await page.locator('nav a[href$="/history"]').count(), 0)
  },
)

inBrowser('a history without entries says so, and one without matches says that', { at: '/account' }, async (situation) => {
  const { page, path, checkAccess } = situation
  const none = { data: [], page: 1, page_size: 50, total: 0, total_pages: 0, has_next: false, has_prev: false }
  await page.route(/\/api\/v1\/history/, (route) => route.fulfill({ json: none }))
  await page.goto(`${path}/history`)
  await page.getByText('No changes have been recorded yet.').waitFor()
  await checkAccess()
  await choose(page.getByLabel('Action'), 'Deleted')
  await page.getByText('No recorded changes match.').waitFor()
})

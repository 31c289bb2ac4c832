import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { BARE_ACCOUNTS, bareProject } from '../../helpers/bare-project.ts'
import { ACCOUNTS, browserSite, type Variant } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes, fieldOf } from '../../helpers/browser-reading.ts'
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
    const { before, after } = await renamedTag(server, variant)
    await page.reload()
    const row = rowsOf(page, `${after} Tags`).filter({ hasText: 'Changed' })
    await row.getByText('admin', { exact: true }).waitFor()
    await row.getByText('API', { exact: true }).waitFor()
    const time = row.locator('time')
    assert.match((await time.getAttribute('datetime')) ?? '', /^\d{4}-.*Z$/)
    assert.match(await time.innerText(), /^(now|\d+ minutes? ago)$/)
    assert.match((await time.getAttribute('title')) ?? '', /\d{4}.*\n\d{4}-\d\d-\d\d [\d:]+ UTC$/)
    await row.getByRole('button', { name: 'Name', expanded: false }).click()
    const change = page.locator('.changes').getByRole('row', { name: /^Name/ })
    const [below, table] = await Promise.all([page.locator('.changes table').boundingBox(), row.boundingBox()])
    assert.ok((below?.width ?? 0) > (table?.width ?? 0) * 0.9, 'the values have the width of the table')
    await assertBecomes(() => change.getByRole('cell').allInnerTexts(), [before, after])
    await checkAccess()
    await row.getByRole('link', { name: after }).click()
    await assertBecomes(() => fieldOf(page, 'Name').inputValue(), after)
  },
)

inBrowser('filters are in the address, and every row matches them', { at: '/history' }, async ({ page, server, variant }) => {
  const { after } = await renamedTag(server, variant)
  await (await apiOf(server)).model('category').update(2, { position: variant.width })
  await choose(page.getByLabel('Model'), 'Tags')
  await page.waitForURL(/model=tag/)
  await choose(page.getByLabel('Action'), 'Created')
  await page.waitForURL(/action=create/)
  await page.getByLabel('Who').fill('adm')
  await page.getByLabel('Who').press('Enter')
  await page.waitForURL(/user=adm/)
  await rowsOf(page, `${after} Tags`).first().waitFor()
  await rows(page).filter({ hasText: 'Changed' }).first().waitFor({ state: 'detached' })
  await rows(page).filter({ hasText: 'Categories' }).first().waitFor({ state: 'detached' })
  await page.reload()
  await rowsOf(page, `${after} Tags`).first().waitFor()
  await assertBecomes(() => page.getByLabel('Who').inputValue(), 'adm')
  await assertBecomes(() => rowsOf(page, `${after} Tags`).count(), 1)
  await choose(page.getByLabel('Source'), 'Deletion of another record')
  await page.getByRole('heading', { name: 'No changes' }).waitFor()
  await page.goBack()
  await rowsOf(page, `${after} Tags`).first().waitFor()
})

inBrowser(
  'the records of one request are one row, which opens to them',
  { at: '/history' },
  async ({ page, server, path, checkAccess }) => {
    const tags = (await apiOf(server)).model('tag')
    const slug = `many-${crypto.randomUUID().slice(0, 8)}`
    const { data } = await tags.bulkCreate([1, 2, 3].map((number) => ({ name: `${slug} ${number}`, slug: `${slug}-${number}` })))
    await tags.bulkDelete(data.map(({ id }) => id))
    await page.reload()
    const [deleted, created] = [rows(page).nth(0), rows(page).nth(1)]
    assert.match(await deleted.innerText(), /admin[\s\S]*Deleted[\s\S]*3 records[\s\S]*Tags/)
    assert.match(await created.innerText(), /Created[\s\S]*3 records/)
    assert.equal(await rowsOf(page, slug).count(), 0)
    await deleted.getByRole('button', { name: '3 records', expanded: false }).press('Enter')
    await rowsOf(page, `${slug} 2`).getByRole('button', { name: 'Restore' }).waitFor()
    await assertBecomes(() => rowsOf(page, slug).count(), 3, 'deleted records are named by their last entry')
    await checkAccess()
    await rowsOf(page, `${slug} 2`).getByRole('button', { name: 'Restore' }).press('Enter')
    await page.waitForURL(`**/models/tag/${data[1]?.id}`)
    await assertBecomes(() => page.locator('#content:focus').count(), 1)
    // The form of a record that is deleted could read it again, and get 404.
    await page.goto(`${path}/history`)
    await tags.delete(Number(data[1]?.id))
  },
)

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
  await rows(page)
    .getByRole('button', { name: /password/i })
    .first()
    .click()
  await page.locator('.changes').getByText('Changed (the value is not recorded)').waitFor()
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

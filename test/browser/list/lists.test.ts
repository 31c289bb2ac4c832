import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose, typeFast } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()

const total = (page: Page, count: string) => page.getByRole('status').getByText(count, { exact: true }).waitFor()

/** The titles of the records on the page, in order. */
const titles = (page: Page) => page.locator('tbody .list-link').allInnerTexts()

/** The query of the address, as a person reads it. */
const query = (page: Page) => decodeURIComponent(new URL(page.url()).search)

/** Runs an action and waits until the list of the new address is shown. */
async function andList(page: Page, action: () => Promise<unknown>): Promise<void> {
  const answered = page.waitForResponse((response) => /\/models\/post(\/search)?\?/.test(response.url()))
  await action()
  await answered
  await page.locator('.list-scroll:not([aria-busy])').waitFor()
}

inBrowser(
  'the address holds order, page, search and filters; reload, Back and a pasted link show the same',
  { at: '/models/post' },
  async ({ page, context, checkAccess }) => {
    await total(page, '46 records')
    const byDate = await titles(page)
    assert.equal(byDate.length, 25)

    const head = page.locator('thead')
    await andList(page, () => head.getByRole('button', { name: 'Title' }).click())
    const ascending = await titles(page)
    assert.deepEqual(
      ascending,
      ascending.toSorted((one, other) => (one < other ? -1 : 1)),
    )
    await head.getByRole('button', { name: 'Status' }).focus()
    await andList(page, () => page.keyboard.press('Shift+Enter'))
    assert.equal(query(page), '?sort=title,status')
    await assertBecomes(() => page.locator('th[aria-sort=ascending]').count(), 2)

    await andList(page, () => page.getByRole('button', { name: 'Next page' }).click())
    assert.equal(query(page), '?sort=title,status&page=2')
    const second = await titles(page)
    assert.equal(second.length, 21)
    await choose(page.getByLabel('Rows'), '10')
    await page.waitForURL(/page_size=10$/)

    await page.goBack()
    await page.waitForURL(/page=2$/)
    await page.locator('tbody tr').nth(20).waitFor()
    assert.deepEqual(await titles(page), second)
    await page.reload()
    await page.locator('tbody tr').nth(20).waitFor()
    assert.deepEqual(await titles(page), second)

    const other = await context.newPage()
    await other.goto(page.url())
    await other.locator('tbody tr').nth(20).waitFor()
    assert.deepEqual(await titles(other), second)
    await other.close()
    await checkAccess()
  },
)

inBrowser('a search asks once after a pause; filters apply to it', { at: '/models/post' }, async ({ page }) => {
  await total(page, '46 records')
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/models/post/search?')) asked.push(request.url())
  })
  await typeFast(page.getByRole('searchbox', { name: 'Search posts' }), 'harbour')
  await total(page, '12 records')
  assert.equal(asked.length, 1, asked.join('\n'))
  assert.match(asked[0] ?? '', /\?q=harbour/)
  await page.goto(`${page.url()}&filter=status%3Dpublished`)
  await page.getByRole('button', { name: 'Status is Published', exact: true }).waitFor()
  const count = page.getByRole('status').filter({ hasText: /\d records/ })
  const found = Number((await count.first().innerText()).split(' ')[0])
  assert.ok(found > 0 && found < 12, String(found))
  await page.goBack()
  await total(page, '12 records')
  await page.goBack()
  await total(page, '46 records')
  await assertBecomes(() => page.getByRole('searchbox', { name: 'Search posts' }).inputValue(), '')
})

inBrowser(
  'a search says how many records it cannot find yet, until it finds them',
  { at: '/models/post' },
  async ({ page, checkAccess }) => {
    await total(page, '46 records')
    let missing = 1200
    await page.route('**/models/post/search?*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...(missing > 0 && { missing }) } })
    })
    await typeFast(page.getByRole('searchbox', { name: 'Search posts' }), 'harbour')
    await page.getByText('1,200 records have changed and are not searchable yet. The list will update by itself.').waitFor()
    await total(page, '12 records')
    await checkAccess()
    missing = 1
    const notice = page.getByText('1 record has changed and is not searchable yet. The list will update by itself.')
    await notice.waitFor()
    missing = 0
    await notice.waitFor({ state: 'detached' })
    await total(page, '12 records')
  },
)

inBrowser(
  'a filter of an address that the API would reject is not sent',
  { at: '/models/post?filter=nosuch%3D1' },
  async ({ page }) => {
    await total(page, '46 records')
    await page.getByText('Ignored: nosuch=1').waitFor()
  },
)

inBrowser(
  'columns are chosen and ordered by keyboard; the browser and the address keep them',
  { at: '/models/post' },
  async ({ page, checkAccess }) => {
    await total(page, '46 records')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Slug' }).press('Space')
    const up = page.getByRole('button', { name: 'Move Slug up' })
    for (let presses = 0; presses < 10; presses += 1) await up.press('Enter')
    await page.getByRole('checkbox', { name: 'ID', exact: true }).press('Space')
    await page.locator('td', { hasText: 'who-was-captain-abernathy' }).waitFor()
    await checkAccess()
    await page.keyboard.press('Escape')
    const heads = async () => (await page.locator('thead th').allInnerTexts()).slice(1, 3)
    await page.locator('td', { hasText: 'who-was-captain-abernathy' }).waitFor()
    assert.deepEqual(await heads(), ['Slug', 'Title'])
    await page.goto(new URL(page.url()).pathname)
    await page.waitForURL(/columns=slug/)
    await page.locator('td', { hasText: 'who-was-captain-abernathy' }).waitFor()
    assert.deepEqual(await heads(), ['Slug', 'Title'])
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset to default' }).click()
    await page.waitForURL(({ search }) => search === '')
    await page.locator('thead').getByRole('button', { name: /^ID/ }).waitFor()
  },
)

inBrowser('an open list asks for the views and a page of records only', { at: '/models/tag' }, async ({ page, variant }) => {
  // The former page has asked for everything.
  await page.locator('tbody tr').first().waitFor()
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/')) asked.push(request.url())
  })
  if (variant.width < 900) await page.getByRole('button', { name: 'Open menu' }).click()
  await page
    .getByRole('link', { name: /^Posts/ })
    .first()
    .click()
  await total(page, '46 records')
  const paths = asked.map((url) => new URL(url).pathname)
  assert.deepEqual(paths.sort(), ['/admin/api/v1/views/post', '/api/v1/models/post'])
  const fields = new URL(asked.find((url) => url.includes('/models/post?')) ?? '').searchParams.get('fields')
  assert.equal(fields, 'id,title,cover,status,author_id,category_id,tags,rating,views_count,is_featured,published_at')
})

inBrowser('an empty list says what can be done', { at: '/models/post?filter=id%3D9999' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'No matching records' }).waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Clear all' }).click()
  await total(page, '46 records')
})

/** Delays the code of the popups and editors of a list until it is asked for by the user. */
async function delayEditors(page: Page): Promise<void> {
  await page.route(/assets\/(cell-editor|filter-editor|popover-popup)-/, async (route) => {
    await page.waitForTimeout(500)
    await route.continue()
  })
}

inBrowser('the first filter and the first cell editor have the focus and its keys', { at: '/models/post' }, async ({ page }) => {
  await delayEditors(page)
  await page.reload()
  await page.locator('tbody tr').first().waitFor()
  await page.locator('.filter-add').press('Enter')
  for (const _ of ['while its code is loaded', 'again']) {
    await page.locator('.filter-editor input:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.filter-editor').waitFor({ state: 'detached' })
    await page.locator('.filter-add:focus').waitFor()
    await page.keyboard.press('Enter')
  }
  await page.locator('.filter-editor input:focus').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Edit Title' }).first().press('Enter')
  await page.locator('.cell-editor input:focus').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.type('!')
  assert.match(await page.locator('.cell-editor input').inputValue(), /!$/)
  await page.keyboard.press('Escape')
  await page.locator('.cell-editor').waitFor({ state: 'detached' })
  await assertBecomes(() => page.locator(':focus').getAttribute('aria-label'), 'Edit Title')
})

inBrowser('single keys work after a row was ticked', { at: '/models/post' }, async ({ page }) => {
  const box = page.locator('tbody input[type=checkbox]').first()
  await box.click()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await box.focus()
  await page.keyboard.press('/')
  await page.locator('main input[type=search]:focus').waitFor()
  await box.focus()
  await page.keyboard.press('n')
  await page.waitForURL(/\/models\/post\/new$/)
})

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const rows = (page: Page) => page.locator('tbody tr')

const titles = (page: Page) => page.locator('tbody .list-link').allInnerTexts()

/** The title of the record that is open. */
const heading = (page: Page) => page.getByRole('main').getByRole('heading', { level: 1 })

inBrowser(
  'a click on a row opens its record, but not on ticks, links and cells to edit; Ctrl opens a tab',
  { at: '/models/post?sort=id&columns=title,status,author_id,views_count', widths: [768, 1280] },
  async ({ page, context }) => {
    await rows(page).nth(3).waitFor()
    const [, , , title = ''] = await titles(page)
    await rows(page).nth(3).locator('.list-check').click()
    await rows(page).nth(3).locator('[data-editable]').last().click()
    await page.getByRole('button', { name: 'Edit Status' }).first().click()
    await page.locator('.cell-editor').getByText('Status').first().click()
    await page.keyboard.press('Escape')
    await page.locator('.cell-editor').waitFor({ state: 'detached' })
    assert.match(page.url(), /\/models\/post\?/)

    const author = rows(page).nth(3).locator('a[href*="/models/user/"]').first()
    const target = await author.getAttribute('href')
    await author.click()
    await page.waitForURL(({ pathname }) => pathname === target)
    await page.goBack()
    await rows(page).nth(3).waitFor()

    const opened = context.waitForEvent('page')
    await rows(page)
      .nth(3)
      .locator('.number')
      .last()
      .click({ modifiers: ['Control'] })
    const tab = await opened
    await heading(tab).getByText(title, { exact: true }).waitFor()
    await tab.close()
    assert.match(page.url(), /\/models\/post\?/)

    await rows(page).nth(3).locator('.number').last().click()
    await heading(page).getByText(title, { exact: true }).waitFor()
  },
)

inBrowser(
  'arrows, j and k move through the rows, Enter opens; j and k go on to the next and previous record over pages',
  { at: '/models/post?sort=title&page_size=10' },
  async ({ page, checkAccess }) => {
    await rows(page).nth(9).waitFor()
    const first = await titles(page)
    const focused = () => page.locator(':focus').innerText()
    // A phone has no room for the place.
    const place = (number: number) => page.getByText(`${number} of 46`, { exact: true }).waitFor({ state: 'attached' })
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    assert.equal(await focused(), first[2])
    await page.keyboard.press('k')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    assert.equal(await focused(), first[0])
    for (let presses = 0; presses < 8; presses++) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await heading(page)
      .getByText(first[8] ?? '', { exact: true })
      .waitFor()
    await place(9)
    await checkAccess()
    // The tab stays while the records change, and the place while the tab does.
    await page.getByRole('tab', { name: 'History' }).click()
    await place(9)
    await page.getByRole('button', { name: 'Next record' }).click()
    await heading(page)
      .getByText(first[9] ?? '', { exact: true })
      .waitFor()
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor()
    await page.keyboard.press('j')
    await place(11)
    const eleventh = await heading(page).innerText()
    assert.ok(!first.includes(eleventh))
    await page.reload()
    await place(11)
    await page.locator('body').press('k')
    await heading(page)
      .getByText(first[9] ?? '', { exact: true })
      .waitFor()
    await page.goBack()
    await rows(page).nth(9).waitFor()
    assert.deepEqual(await titles(page), first)
  },
)

/** The heights of the rows; the last has no line below it. */
const HEIGHTS =
  "[...document.querySelectorAll('tbody tr')].slice(0, -1).map((row) => Math.round(row.getBoundingClientRect().height))"

/** Where the column that stays in sight ends, from the edge of the list on. */
const PINNED_END =
  "Math.round(document.querySelector('td.list-sticky').getBoundingClientRect().right - document.querySelector('.list-scroll').getBoundingClientRect().left)"

inBrowser(
  'a row is one line, compact on request; relations are quiet, and an edge shows that columns are hidden',
  {
    at: '/models/post?columns=title,body,author_id,category_id,tags,slug,status,published_at,created_at,metadata,rating,updated_at',
  },
  async ({ page, checkAccess }) => {
    await rows(page).nth(9).waitFor()
    const heights = async () => new Set((await page.evaluate(HEIGHTS)) as number[])
    assert.deepEqual(await heights(), new Set([40]))
    const body = page.locator('tbody .cell-cut').first()
    assert.ok(((await body.getAttribute('title')) ?? '').length > 0)
    await page.getByRole('button', { name: 'Compact' }).click()
    assert.deepEqual(await heights(), new Set([32]))
    await page.reload()
    await rows(page).nth(9).waitFor()
    assert.deepEqual(await heights(), new Set([32]))

    const colour = (place: string) => page.evaluate(`getComputedStyle(document.querySelector('${place}')).color`)
    assert.equal(await colour('tbody td a.cell-text'), await colour('thead th'))

    await page.locator('.list-frame[data-after]:not([data-before])').waitFor()
    await page.evaluate("document.querySelector('.list-scroll').scrollTo(9999, 0)")
    await page.locator('.list-frame[data-before]:not([data-after])').waitFor()
    const edge = "parseFloat(getComputedStyle(document.querySelector('.list-frame'), '::before').left)"
    assert.equal(Math.round((await page.evaluate(edge)) as number), await page.evaluate(PINNED_END))
    await checkAccess()
  },
)

inBrowser(
  'a chip says the order with every key, and returns to that of the view',
  { at: '/models/post?sort=-created_at,title&columns=title,status' },
  async ({ page }) => {
    await rows(page).first().waitFor()
    const chip = page.locator('.sort-chip')
    assert.equal(
      (await chip.innerText()).replace(/\s+/g, ' ').replaceAll(' ,', ','),
      'Sorted by Created at descending, Title ascending',
    )
    await page.getByRole('button', { name: 'Sort as in the view' }).click()
    await page.waitForURL(({ search }) => !search.includes('sort'))
    await chip.getByText('Published at').waitFor()
    await assertBecomes(() => chip.getByRole('button').count(), 0)
  },
)

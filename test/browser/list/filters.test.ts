import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const total = (page: Page, count: string) => page.getByRole('status').getByText(count, { exact: true }).waitFor()

const filters = (page: Page) => page.getByRole('region', { name: 'Filters' })

const button = (page: Page, name: string) => filters(page).getByRole('button', { name, exact: true })

/** The query of the address, as a person reads it. */
const query = (page: Page) => decodeURIComponent(new URL(page.url()).search)

/** The popup has the focus in it; Escape closes it and gives the focus back to a button. */
async function escapeTo(page: Page, name: string): Promise<void> {
  await page.locator('.popover :focus').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.popover').waitFor({ state: 'detached' })
  await assertBecomes(() => page.locator(':focus').innerText(), name)
}

/** Chooses an operator in the open editor. */
async function chooseCondition(page: Page, name: string): Promise<void> {
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Condition/ })
    .click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

inBrowser(
  'choices are ticked with their counts under the other filters, at once; the chip is a sentence that opens them',
  { at: '/models/post' },
  async ({ page, checkAccess }) => {
    await total(page, '46 records')
    const offered = await filters(page).getByRole('button').allInnerTexts()
    assert.deepEqual(offered, ['Filter', 'Status', 'Category', 'Author', 'Published at'])
    assert.equal(await page.locator('.list-filters select').count(), 0)

    await button(page, 'Status').click()
    const box = (name: string) => page.getByRole('dialog').getByRole('checkbox', { name })
    await box('Draft 5').waitFor()
    await page.locator('input[type=checkbox]:focus').waitFor()
    await checkAccess()
    await page.keyboard.press('Space')
    await total(page, '5 records')
    assert.equal(query(page), '?filter=status=draft')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await button(page, 'Status is Draft or Archived').waitFor()
    assert.equal(query(page), '?filter=status__in=draft,archived')
    await escapeTo(page, 'Status is Draft or Archived')
    await page.goBack()
    await total(page, '46 records')

    await page.goto(`${new URL(page.url()).pathname}?filter=status__in%3Ddraft,archived&filter=is_featured%3Dtrue`)
    await button(page, 'Featured is Yes').waitFor()
    const shown = await page
      .getByRole('status')
      .filter({ hasText: /\d records?$/ })
      .first()
      .innerText()
    await button(page, 'Featured is Yes').click()
    await box(`Yes ${shown.split(' ')[0]}`).waitFor()
    await page.keyboard.press('Space')
    await page.waitForURL((url) => !url.search.includes('is_featured'))
    await page.keyboard.press('Space')
    await button(page, 'Featured is Yes').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.popover').waitFor({ state: 'detached' })

    await button(page, 'Status is Draft or Archived').click()
    await chooseCondition(page, 'is not')
    await button(page, 'Status is not Draft').waitFor()
    assert.equal(query(page), '?filter=status__ne=draft&filter=is_featured=true')
  },
)

inBrowser(
  'a field is found by its name, and its value applied with Enter',
  { at: '/models/post' },
  async ({ page, checkAccess }) => {
    await total(page, '46 records')
    for (const _ of ['first', 'second']) {
      await button(page, 'Filter').click()
      await page.locator('.filter-fields input:focus').waitFor()
      await escapeTo(page, 'Filter')
    }
    await button(page, 'Filter').press('Enter')
    await page.locator('.filter-fields input:focus').waitFor()
    await page.keyboard.type('titl')
    await page.getByRole('option', { name: 'Views' }).waitFor({ state: 'detached' })
    await checkAccess()
    await page.keyboard.press('Enter')
    await page.locator('.filter-value input:focus').waitFor()
    await page.keyboard.type('harbour')
    await page.keyboard.press('Enter')
    await button(page, 'Title contains harbour').waitFor()
    assert.equal(query(page), '?filter=title__icontains=harbour')
    await page.locator('.popover').waitFor({ state: 'detached' })
    await assertBecomes(() => page.locator(':focus').innerText(), 'Filter')

    await button(page, 'Filter').click()
    await page.getByRole('option', { name: 'Rating' }).click()
    await page.getByRole('dialog').getByLabel('From', { exact: true }).fill('3.5')
    await page.getByRole('dialog').getByLabel('To', { exact: true }).fill('x')
    await page.keyboard.press('Enter')
    await page.locator('.popover .field-errors').waitFor()
    await page.getByRole('dialog').getByLabel('To', { exact: true }).fill('2')
    await page.keyboard.press('Enter')
    await page.locator('.popover .field-errors').getByText('This is before “From”').waitFor()
    await page.getByRole('dialog').getByLabel('To', { exact: true }).fill('4.5')
    await page.keyboard.press('Enter')
    await button(page, 'Rating is between 3.5 and 4.5').click()
    await page.locator('.filter-value input:focus').waitFor()
    await assertBecomes(() => page.getByRole('dialog').getByLabel('From', { exact: true }).inputValue(), '3.5')
    await chooseCondition(page, 'is not empty')
    await button(page, 'Rating is not empty').waitFor()
    assert.equal(query(page), '?filter=title__icontains=harbour&filter=rating__isnull=false')
    await page.getByRole('button', { name: 'Remove Rating is not empty' }).click()
    await button(page, 'Rating is not empty').waitFor({ state: 'detached' })
    await assertBecomes(() => page.locator(':focus').innerText(), 'Filter')
  },
)

inBrowser(
  'days are chosen by periods of the calendar, which stay periods in the address, or from one to another',
  { at: '/models/post' },
  async ({ page, checkAccess }) => {
    await total(page, '46 records')
    await button(page, 'Published at').click()
    await page.locator('.filter-option-list button:focus').waitFor()
    await checkAccess()
    const asked = page.waitForRequest(
      (request) => request.url().includes('/models/post?') && request.url().includes('published_at__lt'),
    )
    await page.getByRole('dialog').getByRole('button', { name: 'This year' }).click()
    const sent = new URL((await asked).url()).searchParams.getAll('filters')
    const year = await page.evaluate('new Date().getFullYear()')
    assert.deepEqual(sent, [
      `published_at__gte=${year}-01-01T00:00+01:00`,
      `published_at__lt=${Number(year) + 1}-01-01T00:00+01:00`,
    ])
    assert.equal(query(page), '?filter=published_at__within=this_year')
    await page.reload()
    await button(page, 'Published this year').click()
    await chooseCondition(page, 'is between')
    await page.getByRole('dialog').getByLabel('From', { exact: true }).fill('2024-01-01')
    await page.getByRole('dialog').getByLabel('To', { exact: true }).fill('2024-01-31')
    await page.keyboard.press('Enter')
    await button(page, 'Published between 1 Jan 2024 and 31 Jan 2024').waitFor()
    assert.equal(query(page), '?filter=published_at__between=2024-01-01,2024-01-31')

    await page.goto(`${new URL(page.url()).pathname}?filter=published_at__gte%3D2024-06-01T10:00%2B02:00`)
    await button(page, 'Published at is on or after 1 Jun 2024, 10:00').click()
    await assertBecomes(() => page.getByRole('dialog').getByLabel('Value', { exact: true }).inputValue(), '01/06/2024, 10:00')
    await escapeTo(page, 'Published at is on or after 1 Jun 2024, 10:00')
  },
)

inBrowser(
  'related records are found by a search and ticked',
  { at: '/models/post?filter=status%3Ddraft' },
  async ({ page, checkAccess }) => {
    await total(page, '5 records')
    await button(page, 'Author').click()
    await page.locator('.filter-options input:focus').waitFor()
    await page.getByRole('dialog').getByRole('checkbox').nth(1).waitFor()
    await page.keyboard.type('anna')
    await page.getByRole('dialog').getByRole('checkbox').nth(1).waitFor({ state: 'detached' })
    await checkAccess()
    await page.getByRole('dialog').getByRole('checkbox', { name: 'anna.lind' }).waitFor()
    await page.keyboard.press('Enter')
    await button(page, 'Author is anna.lind').waitFor()
    assert.equal(query(page), '?filter=status=draft&filter=author_id=3')
    await escapeTo(page, 'Author is anna.lind')
    await page.reload()
    await button(page, 'Author is anna.lind').click()
    await page.getByRole('dialog').getByRole('checkbox', { name: 'anna.lind', checked: true }).waitFor()
    await page.getByRole('dialog').getByRole('checkbox', { checked: false }).first().check()
    await filters(page)
      .getByRole('button', { name: /^Author is anna\.lind or / })
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await button(page, 'Clear all').click()
    await total(page, '46 records')
  },
)

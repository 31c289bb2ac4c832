import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import readWorkbook from 'read-excel-file/node'
import { asAdmin } from '../../helpers/as-admin.ts'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { stayAfter } from '../../helpers/browser-leaving.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'
import { valuesOf } from '../../helpers/values-of.ts'

/** Tests that change records have a server each, since the variants of a test share one. */
const inBrowser = browserSite()
const inDeletion = browserSite()

const total = (page: Page, count: string) => page.getByRole('status').getByText(count, { exact: true }).waitFor()

const selection = (page: Page) => page.getByRole('region', { name: 'Selection' })

/** Number of records that the API finds. */
const countOf = async (server: RunningServer, path: string) => (await asAdmin<{ total: number }>(server, 'GET', path)).total

inBrowser(
  'a range of rows is selected with Shift, over pages',
  { at: '/models/post?page_size=10' },
  async ({ page, checkAccess }) => {
    const boxes = page.locator('tbody input[type=checkbox]')
    await boxes.nth(1).click()
    await boxes.nth(4).click({ modifiers: ['Shift'] })
    await selection(page).getByText('4 selected').waitFor()
    await boxes.nth(6).focus()
    await page.keyboard.press('Shift+Space')
    await selection(page).getByText('6 selected').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL(/page=2/)
    await page.locator('.list-scroll:not([aria-busy])').waitFor()
    await page.getByLabel('Select all on this page').check()
    await selection(page).getByText('16 selected').waitFor()
    await checkAccess()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await selection(page).waitFor({ state: 'detached' })
  },
)

inBrowser(
  '"all 46" over all pages changes 46 records through the form',
  { at: '/models/post' },
  async ({ page, server, checkAccess }) => {
    await total(page, '46 records')
    await page.getByLabel('Select all on this page').check()
    await selection(page).getByText('25 selected').waitFor()
    await page.getByRole('button', { name: 'Select all 46 matches' }).click()
    await selection(page).getByText('All 46 matches selected').waitFor()
    await selection(page).getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit 46 records' })
    await choose(dialog.getByLabel('Field'), 'Rating')
    await dialog.getByLabel('Value').fill('3.5')
    await stayAfter(page, () => page.keyboard.press('Escape'))
    await checkAccess()
    await dialog.getByRole('button', { name: 'Change 46 records' }).click()
    await page.getByText('46 records changed').first().waitFor()
    await page.locator('#content:focus').waitFor({ timeout: 5000 })
    assert.equal(await countOf(server, '/models/post?filters=rating=3.5'), 46)
  },
)

inBrowser(
  'records of a model without a view of its own are changed by the model',
  { at: '/models/permission?page_size=10' },
  async ({ page, server }) => {
    await page.locator('tbody input[type=checkbox]').nth(0).click()
    await page.locator('tbody input[type=checkbox]').nth(1).click()
    await selection(page).getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit 2 records' })
    await choose(dialog.getByLabel('Field'), 'Description')
    await dialog.getByLabel('Value').fill('Changed together')
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await page.getByText('2 records changed').first().waitFor()
    assert.equal(await countOf(server, '/models/permission?filters=description=Changed together'), 2)
  },
)

inBrowser(
  'one record that may not have the value leaves all unchanged, and is named',
  { at: '/models/post', allows: ['400 /models/post/bulk'] },
  async ({ page, server, checkAccess }) => {
    await total(page, '46 records')
    const before = await countOf(server, '/models/post?filters=status=draft')
    await page.getByLabel('Select all on this page').check()
    await selection(page).getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await choose(dialog.getByLabel('Field'), 'Status')
    await choose(dialog.getByLabel('Value'), 'Draft')
    await dialog.getByRole('button', { name: 'Change 25 records' }).click()
    await dialog
      .getByText(/^#\d+: Only a published or archived post has a publication date$/)
      .first()
      .waitFor()
    await checkAccess()
    assert.equal(await countOf(server, '/models/post?filters=status=draft'), before)
  },
)

inBrowser(
  'the messages of a change that is refused have the titles of the fields',
  { at: '/models/post', allows: ['400 /models/post/bulk'] },
  async ({ page }) => {
    await total(page, '46 records')
    await page.getByLabel('Select all on this page').check()
    await selection(page).getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await choose(dialog.getByLabel('Field'), 'Title')
    await dialog.getByLabel('Value').fill('x'.repeat(500))
    await dialog.getByRole('button', { name: 'Change 25 records' }).click()
    await dialog
      .getByText(/^#\d+: Title must/)
      .first()
      .waitFor()
  },
)

inBrowser(
  'a selection that no longer matches changes nothing and says how many match now',
  { at: '/models/tag', allows: ['409 /models/tag/bulk'] },
  async ({ page, server, variant }) => {
    await page.locator('tbody tr').first().waitFor()
    const count = await countOf(server, '/models/tag')
    await page.getByLabel('Select all on this page').check()
    const slug = `extra-${variant.scheme}-${variant.width}`
    await selection(page).getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: `Delete ${count} records` }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    const { data: extra } = await asAdmin<{ data: { id: number } }>(server, 'POST', '/models/tag', { data: { name: slug, slug } })
    await total(page, `${count + 1} records`)
    await page.getByLabel(`Select ${slug}`).check()
    await page.getByRole('button', { name: `Select all ${count + 1} matches` }).waitFor({ state: 'detached' })
    await selection(page).getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Value').fill('#123456')
    await asAdmin(server, 'DELETE', `/models/tag/${extra.id}`)
    await page.getByRole('button', { name: `Change ${count + 1} records` }).click()
    await page.getByText(`you selected ${count + 1} records, but ${count} match now`).waitFor()
    assert.equal(await countOf(server, '/models/tag?filters=color=%23123456'), 0)
  },
)

inDeletion(
  'records are deleted after the dialog has said what goes with them',
  { at: '/models/post?filter=views_count__gt%3D2000' },
  async ({ page, server, checkAccess }) => {
    const matches = '/models/post?filters=views_count__gt=2000'
    await page.getByRole('heading', { name: 'Posts' }).waitFor()
    const count = await countOf(server, matches)
    // The variants share the server: the first of them has deleted the records.
    if (count === 0) return
    await page.getByLabel('Select all on this page').check()
    await selection(page).getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: `Delete ${count} records?` })
    await dialog.getByText(/^\d+ comments? will be deleted too$/).waitFor()
    await checkAccess()
    assert.equal(await countOf(server, matches), count)
    await dialog.getByRole('button', { name: `Delete ${count} records` }).click()
    await page.getByText(`${count} records deleted`).first().waitFor()
    await page.getByRole('heading', { name: 'No matching records' }).waitFor()
    assert.equal(await countOf(server, matches), 0)
  },
)

inBrowser('records that others refer to cannot be deleted; the dialog says why', { at: '/models/user' }, async ({ page }) => {
  await page.getByLabel('Select anna.lind').check()
  await selection(page).getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^\d+ posts use these records \(Author\)$/).waitFor()
  assert.equal(await dialog.getByRole('button', { name: /^Delete/ }).count(), 0)
})

inBrowser('the selection or all matches are exported', { at: '/models/post?filter=status%3Ddraft&sort=id' }, async ({ page }) => {
  await total(page, '5 records')
  const exported = async (button: ReturnType<Page['getByRole']>, format: string) => {
    await button.click()
    const started = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: format, exact: true }).click()
    const download = await started
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
  }
  const header = page.getByRole('main').locator('.page-header').getByRole('button', { name: 'Export' })
  const csv = await exported(header, 'CSV')
  assert.match(csv.name, /^Posts \d{4}-\d{2}-\d{2}\.csv$/)
  assert.match(csv.text, /^id,title,/)
  const all = JSON.parse((await exported(header, 'JSON')).text) as { id: number }[]
  assert.deepEqual(valuesOf(all, 'id'), [42, 43, 44, 45, 46])
  await page.locator('tbody input[type=checkbox]').nth(1).check()
  const lines = (await exported(selection(page).getByRole('button', { name: 'Export' }), 'NDJSON')).text.trim().split('\n')
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { id: number }).id),
    [43],
  )
})

inBrowser(
  'what is shown is exported: chosen columns in their order, titles and labels, as CSV and as a workbook',
  { at: '/models/post?filter=status%3Ddraft&sort=-id&columns=status,title,author_id' },
  async ({ page }) => {
    await total(page, '5 records')
    const exported = async (name: RegExp) => {
      await page.getByRole('main').locator('.page-header').getByRole('button', { name: 'Export' }).click()
      const started = page.waitForEvent('download')
      await page.getByRole('menuitem', { name }).click()
      const download = await started
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
    }
    const csv = await exported(/^CSV for spreadsheets$/)
    assert.match(csv.name, /^Posts \d{4}-\d{2}-\d{2}\.csv$/)
    const lines = csv.bytes.toString('utf8').trimEnd().split('\r\n')
    assert.match(lines[0] ?? '', /^\uFEFFStatus,Title,Author$/)
    assert.equal(lines.length, 6)
    assert.match(lines[4] ?? '', /^Draft,Lantern parade 2024: call for boats,m\.keller$/)
    const workbook = await exported(/^Excel workbook/)
    assert.match(workbook.name, /\.xlsx$/)
    const [{ data } = assert.fail()] = await readWorkbook(workbook.bytes)
    assert.deepEqual([data.length, data[0]], [6, ['Status', 'Title', 'Author']])
  },
)

inBrowser('what a search has found is exported', { at: '/models/post?q=harbour' }, async ({ page }) => {
  await total(page, '12 records')
  await page.locator('.page-header').getByRole('button', { name: 'Export' }).click()
  const started = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'NDJSON' }).click()
  const text = await readFile(await (await started).path(), 'utf8')
  assert.equal(text.trim().split('\n').length, 12)
})

inBrowser('the actions follow the permissions', { as: ACCOUNTS.editor, at: '/models/tag' }, async ({ page }) => {
  await page.locator('tbody input[type=checkbox]').first().check()
  await assertBecomes(
    () => selection(page).locator('.selection-actions').getByRole('button').allInnerTexts(),
    ['Edit', 'Export', 'Delete'],
  )
  await page.goto(page.url().replace('/tag', '/fee'))
  await page.getByRole('heading', { name: /No fees yet|Page not found/ }).waitFor()
})

inBrowser(
  'a reader sees no actions but the export, and related records that may not be viewed as ids',
  { as: { username: 'pia.nakamura', password: 'mackerel-sky-33' }, at: '/models/post' },
  async ({ page }) => {
    await page.locator('tbody input[type=checkbox]').first().check()
    await assertBecomes(() => selection(page).locator('.selection-actions').getByRole('button').allInnerTexts(), ['Export'])
    assert.equal(await page.getByRole('link', { name: 'Add' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Edit/ }).count(), 0)
    await page
      .locator('td', { hasText: /^#\d+$/ })
      .first()
      .waitFor()
  },
)

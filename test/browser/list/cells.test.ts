import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { asAdmin } from '../../helpers/as-admin.ts'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'

const inBrowser = browserSite()

/** The cell of the first record in a column. */
async function cell(page: Page, column: string) {
  await page.locator('tbody tr').first().waitFor()
  const heads = await page.locator('thead th').allInnerTexts()
  const place = heads.findIndex((text) => text.trim().split('\n')[0] === column)
  assert.notEqual(place, -1, `no column '${column}' in ${heads.join(', ')}`)
  return page.locator('tbody tr').first().locator('td').nth(place)
}

/** Changes a record from elsewhere. */
const change = (server: RunningServer, path: string, data: object) => asAdmin(server, 'PUT', path, { data })

inBrowser(
  'addresses are links, dates have the locale and UTC on hover, numbers stand at the right',
  { at: '/models/user?filter=id%3D1&columns=username,email,website,birth_date,last_login,is_active' },
  async ({ page }) => {
    const email = (await cell(page, 'E-mail')).getByRole('link')
    await assertBecomes(() => email.getAttribute('href'), 'mailto:ingrid.solheim@example.org')
    const website = (await cell(page, 'Website')).getByRole('link')
    await assertBecomes(() => website.getAttribute('href'), 'https://example.org/harbour-journal')
    await assertBecomes(() => website.getAttribute('rel'), 'noreferrer')
    assert.equal(await (await cell(page, 'Date of birth')).innerText(), '3 Sept 1974')
    assert.equal((await (await cell(page, 'Active')).innerText()).trim(), 'Yes')
    const time = (await cell(page, 'Last sign-in')).locator('time')
    assert.match((await time.getAttribute('title')) ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
  },
)

inBrowser(
  'a point in time is shown in the time zone of the browser',
  { at: '/models/post?filter=id%3D1&columns=title,published_at,views_count,status,tags,metadata,body,publish_time' },
  async ({ page, checkAccess }) => {
    const time = (await cell(page, 'Published at')).locator('time')
    await assertBecomes(() => time.innerText(), '9 Jan 2023, 09:30')
    await assertBecomes(() => time.getAttribute('title'), '2023-01-09 08:30:00 UTC')
    const views = await cell(page, 'Views')
    await assertBecomes(() => views.innerText(), '3,120')
    const [own, around] = [await views.locator('.cell-number').boundingBox(), await views.boundingBox()]
    assert.ok(own !== null && around !== null)
    assert.equal(Math.round(around.x + around.width - own.x - own.width), 12)
    assert.equal(await (await cell(page, 'Status')).locator('.chip').getAttribute('data-color'), 'green')
    assert.deepEqual(await (await cell(page, 'Tags')).locator('.chip').allInnerTexts(), ['Volunteers'])
    assert.equal(await (await cell(page, 'Publication time')).innerText(), '08:30')

    const body = await cell(page, 'Text')
    const folded = (await body.boundingBox())?.height ?? 0
    assert.ok(folded <= 48, `${folded} px`)
    await body.getByRole('button', { name: 'Show all' }).press('Enter')
    assert.ok(((await body.boundingBox())?.height ?? 0) > 100)
    await body.getByRole('button', { name: 'Show less' }).click()
    const metadata = await cell(page, 'Metadata')
    await assertBecomes(() => metadata.innerText(), '{"reading_minutes":2,"pinned_until":"2023-02-01"}')
    await metadata.getByRole('button', { name: 'Show all' }).click()
    await metadata.getByText('  "reading_minutes": 2').waitFor()
    await checkAccess()
  },
)

inBrowser('a value that looks like HTML or a script is text', { at: '/models/user?filter=id%3D2' }, async ({ page, server }) => {
  await (await cell(page, 'First name')).waitFor()
  await change(server, '/models/user/2', { first_name: '<img src=x onerror=alert(1)>' })
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  assert.equal(await page.locator('td img').count(), 0)
})

inBrowser(
  'a cell is edited through the inline form; the server refuses in place',
  { at: '/models/post?filter=id%3D42', allows: ['400 /models/post/42'] },
  async ({ page, checkAccess, variant }) => {
    await page.locator('tbody tr').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Edit Category' }).count(), 0)
    await page.getByRole('button', { name: 'Edit Title' }).press('Enter')
    const input = page.getByRole('dialog').getByLabel('Title')
    await input.fill('x')
    await page.keyboard.press('Enter')
    await page.getByText(/Title must be at least 3 characters long/).waitFor()
    await checkAccess()
    const title = `Captain Abernathy, ${variant.scheme} ${variant.width}`
    await input.fill(title)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: title }).waitFor()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    await assertBecomes(() => page.locator(':focus').getAttribute('aria-label'), 'Edit Title')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: title }).waitFor({ state: 'detached' })
  },
)

inBrowser(
  'a change from elsewhere is not overwritten unseen',
  { at: '/models/post?filter=id%3D43', allows: ['412 /models/post/43'] },
  async ({ page, server, variant }) => {
    await page.locator('tbody tr').first().waitFor()
    await page.getByRole('button', { name: 'Edit Title' }).click()
    const read = page.waitForResponse((response) => response.url().endsWith('/models/post/43'))
    const input = page.getByRole('dialog').getByLabel('Title')
    const mine = `My parade, ${variant.scheme} ${variant.width}`
    await input.fill(mine)
    await (await read).finished()
    const theirs = `Theirs ${variant.scheme} ${variant.width}`
    await change(server, '/models/post/43', { title: theirs })
    await page.getByRole('link', { name: theirs }).waitFor()
    await assertBecomes(() => input.inputValue(), mine)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(`Changed elsewhere in the meantime to: ${theirs}`).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('link', { name: mine }).waitFor()
  },
)

inBrowser(
  'a write from elsewhere appears without a reload; selection and focus stay',
  { at: '/models/post?sort=id' },
  async ({ page, server, variant }) => {
    // The stream of changes opens beside the list.
    const streaming = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/events'))
    await page.reload()
    await streaming
    await page.locator('tbody tr').first().waitFor()
    const boxes = page.locator('tbody input[type=checkbox]')
    await boxes.nth(2).click()
    await boxes.nth(5).focus()
    const title = `Seen at once, ${variant.scheme} ${variant.width}`
    await change(server, '/models/post/3', { title })
    await page.getByRole('link', { name: title }).waitFor()
    assert.ok(await boxes.nth(2).isChecked())
    await assertBecomes(() => page.locator(':focus').count(), 1)
    await assertBecomes(() => page.locator('tbody tr').nth(5).locator(':focus').count(), 1)
  },
)

inBrowser('a long text that names the record is its link', { at: '/models/comment' }, async ({ page, checkAccess }) => {
  await page.locator('tbody tr').first().waitFor()
  assert.equal(await page.locator('td a button').count(), 0)
  await checkAccess()
  const link = page.locator('tbody .list-link').first()
  assert.ok(((await link.boundingBox())?.height ?? 99) <= 44)
  await link.press('Enter')
  await page.waitForURL(/\/models\/comment\/\d+$/)
})

const inBrowserWithFiles = browserSite({ withFiles: true })

inBrowserWithFiles(
  'posts of the fixture show their covers as pictures, in the list and in the form',
  { at: '/models/post?filter=cover__isnull%3Dfalse&sort=id&columns=title,cover', widths: [1280] },
  async ({ page }) => {
    const picture = (await cell(page, 'Cover')).getByRole('img')
    const alt = 'A red and white lighthouse sends its beam across a dark sea, under a crescent moon'
    await assertBecomes(() => picture.getAttribute('alt'), alt)
    await assertBecomes(() => page.evaluate("document.querySelector('.file-picture img')?.naturalWidth > 0"), true)
    await page.goto('/admin/models/post/2')
    await page.locator('[data-field=cover] .file-name').getByText('lantern-room.webp').waitFor()
  },
)

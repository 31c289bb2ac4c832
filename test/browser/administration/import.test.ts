import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { asAdmin } from '../../helpers/as-admin.ts'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose as chooseOption } from '../../helpers/browser-typing.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const inBrowser = browserSite()

const choose = (page: Page, name: string, content: string) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })

const next = (page: Page) => page.getByRole('button', { name: 'Next' })

const check = async (page: Page) => {
  await next(page).click()
  await page.getByRole('button', { name: 'Check file' }).click()
}

/** Goes back to the first step. */
const toFile = (page: Page) =>
  page.getByRole('list', { name: 'Steps of the import' }).getByRole('button', { name: 'File' }).click()

/** The button that stores the records; it says how many once the file has no errors. */
const start = (page: Page) => page.getByRole('button', { name: /^Import/ })

const errors = (page: Page) => page.getByRole('region', { name: 'Errors in the file' }).last().getByRole('row')

inBrowser(
  'a file is checked, its errors are shown by row, and only without errors it is imported',
  { at: '/models/tag/import', allows: ['400 /import'] },
  async ({ page, server, variant, checkAccess }) => {
    const slug = `${variant.scheme}-${variant.width}`
    const tags = (await apiOf(server)).model('tag')
    assert.ok(await next(page).isDisabled())
    await assertBecomes(() => page.title(), 'Import: Tags · The Harbour Journal')
    await checkAccess()

    await choose(page, 'tags.csv', `name,slug,color\nQuay ${slug},quay-${slug},#aabbcc\n,pier-${slug},red\n`)
    await check(page)
    await page.getByText('The file has errors: 2 in 1 row.').waitFor()
    await assertBecomes(
      () => errors(page).locator('td:is(:nth-child(1), :nth-child(3))').allInnerTexts(),
      ['2', 'name', '2', 'color'],
    )
    const [name, color] = await errors(page).locator('td:last-child').allInnerTexts()
    assert.equal(name, 'Name is mandatory')
    assert.equal(color, "Colour format is invalid: 'red'")
    assert.ok(await start(page).isDisabled())
    assert.equal((await tags.list({ filters: [`slug=quay-${slug}`] })).total, 0)
    await checkAccess()

    await toFile(page)
    await choose(page, 'mended.csv', `name,slug,color\nQuay ${slug},quay-${slug},#aabbcc\nPier ${slug},pier-${slug},\n`)
    await check(page)
    await page.getByText('No errors found. Nothing has been saved yet.').waitFor()
    assert.equal((await tags.list({ filters: [`slug=quay-${slug}`] })).total, 0)
    await page.getByRole('button', { name: 'Import 2 records' }).click()
    await page.getByText('Import finished.').waitFor()
    assert.equal(await start(page).count(), 1, 'only the button of another import')
    const { data } = await tags.list({ filters: [`slug__in=quay-${slug},pier-${slug}`], sort: ['id'] })
    assert.deepEqual(valuesOf(data, 'name'), [`Quay ${slug}`, `Pier ${slug}`])
    await page.getByRole('link', { name: 'Show tags' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await assertBecomes(() => page.title(), 'Tags · The Harbour Journal')
  },
)

inBrowser(
  'an import that was begun asks before it is left, for Back and for a reload',
  { at: '/models/tag' },
  async ({ page }) => {
    await page.getByRole('main').getByRole('link', { name: 'Import' }).click()
    await choose(page, 'tags.csv', 'name,slug\nMole,mole\n')
    await next(page).click()
    const columns = page.getByRole('heading', { name: 'Match columns with fields' })
    await columns.waitFor()

    await page.evaluate('history.back()')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await dialog.waitFor({ state: 'detached' })

    const question = page.waitForEvent('dialog')
    await page.evaluate('setTimeout(() => location.reload(), 0)')
    const native = await question
    assert.equal(native.type(), 'beforeunload')
    await native.dismiss()
    await columns.waitFor()

    await page.evaluate('history.back()')
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL('**/models/tag')
  },
)

inBrowser(
  'errors name the record and the line where it begins, as the shell does',
  { at: '/models/tag/import', allows: ['400 /import'] },
  async ({ page }) => {
    const cells = () => errors(page).locator('td:nth-child(-n + 3)').allInnerTexts()
    await choose(page, 'tags.csv', 'Name;Slug\n"Two\nlines";two-lines\n\n;pier\nQuay;no slug\n')
    await check(page)
    await page.getByText('Lines are the lines of the file').waitFor()
    assert.deepEqual(await cells(), ['2', '5', 'Name', '3', '6', 'Slug'])

    await page.getByRole('button', { name: 'Choose another file' }).click()
    await choose(page, 'tags.json', '[{"name": "Two", "slug": "no slug"}]')
    await check(page)
    await page.getByText('Rows are numbered from 1.').waitFor()
    assert.deepEqual((await cells()).slice(0, 2), ['1', 'slug'])
    assert.equal(await page.getByRole('columnheader', { name: 'Line' }).count(), 0)
  },
)

inBrowser('other options need another check', { at: '/models/tag/import' }, async ({ page, variant }) => {
  await choose(page, 'tags.ndjson', JSON.stringify({ name: `Buoy ${variant.width}`, slug: `buoy-${variant.width}` }))
  await page.getByLabel('Format').getByText('NDJSON').waitFor()
  await check(page)
  await page.getByRole('button', { name: 'Import 1 record' }).waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await chooseOption(page.getByLabel('Existing records'), 'Update those with the same Slug')
  assert.equal(await start(page).count(), 0)
  await page.getByRole('list', { name: 'Steps of the import' }).getByRole('button').first().waitFor()
  assert.equal(await page.getByRole('list', { name: 'Steps of the import' }).getByRole('button').count(), 1)
})

inBrowser('records with the same value are updated', { at: '/models/category/import' }, async ({ page, server, variant }) => {
  const categories = (await apiOf(server)).model('category')
  const { data: before } = await categories.read(1)
  const position = variant.width + (variant.scheme === 'dark' ? 1 : 0)
  const slug = `new-${variant.scheme}-${variant.width}`
  const rows = [
    { slug: before.slug, name: before.name, position },
    { slug, name: slug, position: 1 },
  ]
  await choose(page, 'categories.json', JSON.stringify(rows))
  await next(page).click()
  await chooseOption(page.getByLabel('Existing records'), 'Update those with the same Slug')
  await page.getByRole('button', { name: 'Check file' }).click()
  await page.getByRole('button', { name: 'Import 2 records' }).click()
  await page.getByText('Import finished.').waitFor()
  await assertBecomes(() => page.getByRole('definition').allInnerTexts(), ['1', '1', '2'])
  assert.equal((await categories.read(1)).data.position, position)
})

inBrowser('an exported file comes back with the same bytes', { at: '/models/tag/import' }, async ({ page, server, variant }) => {
  const tags = (await apiOf(server)).model('tag')
  const prefix = `back-${variant.scheme}-${variant.width}`
  const names = [
    '=1+1',
    "'=1",
    '-1.5',
    '\uFEFFmark',
    ' a ',
    '"',
    'a,b;c\td',
    'a\rb\nc',
    '\\',
    "'",
    '＝1',
    'null',
    '👩‍👩‍👧',
    '\u0001',
  ].map((name) => `${name} ${prefix}`)
  await tags.bulkCreate(names.map((name, index) => ({ name, slug: `${prefix}-${index}`, color: index === 0 ? null : '#00ff00' })))
  const own = { filters: [`slug__startswith=${prefix}`], sort: ['id'] }
  /** The bytes of the records without their ids, which an import does not keep. */
  const exported = async (format: 'csv' | 'json' | 'ndjson') =>
    (await (await tags.export({ ...own, format })).text()).replace(/^\d+,|"id":\d+,/gm, '')
  for (const format of ['csv', 'json', 'ndjson'] as const) {
    const whole = await (await tags.export({ ...own, format })).text()
    const first = await exported(format)
    const { total } = await tags.list(own)
    await tags.bulkDelete({ filters: own.filters, expectedTotal: total })
    await choose(page, `tags.${format}`, whole)
    await check(page)
    await page.getByRole('button', { name: `Import ${names.length} records` }).click()
    await page.getByText('Import finished.').waitFor()
    assert.equal(await exported(format), first)
    await page.getByRole('button', { name: 'Import another file' }).click()
  }
})

/** Holds a request back until it is opened, which may be before the request arrives. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

inBrowser('a check and an import show that they are in progress', { at: '/models/tag/import' }, async ({ page, variant }) => {
  const [checking, importing] = [gate(), gate()]
  const gates = [checking, importing]
  await page.route('**/models/tag/import?*', async (route) => {
    await gates.shift()?.opened
    await route.continue()
  })
  const slug = `slow-${variant.scheme}-${variant.width}`
  await choose(page, 'tags.csv', `name,slug\n${slug},${slug}\n`)
  await check(page)
  await page.getByRole('progressbar', { name: 'Checking the file…' }).waitFor()
  assert.ok(await page.getByRole('button', { name: 'Back' }).isDisabled())
  checking.open()
  await page.getByRole('button', { name: 'Import 1 record' }).click()
  await page.getByRole('progressbar', { name: 'Importing 1 record…' }).waitFor()
  importing.open()
  await page.getByText('Import finished.').waitFor()
  await assertBecomes(() => page.getByRole('progressbar').count(), 0)
})

inBrowser('many errors have pages', { at: '/models/tag/import', allows: ['400 /import'] }, async ({ page }) => {
  const rows = Array.from({ length: 60 }, (_, row) => `Name ${row},slug-${row},blue`)
  await choose(page, 'tags.csv', ['name,slug,color', ...rows].join('\n'))
  await check(page)
  await page.getByText('1–50 of 60').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('51–60 of 60').waitFor()
  await assertBecomes(() => errors(page).count(), 11)
})

inBrowser(
  'a file that cannot be read is refused with the message of the server',
  { at: '/models/tag/import', allows: ['400 /import'] },
  async ({ page }) => {
    await choose(page, 'tags.json', '[{"name": ')
    await check(page)
    await page.getByRole('alert').getByText(/JSON/).waitFor()
    assert.ok(await start(page).isDisabled())
  },
)

const withSmallUploads = browserSite({ env: { ADMIN_MAX_UPLOAD_BYTES: '2048' } })

withSmallUploads('a file that is too large is not sent', { at: '/models/tag/import' }, async ({ page }) => {
  await choose(page, 'large.csv', `name,slug\n${'x'.repeat(3000)},x\n`)
  await page
    .getByRole('alert')
    .getByText(/large\.csv is larger than the server accepts/)
    .waitFor()
  assert.ok(await next(page).isDisabled())
})

inBrowser(
  'an editor imports into a model that may be added',
  { as: ACCOUNTS.editor, at: '/models/tag' },
  async ({ page, variant }) => {
    await page.getByRole('link', { name: 'Import' }).click()
    const slug = `editor-${variant.scheme}-${variant.width}`
    await choose(page, 'tags.csv', `name;slug\n${slug};${slug}\n`)
    await check(page)
    await page.getByRole('button', { name: 'Import 1 record' }).click()
    await page.getByText('Import finished.').waitFor()
  },
)

const NEWCOMER = { username: 'newcomer', password: 'first-day-ashore' }

inBrowser('a model that may be viewed but not added has no import', { as: NEWCOMER }, async ({ page, server, path }) => {
  // The user may import other models, so that the import itself is available. 9 is the newcomer.
  const filters = encodeURIComponent('codename__in=view_tag,view_category,add_category')
  const { data } = await asAdmin<{ data: readonly { id: number }[] }>(server, 'GET', `/models/permission?filters=${filters}`)
  assert.equal(data.length, 3)
  await asAdmin(server, 'PUT', '/models/user/9', { data: { permissions: data.map(({ id }) => id) } })
  await page.goto(`${path}/models/category`)
  await page.getByRole('link', { name: 'Import' }).waitFor()
  await page.goto(`${path}/models/tag`)
  await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Import' }).count(), 0)
  await page.goto(`${path}/models/tag/import`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await asAdmin(server, 'PUT', '/models/user/9', { data: { permissions: [] } })
})

/** Has the page wait for the contents of a file until `release` is called with its name, or until `fail` is. */
const SLOW_FILES = `(() => {
  const waiting = new Map()
  const read = Blob.prototype.arrayBuffer
  File.prototype.arrayBuffer = function () {
    return new Promise((resolve, reject) => waiting.set(this.name, { resolve: () => resolve(read.call(this)), reject }))
  }
  globalThis.release = (name) => waiting.get(name).resolve()
  globalThis.fail = (name) => waiting.get(name).reject(new DOMException('A raw message', 'NotReadableError'))
})()`

inBrowser(
  'a file that cannot be read is named, and one that is read late replaces no later choice',
  { at: '/models/tag/import' },
  async ({ page, checkAccess }) => {
    await next(page).waitFor()
    await page.evaluate(SLOW_FILES)
    await choose(page, 'locked.csv', 'name\nQuay\n')
    await page.evaluate("fail('locked.csv')")
    await page.getByRole('alert').filter({ hasText: 'locked.csv could not be read. It may have been moved' }).waitFor()
    await checkAccess()
    assert.ok(await next(page).isDisabled())

    await choose(page, 'slow.csv', 'name,slug\nQuay,quay\nPier,pier\n')
    await page.getByLabel('Or paste cells').fill('name\tslug\nMole\tmole')
    await page.getByText('1 row and 2 columns found.').waitFor()
    await page.evaluate("release('slow.csv'); fail('locked.csv')")
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    await page.getByText('1 row and 2 columns found.').waitFor()
    await next(page).click()
    await page.getByRole('cell', { name: 'Mole' }).first().waitFor()
  },
)

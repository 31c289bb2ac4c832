import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { BARE_ACCOUNTS, bareProject } from '../../helpers/bare-project.ts'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'
import { makeProject } from '../../helpers/fixture.ts'

const inBrowser = browserSite()
/** Tests that replace all data have a server each. */
const inReset = browserSite()
const inSnapshots = browserSite({ keepsData: true })

const chart = (page: Page, title: string) => page.getByRole('table', { name: title })

inBrowser('the metrics of the server are shown as charts', { at: '/tools' }, async ({ page, server, checkAccess }) => {
  const tags = (await apiOf(server)).model('tag')
  const { total } = await tags.list({ page_size: 1 })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('button', { name: 'Refresh', disabled: false }).waitFor()
  const records = chart(page, 'Records by model').getByRole('row', { name: /^Tags/ })
  await assertBecomes(() => records.getByRole('cell').innerText(), String(total))
  const well = chart(page, 'Requests by status')
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: '200' }) })
  assert.ok(Number((await well.getByRole('cell').innerText()).replaceAll(',', '')) > 0)
  assert.ok(((await well.locator('rect').boundingBox())?.width ?? 0) > 0)
  await chart(page, 'Requests by route')
    .getByRole('row', { name: /models/ })
    .first()
    .waitFor()
  await chart(page, 'Requests by duration')
    .getByRole('rowheader', { name: /^≤ .* ms$/ })
    .first()
    .waitFor()
  assert.match(await page.locator('dt:text-is("Median") + dd').innerText(), /ms$/)
  assert.match(await page.locator('dt:text-is("Memory") + dd').innerText(), /MiB$/)
  await checkAccess()
})

const bare = await bareProject()
const inBareProject = browserSite({ project: bare.path })
after(() => bare.remove())

inBareProject('metrics that are off are not asked for', { as: BARE_ACCOUNTS.superuser, at: '/tools' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Metrics are off' }).waitFor()
})

const MODEL = 'name: Boat\nicon: no-such-icon\nfields:\n  - { name: title, type: string, required: true }\n'
const SUPERUSER = { ...ACCOUNTS.superuser, email: 'admin@example.org', is_superuser: true }
const faulty = await makeProject({ 'models/boat.yaml': MODEL, 'seed/user.json': JSON.stringify([SUPERUSER]) })
const inFaultyProject = browserSite({ project: faulty.path })
after(() => faulty.remove())

inFaultyProject(
  'lint findings have file and line, and are filtered by severity',
  { at: '/tools?tab=lint' },
  async ({ page, server, checkAccess }) => {
    const report = await (await apiOf(server)).lint()
    const [first] = report.findings
    assert.ok(first !== undefined)
    assert.deepEqual([first.file, first.line, first.severity], ['models/boat.yaml', 2, 'warn'])
    const findings = page.getByRole('region', { name: 'Lint' }).locator('tbody').getByRole('row')
    const row = findings.filter({ hasText: `${first.file}:${first.line}:${first.column}` }).first()
    await row.getByText(first.message).waitFor()
    await row.getByText(first.rule, { exact: true }).waitFor()
    await assertBecomes(() => findings.count(), report.findings.length)
    await checkAccess()
    await choose(page.getByLabel('Severity'), 'Error')
    await page.waitForURL(/severity=error/)
    await page.getByText('No problems found.').waitFor()
    await page.goBack()
    await row.waitFor()
    await choose(page.getByLabel('Severity'), 'Warning')
    await page.waitForURL(/severity=warn/)
    await assertBecomes(() => findings.count(), 1)
  },
)

inSnapshots(
  'a snapshot is saved, loaded and deleted',
  { at: '/tools?tab=snapshots' },
  async ({ page, server, variant, path, checkAccess }) => {
    const name = `harbour-${variant.scheme}-${variant.width}`
    const slug = `after-${name}`
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })
    await page.getByLabel('Name').fill('not a name')
    await page.getByRole('button', { name: 'Save snapshot' }).click()
    await page.locator('[data-invalid]').getByText('Use letters').waitFor()
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Save snapshot' }).click()
    await row.getByText(/KiB$/).waitFor()
    await checkAccess()
    await (await apiOf(server)).model('tag').create({ name: slug, slug })

    await row.getByRole('button', { name: 'Load' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This replaces all current data').waitFor()
    await checkAccess()
    await dialog.getByRole('button', { name: 'Load' }).click()
    await page.getByText(`Snapshot ${name} loaded`).waitFor()
    assert.equal((await (await apiOf(server)).model('tag').list({ filters: [`slug=${slug}`] })).total, 0)

    await row.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    await page.goto(`${path}/tools?tab=snapshots`)
    await page.getByLabel('Name').waitFor()
    assert.equal(await row.count(), 0)
  },
)

inBrowser('a server without data files says that it has no snapshots', { at: '/tools?tab=snapshots' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Snapshots are not available' }).waitFor()
})

inBrowser(
  'the numbers of mock data are checked before and after they are sent, and named by their titles',
  { at: '/tools?tab=mock', allows: ['400 /mock'] },
  async ({ page, checkAccess }) => {
    const count = page.getByLabel('Records per model')
    const create = page.getByRole('button', { name: 'Create records' })
    await page.getByRole('checkbox', { name: 'Tags' }).check()
    await count.fill('1.5')
    await page.getByText('This is not a number.').waitFor()
    await create.click()
    await checkAccess()
    await count.fill('0')
    await create.click()
    await page.getByText(/^Records per model must/).waitFor()
  },
)

inBrowser('mock data are created for the chosen models', { at: '/tools' }, async ({ page, server, checkAccess }) => {
  const tags = (await apiOf(server)).model('tag')
  const { total: before } = await tags.list({ page_size: 1 })
  await page.getByRole('tab', { name: 'Mock data' }).click()
  await page.waitForURL(/tab=mock/)
  const create = page.getByRole('button', { name: 'Create records' })
  await create.click()
  await page.getByText('Select at least one model.').waitFor()
  await page.getByRole('checkbox', { name: 'Tags' }).check()
  await page.getByLabel('Records per model').fill('3')
  await page.getByLabel('Seed').fill(String(before))
  await create.click()
  const created = page.getByRole('status').filter({ hasText: `with the seed ${before}.` })
  await created.getByText('Tags: 3').waitFor()
  assert.equal((await tags.list({ page_size: 1 })).total, before + 3)
  await checkAccess()
  await created.getByRole('link', { name: 'Tags' }).click()
  await page
    .getByRole('status')
    .getByText(`${before + 3} records`, { exact: true })
    .waitFor()
})

inReset('the data is reset after a word was typed', { at: '/tools?tab=reset' }, async ({ page, server, checkAccess }) => {
  const categories = (await apiOf(server)).model('category')
  await categories.create({ name: 'Shoals', slug: 'shoals' })
  const { total } = await categories.list({ page_size: 1 })
  await page.getByLabel('Create the seed records again').uncheck()
  await page.getByRole('button', { name: 'Reset data' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`Categories: ${total}`).waitFor()
  const confirm = dialog.getByRole('button', { name: 'Reset data' })
  assert.ok(await confirm.isDisabled())
  await checkAccess()
  await dialog.getByLabel('Type “reset” to confirm').fill('reset')
  await confirm.click()
  await page.getByText('Data reset', { exact: true }).waitFor()
  assert.equal((await categories.list({ page_size: 1 })).total, 0)
})

inBrowser('the tools lead to the documentation of the API', { at: '/tools' }, async ({ page, context }) => {
  const link = page.getByRole('main').getByRole('link', { name: 'API documentation' })
  const address = new URL((await link.getAttribute('href')) ?? '', page.url())
  assert.equal(address.pathname, '/docs')
  const answer = await context.request.get(address.href)
  assert.equal(answer.status(), 200)
})

for (const tab of ['metrics', 'snapshots', 'lint']) {
  inBrowser(`an editor has no tools (${tab})`, { as: ACCOUNTS.editor, at: `/tools?tab=${tab}` }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(await page.locator('a[href$="/tools"]').count(), 0)
  })
}

inBrowser('all tabs of the tools are in sight on a phone', { at: '/tools', widths: [360] }, async ({ page }) => {
  await page.getByRole('tab', { name: 'Reset' }).waitFor()
  for (const tab of await page.getByRole('tab').all()) {
    const box = await tab.boundingBox()
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box))
  }
})

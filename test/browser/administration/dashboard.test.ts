import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { startReceiver } from '../../helpers/api/receiver.ts'
import { BARE_ACCOUNTS, bareProject } from '../../helpers/bare-project.ts'
import { ACCOUNTS, type BrowserSituation, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'

const inBrowser = browserSite()

const bare = await bareProject()
const inBareProject = browserSite({ project: bare.path })
after(() => bare.remove())

const cards = (page: Page) => page.getByRole('main').locator('.cards').getByRole('link')

/** Labels and counts of the cards, in order. */
const counts = async (page: Page) => (await cards(page).allInnerTexts()).map((text) => text.split('\n').filter(Boolean))

/** Labels and counts of the models that the account may access, as the page shows them: by group, those without one last. */
async function countsOf({ server }: BrowserSituation, account: { username: string; password: string }) {
  const { models } = await (await apiOf(server, account)).site()
  const inGroup = (group: string | null) => models.filter((model) => model.group === group)
  const groups = new Set(models.flatMap(({ group }) => group ?? []))
  return [...[...groups].flatMap(inGroup), ...inGroup(null)].map(({ label, count }) => [
    label,
    count === undefined ? 'Adding only' : count.toLocaleString('en-GB'),
  ])
}

/** The paths that a page asks the API for. */
function requestsOf(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  return paths
}

inBrowser('the dashboard counts the records of every model and leads to their lists', {}, async (situation) => {
  const { page } = situation
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  const expected = await countsOf(situation, ACCOUNTS.superuser)
  await cards(page)
    .nth(expected.length - 1)
    .waitFor()
  assert.deepEqual(await counts(page), expected)
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Comments/ })
    .click()
  await page.getByRole('heading', { level: 1, name: 'Comments' }).waitFor()
})

inBrowser('a change made elsewhere appears among the latest changes, and changes the count', {}, async (situation) => {
  const { page, server, variant } = situation
  const changes = page.getByRole('region', { name: 'Latest changes' })
  const isFollowing = page.waitForResponse((response) => response.url().includes('/api/v1/events'))
  await page.reload()
  await isFollowing
  await changes.getByRole('link', { name: 'All changes' }).waitFor()
  const tags = (await apiOf(server)).model('tag')
  const name = `Flag ${variant.scheme} ${variant.width}`
  const { data } = await tags.create({ name, slug: name.toLowerCase().replaceAll(' ', '-') })
  const row = changes.getByRole('row').filter({ has: page.getByRole('link', { name: `Tags ${data.id}`, exact: true }) })
  await row.getByText('Created').waitFor()
  await row.getByText('admin').waitFor()
  await row.getByRole('link').click()
  assert.equal(await page.getByLabel('Name').inputValue(), name)
  await page.goBack()
  const expected = await countsOf(situation, ACCOUNTS.superuser)
  const [, count = ''] = expected.find(([label]) => label === 'Tags') ?? []
  await cards(page).filter({ hasText: 'Tags' }).getByText(count, { exact: true }).waitFor()
})

inBrowser('a webhook whose receiver fails is shown until it answers well', {}, async ({ page, server, variant, checkAccess }) => {
  await using receiver = await startReceiver(500)
  const api = await apiOf(server)
  const url = `${receiver.url}/${variant.scheme}-${variant.width}`
  const body = { url, events: ['update'], models: ['category'] }
  const { data: webhook } = (await api.request('/webhooks', { method: 'POST', body })) as { data: { id: number } }
  await api.model('category').update(1, { position: variant.width })
  await receiver.arrived(1)
  await failed(server, webhook.id)
  await page.reload()
  const section = page.getByRole('region', { name: 'Webhooks' })
  const failing = section.getByRole('status').filter({ hasText: url })
  await failing.getByText('Failing since').waitFor()
  await checkAccess()
  await failing.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: url }).waitFor()
  await api.request(`/webhooks/${webhook.id}`, { method: 'DELETE' })
  await page.goto('/admin/')
  await cards(page).first().waitFor()
  await page.getByText(url).waitFor({ state: 'detached' })
})

/** Waits until the server has recorded that the receiver failed. */
async function failed(server: BrowserSituation['server'], id: number): Promise<void> {
  const api = await apiOf(server)
  for (;;) {
    const { data } = (await api.request(`/webhooks/${id}`)) as { data: { failing_since: string | null } }
    if (data.failing_since !== null) return
  }
}

inBrowser('an editor sees the models of the group, and nothing of superusers', { as: ACCOUNTS.editor }, async (situation) => {
  const { page } = situation
  const requests = requestsOf(page)
  await page.reload()
  const expected = await countsOf(situation, ACCOUNTS.editor)
  assert.deepEqual(
    expected.map(([label]) => label),
    ['Comments', 'Posts', 'Fees', 'Categories', 'Tags'],
  )
  await cards(page).nth(4).waitFor()
  assert.deepEqual(await counts(page), expected)
  assert.equal(await page.getByRole('region', { name: 'Latest changes' }).count(), 0)
  assert.equal(await page.getByRole('region', { name: 'Webhooks' }).count(), 0)
  const ofSuperusers = requests.filter((path) => /\/api\/v1\/(history|webhooks|lint|snapshots)/.test(path))
  assert.deepEqual(ofSuperusers, [])
})

inBareProject('a user without permissions reads why there is nothing', { as: BARE_ACCOUNTS.visitor }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Nothing to show yet' }).waitFor()
  assert.equal(await page.getByRole('main').getByRole('link').count(), 0)
})

inBrowser(
  'a request of the dashboard that fails is shown with its id, and can be repeated',
  { at: '/account', allows: ['503 /history'] },
  async ({ page, path }) => {
    await page.route('**/api/v1/history?*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        headers: { 'x-request-id': 'req-for-support' },
        body: JSON.stringify({ error: { code: 'STORAGE_UNAVAILABLE', message: 'The disk is full', details: {} } }),
      }),
    )
    await page.goto(`${path}/`)
    const changes = page.getByRole('region', { name: 'Latest changes' })
    await changes.getByRole('alert').getByText('Details').click()
    await changes.getByRole('alert').getByText('req-for-support').waitFor()
    await page.unroute('**/api/v1/history?*')
    await changes.getByRole('button', { name: 'Try again' }).click()
    await changes.getByRole('table').or(changes.getByText('No record has been changed yet.')).waitFor()
  },
)

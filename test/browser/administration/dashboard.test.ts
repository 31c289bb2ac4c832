import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { startReceiver } from '../../helpers/api/receiver.ts'
import { BARE_ACCOUNTS, bareProject } from '../../helpers/bare-project.ts'
import { ACCOUNTS, type BrowserSituation, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes, fieldOf } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const bare = await bareProject()
const inBareProject = browserSite({ project: bare.path })
after(() => bare.remove())

/** The paths that a page asks the API for. */
function requestsOf(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  return paths
}

inBrowser('first steps lead on, until the user has opened records and saved lists', {}, async ({ page, path, server }) => {
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByRole('link', { name: 'Browse comments' }).waitFor()
  await steps.getByRole('link', { name: 'Add a user' }).waitFor()
  await page.goto(`${path}/models/tag/1`)
  const name = await page.getByRole('heading', { level: 1 }).innerText()
  const views = (await apiOf(server)).model('savedview')
  const { data } = await views.create({ name: 'My drafts', model: 'post', query: 'filter=status%3Ddraft' })
  await page.goto(`${path}/`)
  const recent = page.getByRole('region', { name: 'Recently opened' })
  await recent.getByRole('link', { name, exact: true }).waitFor()
  assert.equal(await steps.count(), 0)
  await page.getByRole('region', { name: 'Saved views' }).getByRole('link', { name: 'My drafts' }).click()
  await page.waitForURL(/models\/post\?filter=status%3Ddraft&view=\d+$/)
  await views.delete(data.id)
})

inBrowser('long first steps take a second line', { widths: [360, 768] }, async ({ page, checkAccess }) => {
  await page.evaluate(`localStorage['admin.language'] = '"de"'`)
  await page.reload()
  await page.getByRole('link', { name: 'Gruppen und ihre Berechtigungen einrichten' }).waitFor()
  const cut = `[...document.querySelectorAll('.entry a')].filter((link) => link.scrollWidth > link.clientWidth).map((link) => link.innerText)`
  assert.deepEqual(await page.evaluate(cut), [])
  await checkAccess()
})

inBrowser('a change made elsewhere appears among the latest changes, by its name', {}, async ({ page, server, variant }) => {
  const changes = page.getByRole('region', { name: 'Latest changes' })
  const isFollowing = page.waitForResponse((response) => response.url().includes('/api/v1/events'))
  await page.reload()
  await isFollowing
  await page.getByRole('region', { name: 'First steps' }).waitFor()
  const tags = (await apiOf(server)).model('tag')
  const name = `Flag ${variant.scheme} ${variant.width}`
  await tags.create({ name, slug: name.toLowerCase().replaceAll(' ', '-') })
  const entry = changes.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
  await entry.getByText('Created · admin').waitFor()
  await entry.getByRole('link').click()
  await assertBecomes(() => fieldOf(page, 'Name').inputValue(), name)
})

inBrowser(
  'names that cannot be read are no deletions, and names stay while others are read',
  { at: '/account', allows: ['503 /models/category'] },
  async ({ page, server, path, checkAccess }) => {
    const api = await apiOf(server)
    const { data: category } = await api.model('category').create({ name: 'Pilots', slug: 'pilots' })
    await page.goto(`${path}/models/category/${category.id}`)
    await page.getByRole('heading', { level: 1, name: 'Pilots' }).waitFor()
    const names = '**/api/v1/models/category?*'
    await page.route(names, (route) => route.fulfill({ status: 503, contentType: 'application/json', body: '{}' }))
    await page.goto(`${path}/`)
    const recent = page.getByRole('region', { name: 'Recently opened' })
    const changes = page.getByRole('region', { name: 'Latest changes' })
    for (const part of [recent, changes]) await part.getByRole('link', { name: `#${category.id}` }).waitFor()
    await checkAccess()
    await page.unroute(names)
    await recent.getByRole('button', { name: 'Try again' }).click()
    for (const part of [recent, changes]) await part.getByRole('link', { name: 'Pilots' }).waitFor()

    // The names of the latest changes are read again after each change; until they are there, those that are known stay.
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(names, async (route) => {
      await released
      await route.continue()
    })
    const { data: other } = await api.model('category').create({ name: 'Tugs', slug: 'tugs' })
    await changes.getByRole('link', { name: `#${other.id}` }).waitFor()
    await changes.getByRole('link', { name: 'Pilots' }).waitFor()
    release()
    await changes.getByRole('link', { name: 'Tugs' }).waitFor()

    // What was opened is gone: the first steps are there in its place.
    await api.model('category').delete(category.id)
    await recent.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'First steps' }).waitFor()
  },
)

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
  await page
    .getByRole('region', { name: 'First steps' })
    .or(page.getByRole('region', { name: 'Recently opened' }))
    .first()
    .waitFor()
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

inBrowser('an editor sees nothing of superusers', { as: ACCOUNTS.editor }, async ({ page }) => {
  const requests = requestsOf(page)
  await page.reload()
  await page.getByRole('region', { name: 'First steps' }).getByRole('link').first().waitFor()
  assert.equal(await page.getByRole('link', { name: 'Add a user' }).count(), 0)
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
    await changes
      .or(page.getByRole('region', { name: 'First steps' }))
      .first()
      .waitFor()
  },
)

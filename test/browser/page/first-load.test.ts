import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'

const inBrowser = browserSite()

/** Requests of the API since the last navigation, as `<method> <path>`. */
function requestsOf(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.isNavigationRequest()) sent.length = 0
    else if (pathname.includes('/api/')) sent.push(`${request.method()} ${pathname}`)
  })
  return sent
}

/** Holds requests back until the returned function is called. */
async function held(page: Page, pattern: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(pattern, async (route) => {
    await released
    await route.continue()
  })
  return release
}

/** A page that sends no request of its own. */
const QUIET = '/none'

const FIRST_REQUESTS = ['POST /api/v1/auth/refresh', 'GET /admin/api/v1/site', 'GET /admin/api/v1/views/tag']

inBrowser('the first requests are sent before the modules of the page are there', { at: QUIET }, async ({ page, path }) => {
  await page.getByText('Page not found').waitFor()
  const sent = requestsOf(page)
  const release = await held(page, '**/assets/page-*.js')
  const views = page.waitForResponse((response) => response.url().includes('/views/tag'))
  await page.goto(`${path}/models/tag`, { waitUntil: 'commit' })
  await views
  assert.deepEqual(
    sent.filter((request) => !request.endsWith('/events')),
    FIRST_REQUESTS,
  )
  release()
  await page.locator('tbody tr').first().waitFor()
})

inBrowser('the first load of a list reads everything once', { at: QUIET }, async ({ page, path, server, variant }) => {
  await page.getByText('Page not found').waitFor()
  const sent = requestsOf(page)
  // The stream opens when the list has been read, which it must not repeat.
  const open = await held(page, '**/events')
  const streaming = page.waitForResponse((response) => response.url().includes('/events'))
  await page.goto(`${path}/models/tag?sort=id`)
  await page.locator('tbody tr').first().waitFor()
  open()
  await streaming
  // A change that the stream reports comes after all that its opening could read.
  const name = `First load ${variant.scheme} ${variant.width}`
  await (await apiOf(server)).model('tag').update(7, { name })
  await page.getByRole('link', { name, exact: true }).waitFor()
  const isList = (request: string) => request === 'GET /api/v1/models/tag'
  assert.deepEqual(
    sent.filter((request) => !isList(request) && !request.endsWith('/events')),
    FIRST_REQUESTS,
  )
  assert.equal(sent.filter(isList).length, 2, 'one of the load, one of the change')
})

inBrowser('a model that the user may not access is not asked for', { at: QUIET }, async ({ page, path }) => {
  await page.getByText('Page not found').waitFor()
  const sent = requestsOf(page)
  await page.goto(`${path}/models/none`)
  await page.getByText('Page not found').waitFor()
  assert.deepEqual(
    sent.filter((request) => !request.endsWith('/events')),
    FIRST_REQUESTS.slice(0, 2),
  )
})

inBrowser(
  'a visitor without a session is asked to log in after one request, for the ways to log in',
  { as: null, at: '/' },
  async ({ page, path }) => {
    const sent = requestsOf(page)
    await page.goto(`${path}/models/tag`)
    await page.getByLabel('Password', { exact: true }).waitFor()
    assert.deepEqual(sent, ['GET /api/v1/auth/methods'])
  },
)

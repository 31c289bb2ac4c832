import assert from 'node:assert/strict'
import type { Locator, Page, Route } from 'playwright-core'
import { asAdmin } from '../../helpers/as-admin.ts'
import { browserSite } from '../../helpers/browser.ts'

const inBrowser = browserSite()
/** Snapshots are taken of data in files. */
const inBrowserWithFiles = browserSite({ keepsData: true })
/** Its test deletes all records of a model. */
const inEmptyModel = browserSite()

const FAULT = { status: 500, json: { error: 'The disk is full' }, headers: { 'X-Request-ID': 'request-to-quote' } }

/** Waits until the page shows something and is no longer loading. */
async function atRest(page: Page): Promise<void> {
  await page.locator('main :is(h1, h2, [role=alert], p)').first().waitFor()
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** The paths of the API that an address asks for. The stream of changes is left out: it may end at any time. */
async function requestsOf(page: Page, address: string, heading = 'h1'): Promise<readonly string[]> {
  const asked = new Set<string>()
  const note = (request: { url(): string }) => {
    const { pathname } = new URL(request.url())
    if (/\/api\/v1\/|\/metrics/.test(pathname) && !pathname.endsWith('/events')) asked.add(pathname)
  }
  page.on('request', note)
  // Requests of the former page are none of this one.
  page.once('framenavigated', () => asked.clear())
  await page.goto(address)
  await page.waitForLoadState('load')
  await page.locator(`main ${heading}`).first().waitFor()
  await atRest(page)
  page.off('request', note)
  return [...asked]
}

/** What the frame around every page asks for. */
let ofFrame: Promise<readonly string[]> | undefined

/** The paths to let fail at an address. Those of the frame fail in the same way at all of them, so one address stands for the others. */
async function pathsToFail(page: Page, path: string, address: string): Promise<readonly string[]> {
  ofFrame ??= requestsOf(page, `${path}/nothing`, 'h2')
  const frame = await ofFrame
  assert.ok(frame.length > 0)
  const asked = await requestsOf(page, path + address)
  const chosen = address === '/' ? asked : asked.filter((pathname) => !frame.includes(pathname))
  assert.ok(chosen.length > 0, `${address}: ${asked}`)
  return chosen
}

/** Lets the requests of a path fail until the returned function is called. */
async function failing(page: Page, pathname: string, fail: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
  const isIt = (url: URL) => url.pathname === pathname
  await page.route(isIt, fail)
  return () => page.unroute(isIt)
}

/** Presses the buttons of all messages, and waits until none is left. */
async function tryAgain(messages: Locator): Promise<void> {
  // From the last one, since those that succeed disappear.
  for (const each of (await messages.all()).reverse()) await each.getByRole('button', { name: 'Try again' }).click()
  await messages.first().waitFor({ state: 'detached' })
}

for (const address of [
  '/',
  '/models/post',
  '/models/comment?filter=post_id%3D1',
  '/models/post/1',
  '/models/post/1?tab=history',
  '/models/user/1',
  '/models/group/1',
  '/models/comment/new',
  '/models/tag/import',
  '/history',
  '/webhooks',
  '/account',
  '/tools',
  '/tools?tab=lint',
  '/tools?tab=snapshots',
]) {
  const inSite = address.endsWith('snapshots') ? inBrowserWithFiles : inBrowser
  inSite(
    `a failing request of ${address} leaves the page usable and can be tried again`,
    { at: '/account', allows: ['500 /'] },
    async ({ page, path, checkAccess }) => {
      const requests = await pathsToFail(page, path, address)
      const title = await page.locator('main h1').first().innerText()
      for (const pathname of requests) {
        const recover = await failing(page, pathname, (route) => route.fulfill(FAULT))
        await page.goto(path + address)
        const message = page.getByRole('alert').filter({ hasText: 'request-to-quote' })
        await message.first().waitFor()
        assert.match(await message.first().innerText(), /The disk is full/, pathname)
        // The message is the same in each part of a page.
        if (pathname === requests[0]) await checkAccess()
        await recover()
        await tryAgain(message)
        await page.locator('main h1').filter({ hasText: title }).waitFor()
        await atRest(page)
      }
    },
  )
}

/** As a server that has stopped: no response. */
const noResponse = (route: Route) => route.abort('connectionrefused')

for (const address of ['/', '/models/tag', '/models/tag/1', '/history'])
  inBrowser(`a server that cannot be reached is said at ${address}`, { at: '/account' }, async ({ page, path, checkAccess }) => {
    const requests = await pathsToFail(page, path, address)
    const title = await page.locator('main h1').first().innerText()
    for (const pathname of requests) {
      const recover = await failing(page, pathname, noResponse)
      await page.goto(path + address)
      const message = page.getByRole('alert').filter({ hasText: 'The server cannot be reached' })
      await message.first().waitFor()
      if (pathname === requests[0]) await checkAccess()
      await recover()
      await tryAgain(message)
      await page.locator('main h1').filter({ hasText: title }).waitFor()
    }
  })

inBrowser('a search of the palette that fails says so', { allows: ['500 /'] }, async ({ page, checkAccess }) => {
  const recover = await failing(page, '/api/v1/search', (route) => route.fulfill(FAULT))
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog')
  await palette.getByRole('combobox').fill('harbour')
  const message = palette.getByRole('alert').filter({ hasText: 'request-to-quote' })
  await message.waitFor()
  assert.equal(await palette.getByText('No matches').count(), 0)
  await checkAccess()
  await recover()
  await tryAgain(message)
  await palette
    .getByRole('option', { name: /harbour/i })
    .first()
    .waitFor()
})

inBrowser(
  'a picker whose options cannot be read says so',
  { at: '/models/comment/new', allows: ['500 /'] },
  async (situation) => {
    const { page, checkAccess } = situation
    const recover = await failing(page, '/api/v1/models/post', (route) => route.fulfill(FAULT))
    await page.getByLabel('Post').first().click()
    const message = page.getByRole('alert').filter({ hasText: 'request-to-quote' })
    await message.waitFor()
    assert.equal(await page.getByText('No matches').count(), 0)
    await checkAccess()
    await recover()
    await tryAgain(message)
    await page.getByRole('option').first().waitFor()
  },
)

inBrowser('an address without a page leads back to the dashboard', {}, async ({ page, path, checkAccess }) => {
  for (const address of ['/nothing', '/models/nothing', '/models/post/nothing', '/webhooks/none']) {
    await page.goto(path + address)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await checkAccess()
    await page.getByRole('link', { name: 'Go to the dashboard' }).click()
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  }
})

inEmptyModel(
  'a model without records offers to add the first one',
  { at: '/account' },
  async ({ page, server, path, checkAccess }) => {
    const { data } = await asAdmin<{ data: readonly { id: number }[] }>(server, 'GET', '/models/fee')
    for (const { id } of data) await asAdmin(server, 'DELETE', `/models/fee/${id}`)
    await page.goto(`${path}/models/fee`)
    await page.getByRole('heading', { name: 'No fees yet' }).waitFor()
    await checkAccess()
    await page.locator('main').getByRole('link', { name: 'Add the first one' }).click()
    await page.waitForURL(/\/models\/fee\/new/)
  },
)

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../helpers/browser.ts'

const inBrowser = browserSite()

/** Requests of the API that a page makes, by method and path; without the stream, which `live.test.ts` breaks. */
async function requestsOf(page: Page, address: string): Promise<string[]> {
  const asked = new Set<string>()
  const note = (request: { url(): string }) => {
    const { pathname } = new URL(request.url())
    if (/\/api\/v1\/|\/metrics/.test(pathname) && !pathname.endsWith('/events')) asked.add(pathname)
  }
  page.on('request', note)
  await page.goto(address)
  await atRest(page)
  page.off('request', note)
  return [...asked]
}

/** Waits until the page shows something and is no longer loading. */
async function atRest(page: Page): Promise<void> {
  await page.locator('main :is(h1, h2, [role=alert], p)').first().waitFor()
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
}

const FAULT = { error: { code: 'INTERNAL_ERROR', message: 'The disk is full', request_id: 'request-to-quote' } }

for (const address of [
  '/',
  '/models/post',
  '/models/post/1',
  '/models/comment/new',
  '/models/tag/import',
  '/history',
  '/webhooks',
  '/account',
  '/tools',
  '/tools?tab=lint',
  '/tools?tab=snapshots',
])
  inBrowser(
    `a failing request of ${address} leaves the page usable and can be tried again`,
    { at: '/account', allows: ['500 /'] },
    async ({ page, path, checkAccess }) => {
      const requests = await requestsOf(page, path + address)
      assert.ok(requests.length > 0)
      for (const pathname of requests) {
        let failed = 0
        const isIt = (url: URL) => url.pathname === pathname
        // A read is repeated by the client, so it fails until it is tried again.
        await page.route(isIt, (route) => {
          failed += 1
          return route.fulfill({ status: 500, json: FAULT, headers: { 'X-Request-ID': 'request-to-quote' } })
        })
        await page.goto(path + address)
        await page.getByText('request-to-quote').first().waitFor()
        await atRest(page)
        await checkAccess()
        assert.ok(failed > 0, pathname)
        await page.unroute(isIt)
        await page.getByRole('button', { name: 'Try again' }).first().click()
        await page.getByText('request-to-quote').first().waitFor({ state: 'detached' })
        await page.locator('main :is(h1, h2)').first().waitFor()
      }
    },
  )

inBrowser('a server that cannot be reached leaves a message and a button', { at: '/models/tag' }, async ({ page, context }) => {
  await page.locator('tbody tr').first().waitFor()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Columns' }).waitFor()
  await page.getByRole('searchbox').fill('harbour')
  await page.getByText('The server cannot be reached').first().waitFor()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByText('The server cannot be reached').first().waitFor({ state: 'detached' })
})

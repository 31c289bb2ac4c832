import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const refusal = (seconds: number) => ({
  status: 429,
  json: { error: `At most 100 requests a minute (the setting rate_limits.default); try again in ${seconds} seconds` },
  headers: { 'Retry-After': String(seconds) },
})

/** Refuses the first request of each path of the API. The stream of changes, which waits by itself, is left alone. */
async function refuseEachOnce(page: Page, seconds: number): Promise<ReadonlySet<string>> {
  const refused = new Set<string>()
  await page.route(/\/api\/v1\//, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (refused.has(pathname) || pathname.endsWith('/events')) return route.fallback()
    refused.add(pathname)
    return route.fulfill(refusal(seconds))
  })
  return refused
}

inBrowser(
  'reads over the rate limit wait and are repeated, which the page says',
  { at: '/account', allows: ['429 /'] },
  async ({ page, path, checkAccess }) => {
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    const refused = await refuseEachOnce(page, 1)
    await page.goto(`${path}/models/tag`)
    await page
      .getByRole('status')
      .getByText(/Too many requests; trying again in \d+ s/)
      .first()
      .waitFor()
    await page.getByRole('row').nth(5).waitFor()
    await page
      .getByText(/Too many requests/)
      .first()
      .waitFor({ state: 'detached' })
    await assertBecomes(() => page.getByRole('alert').count(), 0)
    for (const wanted of ['/auth/refresh', '/site', '/views/tag', '/models/tag'])
      assert.ok(
        [...refused].some((pathname) => pathname.endsWith(wanted)),
        wanted,
      )
    await checkAccess()
  },
)

inBrowser(
  'the notice of a wait counts down, and an answer is not awaited by a page that was left',
  { allows: ['429 /'] },
  async ({ page }) => {
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await page.clock.install()
    await page.route(/\/models\/tag\b/, (route) => route.fulfill(refusal(45)))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Tags')
    await page.getByRole('option', { name: 'Tags' }).first().click()
    await page.getByText('trying again in 45 s').first().waitFor()
    await page.clock.runFor(5000)
    await page.getByText('trying again in 40 s').first().waitFor()
    await page.goBack()
    await page
      .getByText(/trying again/)
      .first()
      .waitFor({ state: 'detached' })
  },
)

inBrowser(
  'a save over the rate limit is not repeated and says when it may be tried again',
  { at: '/models/tag/3', allows: ['429 /api/v1/models/tag/3'] },
  async ({ page, checkAccess }) => {
    let saves = 0
    await page.route('**/models/tag/3', (route) => {
      if (route.request().method() !== 'PUT') return route.fallback()
      saves++
      return saves === 1 ? route.fulfill(refusal(8)) : route.fallback()
    })
    await page.getByLabel('Name').fill('A patient tag')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('Too many requests. Try again in 8 s.').waitFor()
    await assertBecomes(() => page.getByLabel('Name').inputValue(), 'A patient tag')
    assert.equal(saves, 1)
    await checkAccess()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'A patient tag' }).waitFor()
    assert.equal(saves, 2)
  },
)

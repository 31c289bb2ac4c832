import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const OFFLINE = 'You are offline. Changes by others appear once you are connected again.'

/** Waits until the list shows its first records and follows changes. */
async function openList(page: Page): Promise<void> {
  const streaming = page.waitForResponse((response) => response.url().includes('/events'))
  await page.reload()
  await page.locator('tbody tr').first().waitFor()
  await streaming
}

inBrowser(
  'a record that is created elsewhere appears in an open list',
  { at: '/models/tag' },
  async ({ page, server, variant }) => {
    await openList(page)
    const name = `Live ${variant.scheme} ${variant.width}`
    const tags = (await apiOf(server)).model('tag')
    const { data } = await tags.create({ name, slug: name.toLowerCase().replaceAll(' ', '-') })
    await page.getByRole('link', { name, exact: true }).waitFor()
    await tags.delete(data.id)
    await page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' })
  },
)

inBrowser(
  'without a stream the focus of the window asks, and the page says that it is offline',
  { at: '/models/tag?sort=id' },
  async ({ page, server, variant }) => {
    await page.route('**/events*', (route) => route.abort())
    await page.reload()
    await page.locator('tbody tr').first().waitFor()
    await page.getByText(OFFLINE).waitFor()
    const name = `Focused ${variant.scheme} ${variant.width}`
    await (await apiOf(server)).model('tag').update(5, { name })
    // Every answer to a request that began before the change has arrived; none shows it.
    assert.equal(await page.getByRole('link', { name, exact: true }).count(), 0)
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByRole('link', { name, exact: true }).waitFor()
    await page.getByText(OFFLINE).waitFor()

    await page.unrouteAll()
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByText(OFFLINE).waitFor({ state: 'detached' })
    await (await apiOf(server)).model('tag').update(5, { name: `${name}, again` })
    await page.getByRole('link', { name: `${name}, again`, exact: true }).waitFor()
  },
)

inBrowser(
  'a form keeps what is typed while the connection is lost and back',
  { at: '/models/tag/6' },
  async ({ page, context }) => {
    await page.getByLabel('Name').fill('Typed before')
    // The browser tells the page before it cuts the network: a stream that is opened in between would stand.
    await page.route('**/events*', (route) => route.abort())
    await context.setOffline(true)
    await page.getByText(OFFLINE).waitFor()
    await page.getByLabel('Name').fill('Typed while offline')
    await page.unrouteAll()
    await context.setOffline(false)
    await page.getByText(OFFLINE).waitFor({ state: 'detached' })
    await assertBecomes(() => page.getByLabel('Name').inputValue(), 'Typed while offline')
  },
)

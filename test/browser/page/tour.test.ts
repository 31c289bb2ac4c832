import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ACCOUNTS, type BrowserSituation, browserSite } from '../../helpers/browser.ts'
import { assertStillLayout, WATCH_LAYOUT } from '../../helpers/layout-shift.ts'
import { SMALL_TARGETS } from '../../helpers/small-targets.ts'

const inBrowser = browserSite()

/** A server with other paths, whose views need a login. */
const elsewhere = browserSite({
  path: '/journal/manage',
  env: { ADMIN_BASE_PATH: '/journal', ADMIN_ADMIN_PATH: '/manage', ADMIN_VIEWS_AUTH: 'required' },
})

/** Inputs whose popups the browser draws, in its own language. */
const BROWSER_POPUPS = [
  'select',
  ...['date', 'time', 'datetime-local', 'month', 'week'].map((type) => `input[type=${type}]`),
].join()

/** Opens each address and checks what it shows. */
async function visit({ page, path, variant, checkAccess }: BrowserSituation, addresses: readonly string[]): Promise<void> {
  await page.addInitScript({ content: WATCH_LAYOUT })
  for (const address of addresses) {
    await page.goto(path + address)
    await page.locator('main :is(h1, h2)').first().waitFor()
    await checkAccess()
    await assertStillLayout(page, address)
    assert.equal(await page.getByRole('alert').count(), 0, address)
    assert.equal(await page.locator(BROWSER_POPUPS).count(), 0, `${address}: an input with a popup of the browser`)
    const [wide, small] = (await page.evaluate(`[document.documentElement.scrollWidth - innerWidth, ${SMALL_TARGETS}]`)) as [
      number,
      string[],
    ]
    assert.ok(wide <= 0, `${address} is ${wide} px wider than the window`)
    if (variant.width === 360) assert.deepEqual(small, [], `${address}: smaller than a finger`)
  }
}

/** Addresses of the lists in the menu. */
async function listsOf(page: Page, path: string, width: number): Promise<string[]> {
  if (width < 900) await page.getByRole('button', { name: 'Open menu' }).click()
  const links = page.getByRole('navigation', { name: 'Menu' }).locator('a[href*="/models/"]')
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Dashboard' }).waitFor()
  const addresses = await Promise.all((await links.all()).map((link) => link.getAttribute('href')))
  return addresses.map((address) => (address ?? '').slice(path.length))
}

const NOWHERE = ['/nosuch', '/models/nosuch']

inBrowser('a tour of all lists as superuser', {}, async (situation) => {
  const lists = await listsOf(situation.page, situation.path, situation.variant.width)
  assert.ok(lists.length >= 7, lists.join())
  await visit(situation, lists)
})

inBrowser('a tour of records, of new ones and of an import', { at: '/account' }, async (situation) => {
  await visit(situation, ['/models/post/1', '/models/user/1', '/models/group/1', '/models/comment/1', '/models/fee/1'])
  await visit(situation, ['/models/user/3?tab=access', '/models/group/1?tab=access'])
  await visit(situation, ['/models/post/new', '/models/user/new', '/models/comment/new', '/models/tag/import'])
})

inBrowser('a tour of the administration and of addresses without a page', {}, async (situation) => {
  const tools = ['lint', 'snapshots', 'mock', 'reset'].map((tab) => `/tools?tab=${tab}`)
  await visit(situation, ['/', '/history', '/webhooks', '/account', '/tools', ...tools, ...NOWHERE])
})

inBrowser('a record that does not exist', { at: '/account', allows: ['404 /models/post/99999'] }, async ({ page, path }) => {
  await page.goto(`${path}/models/post/99999`)
  await page.getByRole('heading', { name: 'Record not found' }).waitFor()
  await page.getByRole('link', { name: 'Browse posts' }).click()
  await page.getByRole('heading', { name: 'Posts', exact: true }).waitFor()
})

inBrowser('a tour as editor', { as: ACCOUNTS.editor }, async (situation) => {
  const lists = await listsOf(situation.page, situation.path, situation.variant.width)
  assert.ok(lists.includes('/models/post') && !lists.includes('/models/user'), lists.join())
  await visit(situation, ['/', ...lists, '/models/post/1', '/models/post/new', '/account', '/history', '/tools', ...NOWHERE])
})

inBrowser('a tour without permissions', { as: ACCOUNTS.newcomer }, async (situation) => {
  // The rule of fees lets users view their own.
  assert.deepEqual(await listsOf(situation.page, situation.path, situation.variant.width), ['/models/fee'])
  await visit(situation, ['/', '/account', '/models/fee', '/models/post', '/models/post/new', '/history', '/webhooks', '/tools'])
})

elsewhere('a tour under other paths', {}, async (situation) => {
  await visit(situation, [
    '/',
    '/models/post',
    '/models/post/1',
    '/models/tag/new',
    '/models/tag/import',
    '/history',
    '/tools',
    '/nosuch',
  ])
})

elsewhere('a tour under other paths as editor', { as: ACCOUNTS.editor }, async (situation) => {
  await visit(situation, ['/', '/models/post', '/models/post/1', '/account'])
})

elsewhere('a visitor under other paths logs in', { as: null, at: '/models/tag' }, async ({ page }) => {
  await page.getByLabel('Username').fill(ACCOUNTS.editor.username)
  await page.getByLabel('Password', { exact: true }).fill(ACCOUNTS.editor.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('tbody tr').first().waitFor()
  assert.match(page.url(), /\/journal\/manage\/models\/tag$/)
})

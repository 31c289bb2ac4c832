import assert from 'node:assert/strict'
import type { Page, Request } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

/** Two authors of the project, and a group of both. */
const ANNA = { username: 'anna.lind', password: 'lighthouse-keys-17' }
const JOAO = { username: 'jduarte', password: 'bacalhau-friday-8' }
const AUTHORS = 2

const inBrowser = browserSite()

const query = (page: Page): string => decodeURIComponent(new URL(page.url()).search)
const total = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

const viewsButton = (page: Page, name?: string) =>
  page.getByRole('button', { name: name === undefined ? 'Saved views' : `Saved views: ${name}`, exact: true })

const openMenu = async (page: Page, name?: string) => {
  await viewsButton(page, name).press('Enter')
  await page.getByRole('menuitem', { name: 'Save as new view' }).waitFor()
}
const choose = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name }).press('Enter')
const entry = (page: Page, name: string) => page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) })

/** Saves what the list shows as a view. */
async function saveAs(page: Page, name: string, more: (dialog: ReturnType<Page['getByRole']>) => Promise<void> = async () => {}) {
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill(name)
  await more(dialog)
  const sent: string[] = []
  const onRequest = (request: Request) => void (request.method() === 'POST' && sent.push(request.url()))
  page.on('request', onRequest)
  // The site is read again before the dialog closes: a second Enter meanwhile saves nothing.
  const reading = page.waitForRequest('**/api/v1/site')
  await dialog.getByLabel('Name').press('Enter')
  await reading
  await page.keyboard.press('Enter')
  await viewsButton(page, name).waitFor()
  await dialog.waitFor({ state: 'detached' })
  page.off('request', onRequest)
  assert.equal(sent.length, 1)
  await focusIsKept(page)
}

/** Waits until the content of the page has the focus, which would be lost with a button that goes. */
const focusIsKept = (page: Page) => assertBecomes(() => page.locator('#content:focus').count(), 1)

inBrowser(
  'a view keeps filters, order, columns, rows and totals, is shared with a group, and is shown by its address',
  { as: ANNA, at: '/models/post?filter=status%3Ddraft&sort=title' },
  async ({ page, server, path, checkAccess }) => {
    await total(page, '5 records')
    await page.getByRole('button', { name: 'Compact' }).click()
    await page.getByRole('button', { name: 'Totals' }).click()
    await page.getByRole('checkbox', { name: 'Sum' }).press('Space')
    await page.keyboard.press('Escape')
    await openMenu(page)
    await choose(page, 'Save as new view')
    // A name is needed, and only groups of the user are offered.
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name').press('Enter')
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.locator('input[aria-invalid]:focus').waitFor()
    assert.deepEqual(await dialog.getByRole('checkbox').count(), 1)
    await checkAccess()
    await saveAs(page, 'Drafts of authors', async (form) => form.getByRole('checkbox', { name: 'Authors' }).press('Space'))
    await page.waitForURL(({ searchParams }) => searchParams.has('view'))
    const address = new URL(page.url())

    // The other author sees it, and may not change it.
    const { saved_views } = await (await apiOf(server, JOAO)).site()
    const [shared] = saved_views.filter(({ name }) => name === 'Drafts of authors')
    assert.deepEqual([shared?.query, shared?.can], ['filter=status%3Ddraft&sort=title', []])
    assert.deepEqual(shared?.look, { totals: ['sum'], density: 'compact' })

    // The plain list keeps what was chosen for it; the address shows the view with its look.
    await page.goto(`${path}/models/post`)
    await page.getByRole('button', { name: 'Compact', pressed: true }).press('Enter')
    await page.locator('table:not([data-density])').waitFor()
    await page.goto(address.pathname + address.search)
    await total(page, '5 records')
    await page.locator('table[data-density=compact] tfoot').waitFor()
    await viewsButton(page, 'Drafts of authors').waitFor()

    // What is changed stays over a reload, and is discarded or saved.
    await page.getByRole('button', { name: 'Compact', pressed: true }).press('Enter')
    await page.reload()
    await page.getByRole('button', { name: 'Discard' }).press('Enter')
    await page.locator('table[data-density=compact]').waitFor()
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    await focusIsKept(page)
    await page.locator('thead').getByRole('button', { name: 'Title' }).press('Enter')
    await page.getByRole('button', { name: 'Save changes to Drafts of authors' }).press('Enter')
    await page.getByText('Drafts of authors saved').first().waitFor()
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    await focusIsKept(page)
    assert.match(query(page), /^\?view=\d+&filter=status=draft&sort=-title$/)

    await openMenu(page, 'Drafts of authors')
    await choose(page, /^Rename or share/)
    const renaming = page.getByRole('dialog', { name: 'Rename or share view' })
    await renaming.getByLabel('Name').fill('Unpublished')
    await renaming.getByLabel('Name').press('Enter')
    await openMenu(page, 'Unpublished')
    await checkAccess()
    await choose(page, /^Delete Unpublished/)
    await page.getByRole('dialog').getByText('Those you share it with lose it, too.').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await viewsButton(page).waitFor()
    await assertBecomes(async () => query(page), '?filter=status=draft&sort=-title')
    assert.deepEqual((await (await apiOf(server, JOAO)).site()).saved_views, [])
  },
)

inBrowser(
  'a view that another user has changed meanwhile is overwritten only when that is confirmed',
  { as: ANNA, at: '/models/post', allows: ['400 /api/v1/batch'] },
  async ({ page, server, path, checkAccess }) => {
    const own = (await apiOf(server, ANNA)).model('savedview')
    const others = (await apiOf(server)).model('savedview')
    const { data } = await own.create({ name: 'Drafts', model: 'post', query: 'filter=status%3Ddraft', groups: [AUTHORS] })
    const stored = async () => (await own.read(data.id)).data
    await page.goto(`${path}/models/post?view=${data.id}&filter=status%3Ddraft`)
    await total(page, '5 records')
    const sortByTitle = () => page.locator('thead').getByRole('button', { name: 'Title' }).press('Enter')
    const save = (name: string) => page.getByRole('main').getByRole('button', { name: `Save changes to ${name}` })
    const changed = (name: string) => page.getByRole('dialog', { name: `${name} was changed elsewhere` })

    // The page hears of the change, and of the name: what is saved must not take it for its own.
    await sortByTitle()
    await save('Drafts').waitFor()
    await others.update(data.id, { name: 'Featured', query: 'filter=is_featured%3Dtrue' })
    await save('Featured').press('Enter')
    await changed('Featured').getByText('Saving overwrites that change.').waitFor()
    await checkAccess()
    assert.equal((await stored()).query, 'filter=is_featured%3Dtrue')
    await changed('Featured').getByRole('button', { name: 'Save anyway' }).press('Enter')
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    await focusIsKept(page)
    assert.equal((await stored()).query, 'filter=status%3Ddraft&sort=title')

    // A name of the own does not count as a change elsewhere.
    await sortByTitle()
    await save('Featured').waitFor()
    const renaming = page.getByRole('dialog', { name: 'Rename or share view' })
    await openMenu(page, 'Featured')
    await choose(page, /^Rename or share/)
    await renaming.getByLabel('Name').fill('By title')
    await renaming.getByLabel('Name').press('Enter')
    await save('By title').press('Enter')
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })

    // Reloaded, the list shows what the other user has saved.
    await sortByTitle()
    await save('By title').waitFor()
    await others.update(data.id, { query: 'filter=is_featured%3Dtrue' })
    await save('By title').press('Enter')
    await changed('By title').getByRole('button', { name: 'Reload' }).press('Enter')
    await assertBecomes(async () => query(page), `?view=${data.id}&filter=is_featured=true`)
    await focusIsKept(page)
    assert.equal((await stored()).query, 'filter=is_featured%3Dtrue')

    // The dialog asks as well, and shows the present name and groups.
    await openMenu(page, 'By title')
    await choose(page, /^Rename or share/)
    await renaming.getByRole('checkbox', { name: 'Authors', checked: true }).waitFor()
    await others.update(data.id, { groups: [] })
    await renaming.getByLabel('Name').fill('Unpublished')
    await renaming.getByLabel('Name').press('Enter')
    await changed('By title').getByRole('button', { name: 'Reload' }).press('Enter')
    await renaming.getByRole('checkbox', { name: 'Authors', checked: false }).waitFor()
    assert.equal(await renaming.getByLabel('Name').inputValue(), 'By title')
    await page.keyboard.press('Escape')
    await own.delete(data.id)
  },
)

inBrowser(
  'a view that another user shares appears in an open list, and is changed by its owner alone',
  { as: ANNA, at: '/models/post' },
  async ({ page, server, path }) => {
    await total(page, '46 records')
    const views = (await apiOf(server, JOAO)).model('savedview')
    const shared = { name: 'Featured', model: 'post', query: 'filter=is_featured%3Dtrue', groups: [AUTHORS] }
    const { data } = await views.create(shared)
    await page.goto(`${path}/`)
    const list = page.getByRole('region', { name: 'Saved views' })
    await list.getByRole('link', { name: 'Featured' }).click()
    await viewsButton(page, 'Featured').waitFor()
    await views.update(data.id, { name: 'In front' })
    await openMenu(page, 'In front')
    for (const name of [/^Rename/, /^Delete/]) assert.equal(await page.getByRole('menuitem', { name }).count(), 0)
    await page.keyboard.press('Escape')
    await page.locator('thead').getByRole('button', { name: 'Title' }).press('Enter')
    await page.getByRole('button', { name: 'Discard' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Save changes/ }).count(), 0)
    await page.getByRole('button', { name: 'Save as new view' }).press('Enter')
    await saveAs(page, 'Mine in front')

    // What others take back is said, and the list stays.
    await openMenu(page, 'Mine in front')
    await entry(page, 'In front').press('Enter')
    await viewsButton(page, 'In front').waitFor()
    const before = await page.getByRole('main').getByRole('status').first().innerText()
    await views.update(data.id, { groups: [] })
    await page.getByText('or is not shared with you').waitFor()
    await total(page, before)
    await page.getByRole('main').getByRole('button', { name: 'Close' }).press('Enter')
    await viewsButton(page).waitFor()
  },
)

inBrowser(
  'the default view opens with the list, the own one first, and can be left',
  { as: JOAO, at: '/models/comment' },
  async ({ page, server, path }) => {
    await total(page, '100 records')
    const admin = (await apiOf(server)).model('savedview')
    const { data } = await admin.create({
      ...{ name: 'Approved', model: 'comment', query: 'filter=is_approved%3Dtrue' },
      ...{ everyone: true, default_for: 'all' },
    })
    // A default that comes meanwhile does not replace an open list.
    await openMenu(page)
    await entry(page, 'Approved').waitFor()
    assert.equal(query(page), '')
    await page.keyboard.press('Escape')
    const lists: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/models/comment?')) lists.push(request.url())
    })
    await page.goto(`${path}/models/comment`)
    await page.waitForURL(({ searchParams }) => searchParams.get('view') === String(data.id))
    await viewsButton(page, 'Approved').waitFor()
    assert.equal(query(page), `?view=${data.id}&filter=is_approved=true`)
    await page.locator('tbody tr').first().waitFor()
    assert.equal(lists.filter((url) => !url.includes('is_approved')).length, 0, 'only the list of the view is read')

    await openMenu(page, 'Approved')
    await choose(page, 'Without a saved view')
    await total(page, '100 records')
    assert.equal(query(page), '?view=none')
    await page.locator('thead').getByRole('button', { name: 'ID' }).press('Enter')
    await page.waitForURL(/sort=/)
    await openMenu(page)
    await choose(page, 'Save as new view')
    await saveAs(page, 'By id', async (dialog) => {
      await dialog.getByRole('combobox', { name: 'Opens by default' }).click()
      // The list of another is not for all.
      assert.equal(await page.getByRole('option', { name: 'For all who see it' }).count(), 0)
      await page.getByRole('option', { name: 'For me' }).click()
    })
    await page.goto(`${path}/models/comment`)
    await viewsButton(page, 'By id').waitFor()
    await admin.delete(data.id)
    const own = (await apiOf(server, JOAO)).model('savedview')
    for (const { id } of (await own.list({ filters: { user_id: 4 } })).data) await own.delete(id)
  },
)

inBrowser(
  'a view of which fields are gone says so, and shows the rest',
  { at: '/models/post' },
  async ({ page, server, path }) => {
    const views = (await apiOf(server)).model('savedview')
    const query = 'filter=lost%3D1&filter=status%3Ddraft&sort=gone,title&columns=title,old,status'
    const { data } = await views.create({ name: 'Old', model: 'post', query })
    await page.goto(`${path}/models/post?view=${data.id}&${query}`)
    await total(page, '5 records')
    await page.getByText('Old refers to what no longer exists, or what you may not see: lost, gone, old.').waitFor()
    await page.getByRole('button', { name: 'Save without it' }).press('Enter')
    await page.getByText('Old refers to').waitFor({ state: 'detached' })
    await focusIsKept(page)
    assert.equal((await views.read(data.id)).data.query, 'filter=status%3Ddraft&sort=title&columns=title%2Cstatus')
    await views.delete(data.id)
  },
)

inBrowser(
  'filters that were kept in the browser become views of the user, also if the server refuses them at first',
  { as: ANNA, allows: ['503 /api/v1/models/savedview'] },
  async ({ page, server, path }) => {
    const kept = { post: [{ name: 'My drafts', search: '?filter=status%3Ddraft' }] }
    await page.evaluate(`localStorage['admin.savedFilters'] = ${JSON.stringify(JSON.stringify(kept))}`)
    const stored = () => page.evaluate(`localStorage['admin.savedFilters']`)
    await page.route('**/api/v1/models/savedview', (route) => route.fulfill({ status: 503, json: { error: 'Busy' } }))
    await page.goto(`${path}/`)
    await page.getByText('Filters saved in this browser were not moved to your account').first().waitFor()
    assert.equal(await stored(), JSON.stringify(kept))
    await page.unrouteAll()
    await page.goto(`${path}/`)
    await page.getByRole('region', { name: 'Saved views' }).getByRole('link', { name: 'My drafts' }).click()
    await total(page, '5 records')
    assert.match(query(page), /^\?filter=status=draft&view=\d+$/)
    assert.equal(await stored(), undefined)
    // The palette finds it, too.
    await page.goto(`${path}/`)
    await page.getByRole('region', { name: 'Saved views' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('my drafts')
    await page.getByRole('option', { name: /My drafts/ }).click()
    await total(page, '5 records')
    const own = (await apiOf(server, ANNA)).model('savedview')
    for (const { id } of (await own.list({ filters: { user_id: 3 } })).data) await own.delete(id)
  },
)

import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'

const inBrowser = browserSite()

inBrowser(
  'deleting shows what goes with a record before it asks',
  { at: '/models/post/3' },
  async ({ page, server, checkAccess }) => {
    const api = await apiOf(server)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this record?' })
    await dialog.getByText('3 comments will be deleted too').waitFor()
    await checkAccess()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await api.model('post').read(3)).data.id, 3)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/models/post')
    await page.getByText('Deleted', { exact: true }).waitFor()
    await assert.rejects(api.model('post').read(3), { type: 'not_found' })
  },
)

inBrowser(
  'references that keep a record from being deleted are named, with a link to them',
  { at: '/models/user/2' },
  async ({ page }) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'This record cannot be deleted' })
    const link = dialog.getByRole('link', { name: '13 posts use this user (Author)' })
    await link.waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Delete' }).count(), 0)
    await link.click()
    await page.waitForURL('**/models/post?filter=author_id%3D2')
  },
)

inBrowser(
  'references of records that the user may not view are told without a name',
  { at: '/models/user/2' },
  async ({ page }) => {
    await page.route(/\/models\/user\/2\?dry_run=true/, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({
        response: answer,
        json: { ...(await answer.json()), blocked_by: [{ model: null, field: null, count: 0 }] },
      })
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'This record cannot be deleted' })
    await dialog.getByText('Records that you may not view prevent this', { exact: true }).waitFor()
    assert.deepEqual([await dialog.getByRole('listitem').count(), await dialog.getByRole('link').count()], [1, 0])
    assert.equal(await dialog.getByRole('button', { name: 'Delete' }).count(), 0)
  },
)

inBrowser('references that lose their value are named', { at: '/models/category/4' }, async ({ page }) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page
    .getByRole('dialog')
    .getByText(/posts? will stay, without (its|their) reference/)
    .waitFor()
})

inBrowser(
  'a record links to the records that refer to it, with their number',
  { at: '/models/category/4' },
  async ({ page, server }) => {
    const { total } = await (await apiOf(server)).model('post').list({ filters: { category_id: 4 }, page_size: 1 })
    const facts = page.getByRole('complementary', { name: 'Details' })
    await facts.getByRole('link', { name: `Posts Category ${total}` }).click()
    await page.waitForURL('**/models/post?filter=category_id%3D4')
  },
)

inBrowser(
  'without the permission to change and delete, a record is only shown',
  { at: '/models/post/6', as: { username: 'pia.nakamura', password: 'mackerel-sky-33' } },
  async ({ page }) => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('Slug', { exact: true }).waitFor()
    assert.equal(await page.getByRole('main').getByRole('textbox').count(), 0)
    assert.equal(await page.getByRole('button', { name: /Save|Delete/ }).count(), 0)
  },
)

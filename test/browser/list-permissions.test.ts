import { asAdmin } from '../helpers/as-admin.ts'
import { browserSite } from '../helpers/browser.ts'

const inBrowser = browserSite()

const NEWCOMER = { username: 'newcomer', password: 'first-day-ashore' }

inBrowser('a user without permissions is not shown a list', { as: NEWCOMER, at: '/models/post' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

inBrowser('a model that may not be viewed but added offers only to add', { as: NEWCOMER }, async ({ page, server, path }) => {
  // 14 is add_tag, 9 the newcomer.
  await asAdmin(server, 'PUT', '/models/user/9', { data: { permissions: [14] } })
  await page.goto(`${path}/models/tag`)
  await page.getByRole('heading', { name: 'You may add records, but not view them' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Add' }).waitFor()
  await asAdmin(server, 'PUT', '/models/user/9', { data: { permissions: [] } })
})

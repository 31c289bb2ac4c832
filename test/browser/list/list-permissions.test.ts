import assert from 'node:assert/strict'
import { asAdmin } from '../../helpers/as-admin.ts'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const NEWCOMER = { username: 'newcomer', password: 'first-day-ashore' }

inBrowser('a user without permissions is not shown a list', { as: NEWCOMER, at: '/models/post' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

inBrowser('a model that may not be viewed but added offers only to add', { as: NEWCOMER }, async ({ page, server, path }) => {
  // 14 is add_tag, 9 the newcomer.
  await asAdmin(server, 'PUT', '/models/user/9', { data: { permissions: [14] } })
  await page.goto(`${path}/models/tag`)
  await page.getByRole('heading', { name: 'You can add records but not view them' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Add' }).waitFor()
  await asAdmin(server, 'PUT', '/models/user/9', { data: { permissions: [] } })
})

for (const [role, as] of [
  ['an editor', ACCOUNTS.editor],
  ['an author', { username: 'anna.lind', password: 'lighthouse-keys-17' }],
  ['a reader', { username: 'pia.nakamura', password: 'mackerel-sky-33' }],
] as const) {
  inBrowser(`the lists of ${role} ask for nothing that is refused, and offer what is allowed`, { as }, async (situation) => {
    const { page, server, path } = situation
    const { models } = await (await apiOf(server, as)).site()
    assert.ok(models.length > 2)
    for (const { key, can } of models.filter((model) => model.can.includes('view'))) {
      await page.goto(`${path}/models/${key}`)
      await page.locator('tbody tr, .empty').first().waitFor()
      const main = page.getByRole('main')
      assert.equal((await main.getByRole('link', { name: /^Add/ }).count()) > 0, can.includes('add'), `add ${key}`)
      const box = page.locator('tbody input[type=checkbox]').first()
      if ((await box.count()) === 0) continue
      await box.click()
      const bar = page.getByRole('region', { name: 'Selection' })
      await bar.getByRole('button', { name: 'Export' }).waitFor()
      await assertBecomes(
        () => bar.getByRole('button', { name: 'Edit', exact: true }).count(),
        can.includes('change') ? 1 : 0,
        `edit ${key}`,
      )
      await assertBecomes(
        () => bar.getByRole('button', { name: 'Delete', exact: true }).count(),
        can.includes('delete') ? 1 : 0,
        `delete ${key}`,
      )
    }
  })
}

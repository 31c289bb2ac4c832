import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'the history of a record shows who, when, old and new; its values can be restored',
  { at: '/models/post/12' },
  async ({ page, server, checkAccess }) => {
    const posts = (await apiOf(server)).model('post')
    const { data: before } = await posts.read(12)
    await posts.update(12, { title: 'Changed title', tags: [1, 2], category_id: 1 })
    await page.getByRole('tab', { name: 'History' }).click()
    const entry = page.getByRole('listitem').filter({ hasText: 'changed the record' })
    await entry.getByText('admin').waitFor()
    const row = entry.getByRole('row', { name: /Title/ })
    await row.getByText(String(before.title)).waitFor()
    await row.getByText('Changed title').waitFor()
    await checkAccess()
    await page.reload()
    await entry.getByRole('button', { name: 'Restore these values' }).click()
    await assertBecomes(() => page.getByLabel('Title').inputValue(), before.title)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data: after } = await posts.read(12)
    assert.deepEqual([after.title, after.tags, after.category_id], [before.title, before.tags, before.category_id])
  },
)

inBrowser(
  'former groups and permissions of a user are restored in the tab of rights',
  { at: '/models/user/4?tab=history' },
  async ({ page, server }) => {
    const users = (await apiOf(server)).model('user')
    const { data: before } = await users.read(4)
    await users.update(4, { groups: [4], permissions: [16] })
    await page.reload()
    await page.getByRole('button', { name: 'Restore these values' }).first().click()
    await page.getByRole('tab', { name: 'Access', selected: true }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data: after } = await users.read(4)
    assert.deepEqual([after.groups, after.permissions], [before.groups, before.permissions])
  },
)

inBrowser('a history of many changes has pages', { at: '/models/tag/1?tab=history' }, async ({ page, server }) => {
  const tags = (await apiOf(server)).model('tag')
  for (let number = 1; number <= 21; number++) await tags.update(1, { name: `Name ${number}` })
  await page.reload()
  await page.getByText('1–20 of 21').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('21–21 of 21').waitFor()
  await page.getByRole('cell', { name: 'Name 1', exact: true }).waitFor()
})

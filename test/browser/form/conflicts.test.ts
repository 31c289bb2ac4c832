import assert from 'node:assert/strict'
import type { Route } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'a save over a newer version shows mine and theirs by field, lets each be taken, and again if it changes again',
  { at: '/models/post/11', allows: ['412 /models/post/11'] },
  async ({ page, server, checkAccess }) => {
    const posts = (await apiOf(server)).model('post')
    await page.getByLabel('Title').fill('My title')
    await page.getByLabel('Summary').fill('My summary')
    await posts.update(11, { title: 'Their title', body: 'Their text' })
    await page.getByText('This record has been changed elsewhere since you opened it').waitFor()
    await assertBecomes(() => page.getByLabel('Title').inputValue(), 'My title')

    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
    await dialog.waitFor()
    await checkAccess()
    const titles = dialog.getByRole('group', { name: 'Title' })
    // Only fields that differ are shown; a field that one side has changed is taken from that side.
    await assertBecomes(() => dialog.getByRole('group').count(), 3)
    await assertBecomes(() => titles.getByRole('radio', { name: 'Mine' }).isChecked(), true)
    await assertBecomes(
      () => dialog.getByRole('group', { name: 'Summary' }).getByRole('radio', { name: 'Mine' }).isChecked(),
      true,
    )
    await assertBecomes(
      () => dialog.getByRole('group', { name: 'Text' }).getByRole('radio', { name: 'Theirs' }).isChecked(),
      true,
    )
    await titles.getByRole('radio', { name: 'Theirs' }).check()

    const changeFirst = async (route: Route) => {
      await posts.update(11, { summary: 'Their summary' })
      await route.continue()
    }
    await page.route('**/models/post/11', changeFirst, { times: 1 })
    await dialog.getByRole('button', { name: 'Save selected values' }).click()
    await dialog.getByRole('group', { name: 'Summary' }).getByText('Their summary').waitFor()
    await assertBecomes(() => dialog.getByRole('group').count(), 1)
    await dialog.getByRole('button', { name: 'Save selected values' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data } = await posts.read(11)
    assert.deepEqual([data.title, data.summary, data.body], ['Their title', 'My summary', 'Their text'])
  },
)

inBrowser(
  'the versions can be compared before saving, and editing goes on',
  { at: '/models/tag/2' },
  async ({ page, server }) => {
    const tags = (await apiOf(server)).model('tag')
    await page.getByLabel('Colour').fill('#123456')
    await tags.update(2, { name: 'Their tag' })
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply and keep editing' }).click()
    await assertBecomes(() => page.getByLabel('Name').inputValue(), 'Their tag')
    await assertBecomes(() => page.getByLabel('Colour').inputValue(), '#123456')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data } = await tags.read(2)
    assert.deepEqual([data.name, data.color], ['Their tag', '#123456'])
  },
)

inBrowser('a form without edits takes a newer version and says so', { at: '/models/tag/3' }, async ({ page, server }) => {
  await page.getByLabel('Name').waitFor()
  await (await apiOf(server)).model('tag').update(3, { name: 'A new name' })
  await page.getByText('The form shows the latest values').waitFor()
  await assertBecomes(() => page.getByLabel('Name').inputValue(), 'A new name')
})

inBrowser(
  'a form says that its record was deleted elsewhere, and keeps what was typed',
  { at: '/models/tag/4' },
  async ({ page, server }) => {
    await page.getByLabel('Name').fill('Typed')
    await (await apiOf(server)).model('tag').delete(4)
    await page.getByText('This record was deleted elsewhere').waitFor()
    await assertBecomes(() => page.getByLabel('Name').inputValue(), 'Typed')
    await assertBecomes(() => page.getByRole('button', { name: 'Delete' }).count(), 0)
  },
)

inBrowser(
  'what is typed while a save is under way stays, and is saved next',
  { at: '/models/tag/6' },
  async ({ page, server }) => {
    const tags = (await apiOf(server)).model('tag')
    await page.getByLabel('Name').fill('First')
    await page.route(
      '**/models/tag/6',
      async (route) => {
        await page.getByLabel('Name').fill('Second')
        await route.continue()
      },
      { times: 1 },
    )
    await page.keyboard.press('Control+Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    assert.equal((await tags.read(6)).data.name, 'First')
    await assertBecomes(() => page.getByLabel('Name').inputValue(), 'Second')
    const request = page.waitForRequest((each) => each.method() === 'PUT')
    await page.keyboard.press('Control+Enter')
    assert.deepEqual(((await request).postDataJSON() as { data: object }).data, { name: 'Second' })
    await page.getByRole('heading', { name: 'Second' }).waitFor()
  },
)

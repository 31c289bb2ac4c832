import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { choose } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()

inBrowser(
  'an edit keeps the line breaks of a text, and the second of two equal local times can be chosen',
  { at: '/models/post/7' },
  async ({ page, server }) => {
    const posts = (await apiOf(server)).model('post')
    await posts.update(7, { body: 'one\r\ntwo\r\nthree', published_at: '2024-10-27T00:30:00.000Z' })
    await page.reload()
    const body = page.getByRole('textbox', { name: 'Text', exact: true })
    await body.fill('one\ntwo!\nthree')
    const which = page.getByLabel('This time occurs twice')
    assert.match(await which.innerText(), /UTC\+02:00/)
    await choose(which, 'After clocks are set back (UTC+01:00)')
    await page.getByLabel('Published at').fill('2024-10-27T02:45')
    assert.match(await which.innerText(), /UTC\+01:00/)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    const { data } = await posts.read(7)
    assert.deepEqual([data.body, data.published_at], ['one\r\ntwo!\r\nthree', '2024-10-27T01:45:00.000Z'])
  },
)

inBrowser(
  'times of a list in a filter are those of the time zone of the browser, and a faulty one is named',
  { at: '/models/post' },
  async ({ page }) => {
    const filters = page.getByRole('region', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Published at' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Condition/ }).click()
    await page.getByRole('menuitem', { name: 'is one of' }).click()
    await dialog.getByLabel('Value').fill('2024-03-31 02:30')
    await dialog.getByLabel('Value').press('Enter')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('2024-03-31 02:30: This time does not exist').waitFor()
    await dialog.getByRole('button', { name: 'Remove 2024-03-31 02:30' }).click()
    await dialog.getByLabel('Value').fill('2024-06-01T10:00')
    await dialog.getByLabel('Value').press('Enter')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Published at is 1 Jun 2024, 10:00', exact: true }).waitFor()
    assert.equal(decodeURIComponent(new URL(page.url()).search), '?filter=published_at__in=2024-06-01T10:00+02:00')
  },
)

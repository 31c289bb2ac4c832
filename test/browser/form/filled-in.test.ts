import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { answerLeaving, stayAfter } from '../../helpers/browser-leaving.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { typeSearch } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()

inBrowser(
  'a record is duplicated without its unique values, and Add from a list of a category fills the category in',
  { at: '/models/post/8', widths: [1280] },
  async ({ page, server, checkAccess }) => {
    const title = await page.getByLabel('Title').inputValue()
    const category = await page.getByLabel('Category').innerText()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitemradio', { name: 'Standard' }).waitFor()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'New post' }).waitFor()
    await assertBecomes(() => page.getByLabel('Title').inputValue(), title)
    await page.getByLabel('Category').getByText(category).waitFor()
    await page.getByLabel('Author').click()
    await page.getByRole('option', { name: 'admin', exact: true }).click()
    await assertBecomes(() => page.getByLabel('Slug').inputValue(), '')
    await page.getByLabel('Slug').fill('a-second-one')
    // An empty form would take the place of the copy.
    const pressN = async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).focus()
      await page.keyboard.press('n')
    }
    await stayAfter(page, pressN)
    await assertBecomes(() => page.getByLabel('Slug').inputValue(), 'a-second-one')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(`Created “${title}”`).waitFor()
    await checkAccess()

    await page.goto('/admin/models/post?filter=category_id=2&filter=status=draft')
    await page.getByRole('link', { name: 'Add post' }).click()
    await page.getByRole('heading', { name: 'New post' }).waitFor()
    const picker = page.getByLabel('Category')
    const { data } = await (await apiOf(server)).model('category').read(2)
    await picker.getByText(String(data.name), { exact: true }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('fill'), 'category_id=2')

    await page.getByLabel('Slug').fill('to-be-given-up')
    await stayAfter(page, pressN)
    await pressN()
    await answerLeaving(page, 'Leave')
    await page.waitForURL(/\/models\/post\/new$/)
    await assertBecomes(() => page.getByLabel('Slug').inputValue(), '')
    await picker.getByText('Choose').waitFor()

    await picker.click()
    await typeSearch(page, 'Diving')
    await page.getByRole('button', { name: 'Create category “Diving” and select' }).click()
    await assertBecomes(() => page.getByRole('dialog', { name: 'New category' }).getByLabel('Name').inputValue(), 'Diving')
  },
)

import assert from 'node:assert/strict'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'an editor who may not view users creates a post: its author is the editor, shown by name',
  { as: ACCOUNTS.editor, at: '/models/post/new' },
  async ({ page, server, checkAccess }) => {
    const author = page.getByLabel('Author')
    await author.getByText('m.keller', { exact: true }).waitFor()
    await assertBecomes(() => author.isDisabled(), true)
    await checkAccess()
    await page.getByLabel('Title').fill('A rope for the west pier')
    await page.getByLabel('Slug').fill('a-rope-for-the-west-pier')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('It holds.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'A rope for the west pier' }).waitFor()
    const { data } = await (await apiOf(server)).model('post').read(Number(page.url().split('/').at(-1)))
    assert.equal(data.author_id, 2)
  },
)

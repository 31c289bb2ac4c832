import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'a user is disabled below the form, which keeps what was typed and does not take it for a change by others',
  { at: '/models/user/5' },
  async ({ page, server, checkAccess }) => {
    const users = (await apiOf(server)).model('user')
    await page.getByLabel('First name').fill('Typed')
    const panel = page.getByRole('region', { name: 'Account', exact: true })
    await panel.getByRole('button', { name: 'Disable account' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable account' }).click()
    await panel.getByRole('button', { name: /^Enable/ }).waitFor()
    await checkAccess()
    assert.equal((await users.read(5)).data.is_active, false)
    await assertBecomes(() => page.getByLabel('First name').inputValue(), 'Typed')
    assert.equal(await page.getByText('was changed elsewhere').count(), 0)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data } = await users.read(5)
    assert.deepEqual([data.first_name, data.is_active], ['Typed', false])
  },
)

inBrowser(
  'a group has its permissions in a tab; other records load no code of rights',
  { at: '/models/group/2?tab=access' },
  async ({ page, checkAccess }) => {
    await page.getByRole('tab', { name: 'Permissions', selected: true }).waitFor()
    await page.getByRole('region', { name: 'Permissions' }).getByRole('table').waitFor()
    await checkAccess()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await page.goto('/admin/models/tag/1?tab=access')
    await page.getByLabel('Name').waitFor()
    await assertBecomes(() => page.getByRole('tab').allInnerTexts(), ['Details', 'History'])
    assert.deepEqual(
      loaded.filter((url) => /access-form|user-panel/.test(url)),
      [],
    )
  },
)

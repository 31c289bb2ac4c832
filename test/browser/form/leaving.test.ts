import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes, fieldOf } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'leaving with unsaved changes asks, for a link, for Back and for a reload',
  { at: '/models/post' },
  async ({ page, checkAccess }) => {
    await page.goto('/admin/models/post/10')
    const title = page.getByLabel('Title')
    await title.fill('Not saved yet')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })

    await page.getByRole('main').getByRole('link', { name: 'Posts' }).click()
    await dialog.waitFor()
    await checkAccess()
    // Enter, without a choice, loses nothing.
    await assertBecomes(() => dialog.locator('button:focus').innerText(), 'Stay')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await assertBecomes(() => title.inputValue(), 'Not saved yet')

    // The address within the page may change: nothing is lost.
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('tab', { name: 'Details' }).click()
    await assertBecomes(() => title.inputValue(), 'Not saved yet')

    const asked: string[] = []
    page.on('dialog', (native) => {
      asked.push(native.type())
      void native.dismiss()
    })
    const question = page.waitForEvent('dialog')
    await page.evaluate('setTimeout(() => location.reload(), 0)')
    await question
    assert.deepEqual(asked, ['beforeunload'])
    await assertBecomes(() => title.inputValue(), 'Not saved yet')
  },
)

inBrowser('Back asks as well, and leaves when it is confirmed', { at: '/models/tag' }, async ({ page }) => {
  await page.getByRole('main').getByRole('link', { name: 'Lighthouse' }).first().click()
  await fieldOf(page, 'Name').fill('Not saved yet')
  await page.evaluate('history.back()')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await dialog.waitFor({ state: 'detached' })
  await assertBecomes(() => fieldOf(page, 'Name').inputValue(), 'Not saved yet')
  await page.evaluate('history.back()')
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/models/tag')
})

inBrowser('a page without changes is left without a question', { at: '/models/post/10' }, async ({ page }) => {
  await page.getByLabel('Title').waitFor()
  const before = await page.getByLabel('Title').inputValue()
  await page.getByLabel('Title').fill('Something else')
  await page.getByLabel('Title').fill(before)
  await page.getByRole('main').getByRole('link', { name: 'Posts' }).click()
  await page.waitForURL('**/models/post')
})

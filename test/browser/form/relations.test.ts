import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { stayAfter } from '../../helpers/browser-leaving.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { typeFast, typeSearch } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()
const inClinic = browserSite({ fixture: 'clinic' })

/** An account of `fixtures/clinic`. */
const CLINIC_ADMIN = { username: 'admin', password: 'alder-lane-admin-26' }

/** A reader who may write comments, but not see users. */
const READER = { username: 'pia.nakamura', password: 'mackerel-sky-33' }

inBrowser(
  'the last of 5,000 tags is found by keyboard, and tags are removable chips',
  { at: '/models/post/8' },
  async ({ page, server, checkAccess }) => {
    const tags = (await apiOf(server)).model('tag')
    const { total } = await tags.list({ page_size: 1 })
    for (let first = total + 1; first <= 5000; first += 1000) {
      const numbers = Array.from({ length: Math.min(1000, 5001 - first) }, (_, index) => first + index)
      await tags.bulkCreate(numbers.map((number) => ({ name: `Tag ${number}`, slug: `tag-${number}` })))
    }
    const button = page.getByLabel('Tags')
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    await typeSearch(page, 'Tag 5000')
    await page.getByRole('option', { name: 'Tag 5000' }).waitFor()
    await checkAccess()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove Tag 5000' }).waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.reload()
    const remove = page.getByRole('button', { name: 'Remove Tag 5000' })
    await remove.click()
    await remove.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data } = await (await apiOf(server)).model('post').read(8)
    assert.equal(
      (data.tags as { name: string }[]).some(({ name }) => name === 'Tag 5000'),
      false,
    )
  },
)

inBrowser('a search asks once a pause', { at: '/models/post/8' }, async ({ page }) => {
  await page.getByLabel('Category').click()
  await page.getByRole('option', { name: 'Food & Recipes' }).waitFor()
  let requests = 0
  page.on('request', (request) => {
    if (request.url().includes('/models/category')) requests++
  })
  const search = page.locator('input[role=combobox]:focus')
  await search.waitFor()
  await typeFast(search, 'recipes')
  await page.getByRole('option', { name: 'Harbour' }).waitFor({ state: 'detached' })
  await page.waitForTimeout(400)
  assert.equal(requests, 1)
})

inBrowser(
  'a record is created for a picker, and selected',
  { at: '/models/post/9', allows: ['400 /models/category'] },
  async ({ page, variant, checkAccess }) => {
    await page.getByLabel('Title').fill('What is typed stays')
    await page.getByLabel('Category').click()
    await page.getByRole('button', { name: 'Create category and select' }).click()
    const dialog = page.getByRole('dialog', { name: 'New category' })
    // The popup is not over the dialog, whose first input has the focus but on a phone.
    await page.getByRole('option', { name: 'Harbour Life' }).waitFor({ state: 'detached' })
    if (variant.width > 360) await page.locator('[data-field=name]:focus-within').waitFor()
    await dialog.getByLabel('Name').fill('Diving')
    await checkAccess()
    await stayAfter(
      page,
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
    )
    await assertBecomes(() => dialog.getByLabel('Name').inputValue(), 'Diving')
    await dialog.getByRole('button', { name: 'Save and select' }).click()
    await dialog
      .locator('.field-errors')
      .getByText(/Slug is mandatory/)
      .waitFor()
    await dialog.getByLabel('Slug').fill('diving')
    await dialog.getByRole('button', { name: 'Save and select' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Category').getByText('Diving').waitFor()
    await assertBecomes(() => page.getByLabel('Title').inputValue(), 'What is typed stays')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
  },
)

inBrowser(
  'a record that the user may not list is shown as its id, with the reason',
  { at: '/models/post/3', as: READER },
  async ({ page }) => {
    await page.getByText('#4', { exact: true }).waitFor()
    await page.goto('/admin/models/comment/new')
    await page.getByText('You do not have permission to view these records').waitFor()
    await assertBecomes(() => page.getByLabel('Author').isDisabled(), true)
    await assertBecomes(() => page.getByLabel('Post', { exact: false }).first().isDisabled(), false)
  },
)

inClinic(
  'records of one name differ by a second line in pickers, and by their ids in the palette',
  { as: CLINIC_ADMIN, at: '/account' },
  async ({ page, server, path, checkAccess }) => {
    const patients = (await apiOf(server, CLINIC_ADMIN)).model('patient')
    const twin = { name: 'Quillfeather, Robin', sex: 'other', phone: '555-0199' }
    const { data: first } = await patients.create({ ...twin, number: 'P-77001', date_of_birth: '1980-02-01' })
    const { data: second } = await patients.create({ ...twin, number: 'P-77002', date_of_birth: '2011-02-01' })
    await page.goto(`${path}/models/appointment/new`)
    await page.getByLabel('Patient').click()
    await page.getByRole('option').nth(5).waitFor()
    assert.equal(await page.locator('.option-note').count(), 0)
    await typeSearch(page, 'Quillfeather')
    await page.getByRole('option', { name: /P-77001 · .*1980/ }).waitFor()
    await checkAccess()
    await page.getByRole('option', { name: /P-77002 · .*2011/ }).click()
    await page.getByRole('button', { name: 'Open Quillfeather, Robin' }).click()
    await page.waitForURL(new RegExp(`open=patient\\.${second.id}$`))
    const drawer = page.getByRole('dialog', { name: 'Quillfeather, Robin' })
    await drawer.getByLabel('Patient number').waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    await page.keyboard.press('ControlOrMeta+k')
    await typeSearch(page, 'Quillfeather')
    await page.getByRole('option', { name: `Patients · #${first.id}` }).waitFor()
  },
)

import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'a related record is edited in a drawer, which asks before edits are lost, and the form behind shows its new name',
  { at: '/account', allows: ['412 /models/category'] },
  async ({ page, server, variant, path, checkAccess }) => {
    const api = await apiOf(server)
    const name = `Regattas ${variant.scheme} ${variant.width}`
    const { data: category } = await api.model('category').create({ name, slug: name.toLowerCase().replaceAll(' ', '-') })
    await api.model('post').update(11, { category_id: category.id })
    await page.goto(`${path}/models/post/11`)
    await page.getByLabel('Title').fill('What is typed stays')

    const open = page.getByRole('button', { name: `Open ${name}` })
    // Both are read again while the page is being laid out.
    await assertBecomes(async () => {
      const [button, input] = [await open.boundingBox(), await page.locator('[data-field=category_id] .input').boundingBox()]
      assert.ok(button && input, 'both are shown')
      const isInWidth = button.x > input.x && button.x + button.width < input.x + input.width
      return isInWidth && button.y > input.y && button.y + button.height < input.y + input.height
    }, true)
    await open.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name })
    await drawer.getByRole('link', { name: 'Open in full' }).waitFor()
    await page.waitForURL(`**/models/post/11?open=category.${category.id}`)
    const box = await drawer.boundingBox()
    assert.equal(Math.round((box?.x ?? 0) + (box?.width ?? 0)), variant.width)
    if (variant.width === 360) assert.equal(box?.x, 0)
    await checkAccess()

    // Edits are not lost by Escape, nor by Back.
    await drawer.getByLabel('Name').fill(`${name} and races`)
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    for (const close of [() => page.keyboard.press('Escape'), () => page.evaluate('history.back()')]) {
      await close()
      await question.getByRole('button', { name: 'Stay' }).click()
      await question.waitFor({ state: 'detached' })
      await assertBecomes(() => drawer.getByLabel('Name').inputValue(), `${name} and races`)
    }

    // Meanwhile somebody else changes the record.
    await api.model('category').update(category.id, { description: 'Sails on the horizon' })
    await drawer.getByText('has been changed elsewhere').waitFor()
    await drawer.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Save selected values' }).click()
    await drawer.waitFor({ state: 'detached' })
    await page.waitForURL(/\/models\/post\/11$/)
    const { data: stored } = await api.model('category').read(category.id)
    assert.deepEqual([stored.name, stored.description], [`${name} and races`, 'Sails on the horizon'])

    await page.getByLabel('Category').getByText(`${name} and races`).waitFor()
    await page
      .locator('button:focus')
      .and(page.getByRole('button', { name: `Open ${name} and races` }))
      .waitFor()
    await assertBecomes(() => page.getByLabel('Title').inputValue(), 'What is typed stays')
  },
)

inBrowser('drawers nest, and the address holds them', { at: '/models/post' }, async ({ page, server, path, checkAccess }) => {
  await (await apiOf(server)).model('post').update(12, { category_id: 2 })
  await page.goto(`${path}/models/post/12`)
  await page.getByRole('button', { name: 'Open Boats & Shipping' }).click()
  const outer = page.getByRole('dialog', { name: 'Boats & Shipping' })
  await outer.getByRole('button', { name: 'Open Harbour Life' }).click()
  const inner = page.getByRole('dialog', { name: 'Harbour Life' })
  await inner.getByLabel('Slug').waitFor()
  await page.waitForURL(/\?open=category\.2&open=category\.1$/)
  await page.reload()
  await inner.getByLabel('Slug').waitFor()
  await checkAccess()
  await page.goBack()
  await inner.waitFor({ state: 'detached' })
  await outer.getByLabel('Slug').waitFor()
  await page.waitForURL(/\?open=category\.2$/)
  await page.keyboard.press('Escape')
  await outer.waitFor({ state: 'detached' })
  await page
    .locator('button:focus')
    .and(page.getByRole('button', { name: 'Open Boats & Shipping' }))
    .waitFor()
  await page.waitForURL(/\/models\/post\/12$/)

  // A pasted address has no form to go back to: the drawer closes in place.
  await page.goto(`${path}/models/post/12?open=category.2`)
  await outer.getByRole('button', { name: 'Close' }).click()
  await page.waitForURL(/\/models\/post\/12$/)
  await page.goBack()
  await page.waitForURL(/\/models\/post\/12$/)
})

inBrowser(
  'a form that is only read opens related records too, and tags open from their chips',
  { at: '/models/post/3', as: { username: 'pia.nakamura', password: 'mackerel-sky-33' } },
  async ({ page }) => {
    const open = page.locator('[data-field=category_id]').getByRole('button', { name: /^Open / })
    const name = (await open.getAttribute('aria-label'))?.slice('Open '.length)
    await open.click()
    const drawer = page.getByRole('dialog', { name: name ?? '' })
    await drawer.getByText('Slug').waitFor()
    assert.equal(await drawer.getByRole('button', { name: 'Save' }).count(), 0)
    await drawer.getByRole('link', { name: 'Open in full' }).click()
    await page.waitForURL(/\/models\/category\/\d+$/)
    await page.goBack()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    const tag = page
      .locator('[data-field=tags]')
      .getByRole('button', { name: /^Open / })
      .first()
    await tag.click()
    await page.waitForURL(/\?open=tag\.\d+$/)
    await page.getByRole('dialog').getByText('Slug').waitFor()
  },
)

inBrowser(
  'a form and a drawer that both have edits: closing the drawer asks for its edits alone, another page asks once for both',
  { at: '/models/post' },
  async ({ page, server, variant, path, checkAccess }) => {
    const api = await apiOf(server)
    const name = `Moorings ${variant.scheme} ${variant.width}`
    const { data: category } = await api.model('category').create({ name, slug: name.toLowerCase().replaceAll(' ', '-') })
    await api.model('post').update(13, { category_id: category.id })
    await page.goto(`${path}/models/post/13`)
    await page.getByLabel('Title').fill('Typed on the page')
    await page.getByRole('button', { name: `Open ${name}` }).click()
    const drawer = page.getByRole('dialog', { name })
    await drawer.getByLabel('Name').fill('Typed in the drawer')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    const answer = async (button: string) => {
      await question.getByRole('button', { name: button }).click()
      await question.waitFor({ state: 'detached' })
    }

    await drawer.getByRole('link', { name: 'Open in full' }).click()
    await question.waitFor()
    await checkAccess()
    await answer('Stay')
    await assertBecomes(() => drawer.getByLabel('Name').inputValue(), 'Typed in the drawer')

    await page.keyboard.press('Escape')
    await answer('Leave')
    await drawer.waitFor({ state: 'detached' })
    await assertBecomes(() => page.getByLabel('Title').inputValue(), 'Typed on the page')
    assert.equal((await api.model('category').read(category.id)).data.name, name)

    await page.getByRole('button', { name: `Open ${name}` }).click()
    await drawer.getByLabel('Name').fill('Typed again')
    await drawer.getByRole('link', { name: 'Open in full' }).click()
    await answer('Leave')
    await page.waitForURL(`**/models/category/${category.id}`)
    await assertBecomes(() => question.count(), 0, 'one question is enough for both')
    await assertBecomes(() => page.getByLabel('Name').inputValue(), name)
  },
)

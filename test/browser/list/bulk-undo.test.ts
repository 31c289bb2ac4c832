import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const inBrowser = browserSite()

const selection = (page: Page) => page.getByRole('region', { name: 'Selection' })

/** A part of names that no other test has. */
const mark = () => `m${crypto.randomUUID().slice(0, 8)}`

/** Selects all records of the list, and deletes them. */
async function deleteAll(page: Page, count: number): Promise<void> {
  await page.getByLabel('Select all on this page').check()
  await selection(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Delete ${count} records` })
    .click()
  await page.getByText(`${count} records deleted`).first().waitFor()
}

inBrowser(
  'the deletion of several records is undone, with what went with each, and says which did not come back',
  { at: '/models/tag', allows: ['409 /models/post/'] },
  async ({ page, server, path, checkAccess }) => {
    const api = await apiOf(server)
    const [posts, comments] = [api.model('post'), api.model('comment')]
    const name = mark()
    const data = (n: number) => ({ title: `Post ${n} ${name}`, slug: `${name}-${n}`, body: 'Kept', author_id: 2 })
    const { data: created } = await posts.bulkCreate([1, 2, 3].map(data))
    const ids = valuesOf(created, 'id')
    const { data: said } = await comments.bulkCreate(ids.map((post_id) => ({ body: 'Kept, too', post_id, author_id: 2 })))
    const present = async () => {
      const query = { filters: { id__in: ids }, sort: ['id'] }
      return valuesOf((await posts.list(query)).data, 'id')
    }
    await page.goto(`${path}/models/post?filter=title__icontains%3D${name}`)
    await deleteAll(page, 3)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(`**/models/post/${ids[2]}/restore`, async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    // A screen reader tells the end, not each step.
    const silent = page.locator('.toast-title [aria-live=off]')
    await silent.getByText('Restoring… 2 of 3').waitFor()
    release()
    await page.locator('[aria-live=polite]').getByText('3 records restored').first().waitFor()
    await assertBecomes(() => silent.count(), 0)
    await assertBecomes(() => page.getByRole('button', { name: 'Undo' }).count(), 0, 'it is undone once')
    await page.getByLabel(`Select Post 3 ${name}`).waitFor()
    assert.deepEqual(await present(), ids)
    const { data: back } = await comments.list({ filters: { id__in: valuesOf(said, 'id') } })
    assert.equal(back.length, 3)

    await page.goto(`${path}/models/post?filter=title__icontains%3D${name}`)
    await deleteAll(page, 3)
    const { data: taken } = await posts.create({ ...data(2), title: 'Another one' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 of 3 records restored').first().waitFor()
    await page.getByText(`“Post 2 ${name}”: Slug must be unique`).first().waitFor()
    await checkAccess()
    assert.deepEqual(await present(), [ids[0], ids[2]])
    await posts.delete(taken.id)
  },
)

inBrowser(
  'records that bring each other back are restored once, with the references between them',
  { at: '/models/tag', allows: ['409 /models/category/'] },
  async ({ page, server, path }) => {
    const categories = (await apiOf(server)).model('category')
    const name = mark()
    const data = (n: number, parent_id: number | null) => ({ name: `C${n} ${name}`, slug: `${name}-${n}`, parent_id })
    const { data: parent } = await categories.create(data(0, null))
    const { data: children } = await categories.bulkCreate([1, 2, 3, 4, 5].map((n) => data(n, parent.id)))
    await page.goto(`${path}/models/category?filter=name__icontains%3D${name}`)
    await deleteAll(page, 6)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('6 records restored').first().waitFor()
    const { data: back } = await categories.list({ filters: { id__in: valuesOf(children, 'id') }, fields: ['parent_id'] })
    assert.deepEqual(
      back.map((each) => each.parent_id),
      Array(5).fill(parent.id),
    )
  },
)

inBrowser(
  'a change of several records is undone in one step, each to its former value, and not over what others have changed since',
  { at: '/models/tag', allows: ['400 /models/tag/bulk'] },
  async ({ page, server, path, checkAccess }) => {
    const tags = (await apiOf(server)).model('tag')
    const name = mark()
    const { data: created } = await tags.bulkCreate(
      [1, 2, 3, 4].map((n) => ({ name: `T${n} ${name}`, slug: `${name}-${n}`, color: n === 4 ? '#123456' : `#00000${n}` })),
    )
    const ids = valuesOf(created, 'id')
    const colors = async () => valuesOf((await tags.list({ filters: { id__in: ids }, sort: ['id'] })).data, 'color')
    const changeAll = async () => {
      await page.getByLabel('Select all on this page').check()
      await selection(page).getByRole('button', { name: 'Edit', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit 4 records' })
      await choose(dialog.getByLabel('Field'), 'Colour')
      await dialog.getByLabel('Value').fill('#123456')
      await dialog.getByRole('button', { name: 'Change 4 records' }).click()
      await page.getByText('4 records changed').first().waitFor()
      assert.deepEqual(await colors(), Array(4).fill('#123456'))
    }
    await page.goto(`${path}/models/tag?filter=name__icontains%3D${name}`)
    await changeAll()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change to 3 records undone').first().waitFor()
    assert.deepEqual(await colors(), ['#000001', '#000002', '#000003', '#123456'])
    await assertBecomes(() => page.getByRole('button', { name: 'Undo' }).count(), 0, 'it is undone once')
    await page.getByText('#000003').first().waitFor()

    await page.goto(`${path}/models/tag?filter=name__icontains%3D${name}`)
    await changeAll()
    await tags.update(ids[1] ?? 0, { color: '#654321' })
    await tags.delete(ids[2] ?? 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change to 1 of 3 records undone').first().waitFor()
    await page
      .getByText(/^“T[23] m.* \(and 1 more\)$/)
      .first()
      .waitFor()
    await checkAccess()
    assert.deepEqual(await colors(), ['#000001', '#654321', '#123456'])
  },
)

inBrowser('without the permission to add, a deletion offers no Undo', { at: '/models/tag' }, async ({ page, server, path }) => {
  const api = await apiOf(server)
  const name = mark()
  const tags = api.model('tag')
  await tags.bulkCreate([1, 2].map((n) => ({ name: `T${n} ${name}`, slug: `${name}-${n}` })))
  await page.goto(`${path}/models/tag?filter=name__icontains%3D${name}`)
  await page.route('**/api/v1/site', async (route) => {
    const answer = await route.fetch()
    const site = (await answer.json()) as { models: { key: string; can: string[] }[] }
    const models = site.models.map((model) => ({ ...model, can: model.can.filter((action) => action !== 'add') }))
    await route.fulfill({ response: answer, json: { ...site, models } })
  })
  await page.reload()
  await deleteAll(page, 2)
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
})

import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'a deletion is undone from its notice, and restored from the history, with what went with it',
  { at: '/models/post' },
  async ({ page, server, path, checkAccess }) => {
    const api = await apiOf(server)
    const { data: author } = await api.model('user').read(2)
    const slug = `undone-${crypto.randomUUID().slice(0, 8)}`
    const { data: post } = await api.model('post').create({ title: `Undone ${slug}`, slug, body: 'Kept', author_id: author.id })
    const { data: comment } = await api.model('comment').create({ body: 'Kept, too', post_id: post.id, author_id: author.id })
    const expectRestored = async () => {
      await page.getByText('Restored', { exact: true }).first().waitFor()
      await page.waitForURL(`**/models/post/${post.id}`)
      assert.equal((await api.model('comment').read(comment.id)).data.body, 'Kept, too')
    }
    await page.goto(`${path}/models/post/${post.id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/models/post')
    await assert.rejects(api.model('comment').read(comment.id), { type: 'not_found' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await expectRestored()
    await page.goto(`${path}/history?model=tag`)
    await api.model('post').delete(post.id)
    await page.goto(`${path}/history?model=post`)
    await checkAccess()
    const deletion = page
      .locator('tbody > tr')
      .filter({ hasText: `Undone ${slug}` })
      .first()
    assert.equal(await deletion.getByRole('link').count(), 0, 'a record that is gone has a name and no link')
    await page.goto(`${path}/history`)
    const cascade = page.locator('.of-request').first()
    assert.match(await cascade.innerText(), /Deletion of another record/, 'what a deletion deleted stands below it')
    await assertBecomes(() => cascade.getByRole('button', { name: 'Restore' }).count(), 0)
    await deletion.getByRole('button', { name: 'Restore' }).click()
    await expectRestored()
  },
)

inBrowser(
  'saved changes are undone from their notice',
  { at: '/models/post', allows: ['412 /models/tag/'] },
  async ({ page, server, path }) => {
    const tags = (await apiOf(server)).model('tag')
    const slug = `undone-${crypto.randomUUID().slice(0, 8)}`
    const { data: tag } = await tags.create({ name: slug, slug })
    await page.goto(`${path}/models/tag/${tag.id}`)
    await page.getByLabel('Name').fill(`${slug} changed`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone', { exact: true }).waitFor()
    await assertBecomes(() => page.getByLabel('Name').inputValue(), slug)
    assert.equal((await tags.read(tag.id)).data.name, slug)
    await page.getByLabel('Name').fill(`${slug} again`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await tags.update(tag.id, { color: '#123456' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Not undone', { exact: true }).first().waitFor()
    assert.equal((await tags.read(tag.id)).data.name, `${slug} again`, 'what others have changed since stays')
  },
)

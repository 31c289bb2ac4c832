import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { filesIn } from '../../../src/model/files.ts'
import type { Json } from '../../../src/util/json.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { ask, openArticles, places, upload } from './articles.ts'

/** Hooks that set files by what the title says, and an action that does it by its input. */
const CODE = {
  'hooks/article.ts': `// @ts-nocheck
import { defineHooks } from 'admin-folder'

export default defineHooks('article', {
  async beforeCreate({ record }, tx) {
    const [what, ...ids] = record.title.split(' ')
    if (what === 'return') return { gallery: ids }
    if (what === 'create') tx.system.model('article').create({ title: 'Written', gallery: ids })
    if (what === 'own') tx.model('article').create({ title: 'Written', gallery: ids.map((id) => ({ id, alt: 'by code' })) })
    return undefined
  },
  async beforeUpdate({ record, before }, tx) {
    const [what, ...ids] = record.title.split(' ')
    if (what === 'empty') return { gallery: null }
    if (what === 'keep') return { gallery: before.gallery.toReversed() }
    if (what === 'update') tx.system.model('article').update(Number(ids[0]), { gallery: ids.slice(1) })
    return undefined
  },
})
`,
  'actions/article.yaml': `model: Article
name: illustrate
input: [{ name: picture, type: string }]
set: { manual: { input: picture } }
`,
}

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openArticles({ files: CODE })
  await work(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

const galleryOf = async ({ app }: TestApp, id: number): Promise<readonly string[]> => {
  const [record] = await app.store.get('article', [id])
  return filesIn(record?.gallery).map(({ id: file }) => file)
}

const noUpload = (id: string) => `gallery: there is no upload '${id}'; uploads are kept for 24 hours`

const create = async (app: TestApp, title: string, as = 'ann'): Promise<readonly [status: number, error: Json]> => {
  const { status, json } = await ask(app, 'POST article', { data: { title } }, as)
  return [status, json.detail?.error ?? null]
}

describe('files that code of the project sets', () => {
  appTest('pending uploads of the acting user, by the id that a hook returns or writes', async (app) => {
    const [a, b, c] = [await upload(app, { user_id: 2 }), await upload(app, { user_id: 2 }), await upload(app, { user_id: 2 })]
    assert.deepEqual(await create(app, `return ${a} ${b}`), [201, null])
    assert.deepEqual(await galleryOf(app, 1), [a, b])
    assert.deepEqual(await create(app, `create ${c}`), [201, null])
    assert.deepEqual(await galleryOf(app, 3), [c])
    const own = await upload(app, { user_id: 2 })
    assert.deepEqual(await create(app, `own ${own}`), [201, null])
    assert.equal(filesIn((await app.app.store.get('article', [5]))[0]?.gallery)[0]?.alt, 'by code')
    assert.deepEqual(await places(app), ['gallery 1', 'gallery 1', 'gallery 3', 'gallery 5'])
  })

  appTest('uploads of others and files of other records are refused, and nothing is stored', async (app) => {
    const taken = await upload(app)
    await ask(app, 'POST article', { data: { title: 'Taken', gallery: [taken] } })
    for (const id of [taken, await upload(app), 'x']) {
      assert.deepEqual(await create(app, `return ${id}`), [400, { gallery: [noUpload(id)] }])
      const [status, error] = await create(app, `create ${id}`)
      assert.deepEqual([status, JSON.stringify(error).includes(noUpload(id))], [400, true], JSON.stringify(error))
    }
    assert.deepEqual((await app.app.store.status()).records.get('article'), 1)
  })

  appTest('null, and the files of the record itself', async (app) => {
    const [a, b] = [await upload(app), await upload(app)]
    await ask(app, 'POST article', { data: { title: 'One', gallery: [a, b] } })
    assert.equal((await ask(app, 'PUT article/1', { data: { title: 'keep' } })).status, 200)
    assert.deepEqual(await galleryOf(app, 1), [b, a])
    assert.equal((await ask(app, 'PUT article/1', { data: { title: 'empty' } })).status, 200)
    assert.deepEqual([await galleryOf(app, 1), await places(app)], [[], ['gallery 1!', 'gallery 1!']])
    await ask(app, 'POST article', { data: { title: 'Two' } })
    await ask(app, 'PUT article/1', { data: { title: 'One' } })
    assert.equal((await ask(app, 'PUT article/2', { data: { title: `update 1 ${a}` } })).status, 200)
    assert.deepEqual([await galleryOf(app, 1), await places(app)], [[a], ['gallery 1', 'gallery 1!']])
  })

  appTest('an action sets a file by its input', async (app) => {
    const manual = await upload(app, { field: 'manual', type: 'application/pdf', width: null, height: null })
    await ask(app, 'POST article', { data: { title: 'One' } })
    const act = (picture: string) => ask(app, 'POST article/1/actions/illustrate', { input: { picture } })
    const refused = await act('x')
    assert.deepEqual(
      [refused.status, refused.json.detail.error],
      [400, { manual: ["manual: there is no upload 'x'; uploads are kept for 24 hours"] }],
    )
    const done = await act(manual)
    assert.equal(done.status, 200, done.text)
    assert.deepEqual(await places(app), ['manual 1'])
  })
})

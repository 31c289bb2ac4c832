import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { ask, openArticles, places, upload } from './articles.ts'

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openArticles()
  await work(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

const load = (app: TestApp, rows: readonly unknown[], query = ''): Promise<Reply> =>
  send(app, {
    request: `POST /api/v1/models/article/import${query}`,
    rawBody: JSON.stringify(rows),
    headers: { 'content-type': 'application/json' },
  })

describe('files in imports', () => {
  appTest('rows refer to uploads by id; a dry run attaches none', async (app) => {
    const [a, b, cover] = [await upload(app), await upload(app), await upload(app, { field: 'cover' })]
    const rows = [
      { title: 'One', gallery: [a, { id: b, alt: 'b' }] },
      { title: 'Two', cover },
    ]
    const dry = await load(app, rows, '?dry_run=true')
    assert.deepEqual([dry.status, dry.json.total], [200, 2], dry.text)
    assert.deepEqual(await places(app), ['gallery pending', 'gallery pending', 'cover pending'])
    assert.equal((await load(app, rows)).status, 200)
    assert.deepEqual(await places(app), ['gallery 1', 'gallery 1', 'cover 2'])
    const exported = await ask(app, 'GET article/1')
    assert.deepEqual(
      exported.json.data.gallery.map(({ alt }: { alt: string | null }) => alt),
      [null, 'b'],
    )
  })

  appTest('errors name the row and the field, and nothing is stored', async (app) => {
    const [a, cover] = [await upload(app), await upload(app, { field: 'cover', width: 100 })]
    const noUpload = (id: string) => [`gallery: there is no upload '${id}'; uploads are kept for 24 hours`]
    const reply = await load(app, [
      { title: 'One', gallery: [a] },
      { title: 'Two', gallery: ['x'] },
      { title: 'Three', cover },
    ])
    assert.equal(reply.status, 400)
    assert.deepEqual(reply.json.detail.error, {
      '2.gallery': noUpload('x'),
      '3.cover': ['cover must be at least 1200 pixels wide'],
    })
    const twice = await load(app, [
      { title: 'One', gallery: [a] },
      { title: 'Two', gallery: [a] },
    ])
    assert.deepEqual(twice.json.detail.error, { '2.gallery': noUpload(a) })
    assert.deepEqual(await places(app), ['gallery pending', 'cover pending'])
  })
})

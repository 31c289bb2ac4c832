import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { FILE_TABLE, filesIn } from '../../../src/model/files.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { ask, openArticles, places, upload } from './articles.ts'

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openArticles()
  await work(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

/** Removes rows of the registry, as the sweep does with files that are kept no longer. */
async function sweep({ app }: TestApp, ...ids: readonly number[]): Promise<void> {
  const outcome = await app.records.commitInternal(ids.map((id) => ({ kind: 'remove', table: FILE_TABLE, id })))
  assert.ok(outcome.ok)
}

/** An article with a cover and two pictures, and a note with a file. */
async function fill(app: TestApp): Promise<readonly string[]> {
  const [cover, a, b] = [
    await upload(app, { field: 'cover', name: 'cover.png' }),
    await upload(app, { name: 'a.png' }),
    await upload(app),
  ]
  const file = await upload(app, { model: 'note', field: 'file', name: 'note.txt' })
  await ask(app, 'POST article', { data: { title: 'One', cover, gallery: [a, b] } })
  await ask(app, 'POST note', { data: { text: 'n', file, article_id: 1 } })
  app.advance(60_000)
  return [cover, a, b, file]
}

describe('restoring records with files', () => {
  appTest('a deleted record and its cascade have their files again', async (app) => {
    await fill(app)
    const before = await app.app.store.get('article', [1])
    await ask(app, 'DELETE article/1')
    assert.deepEqual(await places(app), ['cover 1!', 'gallery 1!', 'gallery 1!', 'file 1!'])
    const restored = await ask(app, 'POST article/1/restore')
    assert.deepEqual([restored.status, restored.json.notices], [200, []], restored.text)
    assert.deepEqual(await places(app), ['cover 1', 'gallery 1', 'gallery 1', 'file 1'])
    assert.deepEqual(await app.app.store.get('article', [1]), before)
  })

  appTest('files that are not kept any more are left out, and named', async (app) => {
    const [, , b] = await fill(app)
    await ask(app, 'DELETE article/1')
    await sweep(app, 1, 2)
    const restored = await ask(app, 'POST article/1/restore')
    assert.equal(restored.status, 200, restored.text)
    const gone = (name: string, field: string) => `The file '${name}' of ${field} of Article with ID 1 is not kept any more`
    assert.deepEqual(restored.json.notices, [gone('cover.png', 'cover'), gone('a.png', 'gallery')])
    const [record] = await app.app.store.get('article', [1])
    assert.deepEqual([record?.cover ?? null, filesIn(record?.gallery).map(({ id }) => id)], [null, [b]])
  })

  appTest('a mandatory file that is not kept is the reason of a refusal', async (app) => {
    await fill(app)
    await ask(app, 'DELETE note/1')
    await sweep(app, 4)
    const restored = await ask(app, 'POST note/1/restore')
    assert.equal(restored.status, 409)
    assert.match(restored.text, /Note with ID 1: file is mandatory, and what it had is not kept any more: 'note\.txt'/)
  })

  appTest('a former value is written back by the ids that the history has', async (app) => {
    const [cover] = await fill(app)
    await ask(app, 'PUT article/1', { data: { cover: null } })
    const { json } = await ask(app, 'GET article/1/history')
    const { before, after } = json.data[0].changes.cover
    assert.deepEqual([before.id, after], [cover, null])
    assert.equal((await ask(app, 'PUT article/1', { data: { cover: before } })).status, 200)
    assert.deepEqual((await places(app))[0], 'cover 1')
    await ask(app, 'PUT article/1', { data: { cover: null } })
    await sweep(app, 1)
    const refused = await ask(app, 'PUT article/1', { data: { cover: before } })
    assert.deepEqual(refused.json.detail.error, {
      cover: [`cover: there is no upload '${cover}'; uploads are kept for 24 hours`],
    })
  })
})

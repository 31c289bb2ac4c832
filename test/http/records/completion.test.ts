import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { type DraftedWrite, type DraftParts, OpenDraft } from '../../../src/records/drafts.ts'
import type { Completion, OpenChange, WriteHooks } from '../../../src/records/hooks.ts'
import type { StoredRecord } from '../../../src/store/store.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const MODELS = '/api/v1/models' as const
const TAG = { name: 'Knots', slug: 'knots' }

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp()
  await app.tokenOf('admin')
  await work(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

const NOTHING: Completion = { writes: [], removals: [], reads: [] }

/** Lets code complete the changes of tags. */
function complete({ app }: TestApp, work: NonNullable<WriteHooks['complete']>, change: 'write' | 'remove' = 'write'): void {
  app.hooks.use({ completes: (model, kind) => model.key === 'tag' && kind === change, complete: work })
}

const setColor = ({ draft, model }: OpenChange, color: string) => {
  const field = model.fields.get('color')
  if (field !== undefined) draft?.set(field, color)
}

const parts: DraftParts = { clock: () => 0, random: (size) => Buffer.alloc(size, 1), maxRecordBytes: 1_000_000 }

/** A new category, as code writes it. */
function category({ app }: TestApp, name: string, parent?: OpenDraft): DraftedWrite & { readonly open: OpenDraft } {
  const model = app.project.registry.expect('category')
  const open = OpenDraft.ofNew(SYSTEM, model, undefined, { name, slug: name }, parts)
  const field = model.fields.get('parent_id')
  if (parent !== undefined && field !== undefined) open.refer(field, parent)
  return { model, open, draft: open.finish(), via: 'hook', actor: SYSTEM, cause: 0 }
}

const all = async ({ app }: TestApp, table: string): Promise<readonly StoredRecord[]> =>
  (await app.store.find(table, { filters: [], sort: [], offset: 0, limit: 1000 })).records

describe('code completes a record before its validation', () => {
  appTest('a value that it sets is stored, and one that is wrong is refused', async (app) => {
    complete(app, async (_, changes) => {
      for (const change of changes) setColor(change, change.draft?.values.name === 'Wrong' ? 'red' : '#000001')
      return NOTHING
    })
    await play(app, {
      request: `POST ${MODELS}/tag`,
      body: { data: TAG },
      status: 201,
      expectPart: { data: { color: '#000001' } },
    })
    await play(app, {
      request: `PUT ${MODELS}/tag/bulk`,
      body: {
        updates: [
          { id: 2, data: { name: 'Two' } },
          { id: 3, data: { name: 'Wrong' } },
        ],
      },
      status: 400,
      expectPart: { detail: { error: { '1.color': ['color format is invalid'] } } },
    })
    await play(app, {
      request: `PUT ${MODELS}/tag/2`,
      body: { data: { name: 'Two' } },
      status: 200,
      expectPart: { data: { color: '#000001' } },
    })
  })

  appTest('it does not run for a request with a faulty value', async (app) => {
    let calls = 0
    complete(app, async () => {
      calls++
      return NOTHING
    })
    await play(app, { request: `POST ${MODELS}/tag`, body: { data: { ...TAG, color: 'red' } }, status: 400 })
    await play(app, { request: `POST ${MODELS}/tag`, body: { data: { ...TAG, colour: 'red' } }, status: 400 })
    assert.equal(calls, 0)
  })

  appTest('its messages and those of the model are in one response', async (app) => {
    complete(app, async (_, changes) => {
      changes[0]?.draft?.complain('slug', 'slug is reserved')
      return NOTHING
    })
    await play(app, {
      request: `POST ${MODELS}/tag`,
      body: { data: { slug: 'knots' } },
      status: 400,
      expectPart: { detail: { error: { name: ['name is mandatory'], slug: ['slug is reserved'] } } },
    })
  })

  appTest('its writes are stored with the record, refer to each other, and the history tells how they were made', async (app) => {
    complete(app, async () => {
      const parent = category(app, 'parent')
      return { ...NOTHING, writes: [category(app, 'child', parent.open), parent] }
    })
    await play(app, { request: `POST ${MODELS}/tag/bulk`, body: { records: [TAG] }, status: 201 })
    const [child, parent] = (await all(app, 'category')).filter(({ name }) => name === 'child' || name === 'parent')
    assert.ok(child !== undefined && parent !== undefined)
    const byName = new Map([child, parent].map((record) => [record.name, record]))
    assert.equal(byName.get('child')?.parent_id, byName.get('parent')?.id)
    const made = (await all(app, 'historyentry')).map(({ model, via }) => `${model} ${via}`)
    assert.deepEqual(made.sort(), ['category hook', 'category hook', 'tag api'])
  })

  appTest('if one of its writes is refused, nothing is stored', async (app) => {
    complete(app, async () => ({ ...NOTHING, writes: [category(app, 'once'), category(app, 'once')] }))
    const before = await all(app, 'category')
    await play(app, {
      request: `POST ${MODELS}/tag`,
      body: { data: TAG },
      status: 400,
      expectPart: { detail: { error: { 'category.name': ['name must be unique'] } } },
    })
    assert.deepEqual(await all(app, 'category'), before)
    assert.ok(!(await all(app, 'tag')).some(({ slug }) => slug === 'knots'))
  })

  appTest('a record that it has read is as it was, or it runs again; 20 times, then 409', async (app) => {
    let runs = 0
    let changes = 3
    complete(app, async (_, __, records) => {
      runs++
      const [record] = await records.get('category', [1])
      if (changes-- > 0) {
        await app.app.records.update(SYSTEM, 'category', 1, { data: { position: runs + 100 } })
      }
      return { ...NOTHING, reads: [{ table: 'category', id: 1, record }] }
    })
    await play(app, { request: `POST ${MODELS}/tag`, body: { data: TAG }, status: 201 })
    assert.equal(runs, 4)
    changes = Number.POSITIVE_INFINITY
    await play(app, { request: `PUT ${MODELS}/tag/2`, body: { data: { name: 'Two' } }, status: 409 })
    assert.equal(runs, 24)
  })

  appTest('a deletion is stored with what code writes, and deletes what code deletes', async (app) => {
    const [last] = (await all(app, 'category')).slice(-1)
    assert.ok(last !== undefined)
    complete(
      app,
      async () => {
        const removed = { model: app.app.project.registry.expect('tag'), record: (await all(app, 'tag'))[3] }
        assert.ok(removed.record !== undefined)
        return { ...NOTHING, writes: [category(app, 'made')], removals: [{ ...removed, record: removed.record, via: 'hook' }] }
      },
      'remove',
    )
    const ids = (await all(app, 'tag')).map(({ id }) => id)
    await play(app, { request: `DELETE ${MODELS}/tag/1`, status: 200, expectPart: { data: { id: 1 } } })
    assert.deepEqual(
      (await all(app, 'tag')).map(({ id }) => id),
      ids.filter((id, index) => id !== 1 && index !== 3),
    )
    assert.ok((await all(app, 'category')).some(({ name }) => name === 'made'))
  })
})

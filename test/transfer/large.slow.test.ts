import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SHELL } from '../../src/auth/permissions.ts'
import { openTestApp } from '../helpers/api/app.ts'

/** More than the arguments that fit on the stack of a call. */
const COUNT = 130_000
const MODEL =
  'name: Item\nfields:\n  - { name: title, type: string, required: true }\n  - { name: sku, type: string, unique: true }\n'

const item = (number: number) => ({ title: `Item ${number}`, sku: `SKU-${number}` })
const items = Array.from({ length: COUNT }, (_, index) => item(index + 1))
const lines = items.map((each) => JSON.stringify(each))
const TEXTS: Readonly<Record<string, string>> = { ndjson: `${lines.join('\n')}\n`, json: `[${lines.join(',')}]` }

describe(`${COUNT} records`, () => {
  for (const [format, text] of Object.entries(TEXTS)) {
    test(`are created from a ${format} seed`, async () => {
      await using app = await openTestApp({ files: { 'models/item.yaml': MODEL, [`seed/item.${format}`]: text } })
      assert.equal(app.app.seeded, COUNT)
      const [last] = await app.app.store.get('item', [COUNT])
      assert.deepEqual([last?.title, last?.sku], [`Item ${COUNT}`, `SKU-${COUNT}`])
    })
  }

  test('are imported, and updated by another import', async () => {
    await using app = await openTestApp({ files: { 'models/item.yaml': MODEL } })
    const file = { format: 'ndjson', open: () => [TEXTS.ndjson ?? ''] } as const
    const outcome = await app.app.imports.run(SHELL, 'item', file)
    assert.deepEqual([outcome.created, outcome.updated], [COUNT, 0])
    const again = await app.app.imports.run(SHELL, 'item', file, { upsertBy: 'sku' })
    assert.deepEqual([again.created, again.updated], [0, COUNT])
  })

  test('are forecast and deleted by one cascade', async () => {
    const shelves = 'name: Shelf\nfields:\n  - { name: name, type: string }\n'
    const shelved = `${MODEL}  - { name: shelf_id, type: foreignkey, model: shelf, on_delete: cascade }\n`
    const seed = items.map((each) => `${JSON.stringify({ ...each, shelf_id: 1 })}\n`).join('')
    const files = { 'models/shelf.yaml': shelves, 'models/item.yaml': shelved, 'seed/item.ndjson': seed }
    await using app = await openTestApp({ files: { ...files, 'seed/shelf.yaml': '- { name: first }\n' } })
    const { records } = app.app
    const { consequences } = await records.forecastRemoval(SHELL, 'shelf', 1)
    assert.deepEqual(consequences, [{ model: 'item', action: 'cascade', count: COUNT }])
    await records.remove(SHELL, 'shelf', 1)
    assert.deepEqual(await app.app.store.get('item', [1, COUNT]), [undefined, undefined])
  })
})

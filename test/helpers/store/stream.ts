import assert from 'node:assert/strict'
import type { StoredRecord } from '../../../src/store/store.ts'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { insert, type Library, remove, update } from './library.ts'

/** More than any engine should put in one batch. */
const MANY = 2500

export function checkStream(check: Check): void {
  check('returns every record once, in order, in several batches', async (library) => {
    await fill(library)
    const batches = await collect(library.store.stream('genre', { filters: [], sort: [] }))
    assert.ok(batches.length > 1, `${MANY} records came in ${batches.length} batch`)
    assert.equal(
      batches.every((batch) => batch.length > 0),
      true,
    )
    assert.deepEqual(
      valuesOf(batches.flat(), 'id'),
      Array.from({ length: MANY }, (_, index) => index + 1),
    )
  })

  check('accepts filters and a sort order', async (library) => {
    await library.accept(['b', 'a', 'c', 'ab'].map((name) => insert('genre', { name })))
    const batches = await collect(
      library.store.stream('genre', {
        filters: [{ field: 'name', operator: 'icontains', value: 'b' }],
        sort: [{ field: 'name', order: 'desc' }],
      }),
    )
    assert.deepEqual(valuesOf(batches.flat(), 'name'), ['b', 'ab'])
  })

  check('returns no record of an empty table', async (library) => {
    assert.deepEqual((await collect(library.store.stream('genre', { filters: [], sort: [] }))).flat(), [])
  })

  check('shows the state of one moment despite concurrent writes', async (library) => {
    await fill(library)
    const stream = library.store.stream('genre', { filters: [], sort: [] })[Symbol.asyncIterator]()
    const seen: StoredRecord[] = []
    for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
      seen.push(...next.value)
      if (seen.length === next.value.length) {
        await library.accept([
          insert('genre', { name: 'late' }),
          update('genre', MANY, { name: 'changed' }),
          remove('genre', MANY - 1),
        ])
      }
    }
    assert.deepEqual(
      valuesOf(seen, 'name'),
      Array.from({ length: MANY }, (_, index) => `genre ${index + 1}`),
    )
    assert.equal(await library.has('genre', MANY - 1), false)
  })

  check('the state is that of the first batch', async (library) => {
    await library.add('genre', { name: 'early' })
    const stream = library.store.stream('genre', { filters: [], sort: [] })
    await library.add('genre', { name: 'before the first batch' })
    assert.deepEqual(valuesOf((await collect(stream)).flat(), 'id'), [1, 2])
  })

  check('may be stopped early', async (library) => {
    await fill(library)
    for await (const batch of library.store.stream('genre', { filters: [], sort: [] })) {
      assert.notEqual(batch.length, 0)
      break
    }
    await library.add('genre', { name: 'afterwards' })
    assert.equal((await library.find('genre'))[1], MANY + 1)
  })
}

async function fill(library: Library): Promise<void> {
  await library.accept(Array.from({ length: MANY }, (_, index) => insert('genre', { name: `genre ${index + 1}` })))
}

async function collect(stream: AsyncIterable<readonly StoredRecord[]>): Promise<(readonly StoredRecord[])[]> {
  const batches: (readonly StoredRecord[])[] = []
  for await (const batch of stream) batches.push(batch)
  return batches
}

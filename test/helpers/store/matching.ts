import assert from 'node:assert/strict'
import type { Filter } from '../../../src/query/plan.ts'
import type { Check } from './contract.ts'
import { FIELD_CASES, RELATION_CASES, shelve } from './find.ts'
import { insert, type Library, remove, update } from './library.ts'

const matching = async (library: Library, filters: readonly Filter[], ids: readonly number[]): Promise<number[]> =>
  [...(await library.store.matching('book', filters, ids))].sort((a, b) => a - b)

export function checkMatching(check: Check): void {
  check('returns the ids that a query would find, of all and of some', async (library) => {
    await shelve(library)
    for (const [filter, found] of [...FIELD_CASES, ...RELATION_CASES]) {
      assert.deepEqual(await matching(library, [filter], [1, 2, 3, 4, 5]), found, JSON.stringify(filter))
      const some = [5, 2, 4]
      assert.deepEqual(
        await matching(library, [filter], some),
        found.filter((id) => some.includes(id)),
        JSON.stringify(filter),
      )
    }
  })

  check('a record must match all filters', async (library) => {
    await shelve(library)
    const filters: Filter[] = [
      { field: 'pages', operator: 'gte', value: 50 },
      { field: 'author_id', target: 'author', filter: { field: 'name', operator: 'eq', value: 'Bob' } },
    ]
    assert.deepEqual(await matching(library, filters, [1, 2, 3, 4, 5]), [3, 4])
  })

  check('returns no missing ids, and all existing ones without filters', async (library) => {
    await shelve(library)
    assert.deepEqual(await matching(library, [], [7, 3, 0, -1, 1.5, 3, 1e300]), [3])
    assert.deepEqual(await matching(library, [], []), [])
    await library.accept([remove('book', 3)])
    assert.deepEqual(await matching(library, [], [3]), [])
    assert.deepEqual(await matching(library, [{ field: 'pages', operator: 'ne', value: 1 }], [3, 4]), [4])
  })

  check('sees the result of the last transaction', async (library) => {
    await shelve(library)
    const draft: Filter[] = [{ field: 'status', operator: 'eq', value: 'draft' }]
    await library.accept([
      insert('book', { title: 'New', isbn: '6', author_id: 1, status: 'draft' }),
      update('book', 1, { status: null }),
    ])
    assert.deepEqual(await matching(library, draft, [1, 4, 5, 6]), [4, 6])
  })
}

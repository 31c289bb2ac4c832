import assert from 'node:assert/strict'
import type { Operation, Violation } from '../../../src/store/store.ts'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { assertFields, insert, type Library, remove, type TableName, update } from './library.ts'

const restrict = (id: number, table: TableName, field: string, count: number, index = 0): Violation => ({
  kind: 'restrict',
  index,
  id,
  table,
  field,
  count,
})

export function checkCascades(check: Check): void {
  check('restrict: a referenced record is not removed, and its referrers are counted', async (library) => {
    await library.accept([insert('author', { name: 'a' }), insert('author', { name: 'b' })])
    for (let count = 1; count <= 3; count++) {
      await library.addBook({ author_id: 1 })
      await library.refuse([remove('author', 1)], [restrict(1, 'book', 'author_id', count)])
    }
    await library.refuse([remove('author', 2), remove('author', 1)], [restrict(1, 'book', 'author_id', 3, 1)])
    await library.accept([remove('author', 2)])
  })

  check('restrict: a record without referrers is removed', async (library) => {
    await library.accept([insert('author', { name: 'a' }), insert('author', { name: 'b' })])
    await library.addBook({ author_id: 1 })
    await library.addBook({ author_id: 1 })
    await library.accept([update('book', 1, { author_id: 2 }), remove('book', 2)])
    await library.accept([remove('author', 1)])
  })

  check('a removal is denied if a cascade would remove a protected record', async (library) => {
    const protectedRecords = { table: 'book', filter: { field: 'pages', operator: 'gt', value: 100 } } as const
    await library.accept([insert('series', { name: 'a' }), insert('series', { name: 'b' }), insert('author', { name: 'a' })])
    await library.addBook({ series_id: 1, pages: 100, author_id: 1 })
    await library.addBook({ series_id: 2, pages: 101, author_id: 1 })
    const protecting = (id: number): Operation => ({ kind: 'remove', table: 'series', id, protectedRecords })
    const [one, two] = [protecting(1), protecting(2)]
    await library.refuse([one, two], [{ kind: 'denied', index: 1, id: 2 }])
    const rehearsed = await library.store.transact([two], 'rehearse')
    assert.deepEqual(rehearsed, { ok: false, violations: [{ kind: 'denied', index: 0, id: 2 }] })
    await library.accept([one])
    assert.equal((await library.find('book'))[0].length, 1)
    await library.accept([update('book', 2, { pages: 1 }), remove('series', 2)])
  })

  check('set_null: the reference becomes null, the referrer stays', async (library) => {
    await library.add('author', { name: 'editor' })
    await library.addBook({ editor_id: 1, pages: 5 })
    await library.addBook({ editor_id: 1 })
    await library.addBook()
    const before = await library.store.get('book', [1, 2])
    const { records, changes } = await library.accept([remove('author', 1)])
    assert.equal(records.length, 1)
    assertFields(records[0], { id: 1, name: 'editor' })
    assertFields(await library.expect('book', 1), { editor_id: null, pages: 5 })
    const after = await library.store.get('book', [1, 2])
    assert.deepEqual(
      changes.filter(({ table }) => table === 'book').sort((a, b) => a.id - b.id),
      [0, 1].map((index) => ({ table: 'book', id: index + 1, before: before[index], after: after[index] })),
    )
    assert.equal(changes.length, 3)
  })

  check('set_null: a record and what it refers to are removed together, in any order', async (library) => {
    for (const order of [
      ['author', 'book'],
      ['book', 'author'],
    ] as const) {
      const author = (await library.add('author', { name: 'editor' })).id
      const book = (await library.addBook({ editor_id: author })).id
      const ids = { author, book }
      const removals = async (table: 'author' | 'book'): Promise<Operation> => {
        return { kind: 'remove', table, id: ids[table], expect: await library.expect(table, ids[table]) }
      }
      const { records } = await library.accept(await Promise.all(order.map(removals)))
      assertFields(records[order.indexOf('book')], { editor_id: author })
      assert.deepEqual((await library.find('book'))[0], [])
    }
  })

  check('many_to_many: the links are removed, the referrers stay', async (library) => {
    await library.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
    await library.addBook({ genres: [3, 1, 2] })
    await library.addBook({ genres: [2] })
    await library.addBook({ genres: [3] })
    const { changes } = await library.accept([remove('genre', 2)])
    const [records] = await library.find('book')
    assert.deepEqual(valuesOf(records, 'genres'), [[3, 1], [], [3]])
    assert.deepEqual(changes.map(({ table, id }) => `${table} ${id}`).sort(), ['book 1', 'book 2', 'genre 2'])
    await library.accept([remove('genre', 1), remove('genre', 3)])
    assertFields(await library.expect('book', 1), { genres: [] })
  })

  check('cascade: removes referrers at all levels and returns every change', async (library) => {
    await fillLevels(library)
    const before = await library.everything()
    const { records, changes } = await library.accept([remove('category', 1)])
    assert.equal(records.length, 1)
    assert.deepEqual(changes.map(({ table, id, after }) => `${table} ${id} ${after === undefined ? 'gone' : 'changed'}`).sort(), [
      'book 1 gone',
      'category 1 gone',
      'category 2 gone',
      'cover 1 gone',
      'review 1 gone',
      'review 2 gone',
      'series 1 gone',
    ])
    for (const { table, id, before: told } of changes)
      assert.deepEqual(
        told,
        before[table]?.find((record) => record.id === id),
      )
    assert.deepEqual(await library.ids('category'), [3])
    assert.deepEqual(await library.ids('book'), [2])
    assert.deepEqual(await library.ids('review'), [3])
  })

  check('cascade: a removed referrer does not restrict', async (library) => {
    await fillLevels(library)
    await library.refuse([remove('author', 1)], [restrict(1, 'book', 'author_id', 1)])
    await library.accept([remove('category', 1)])
    await library.accept([remove('author', 1)])
  })

  check('cascade: a restriction at any level rejects the whole transaction', async (library) => {
    await fillLevels(library)
    await library.accept([update('category', 3, { merged_into_id: 2 })])
    await library.refuse([remove('genre', 1), remove('category', 1)], [restrict(2, 'category', 'merged_into_id', 1, 1)])
    await library.accept([remove('category', 3), remove('category', 1)])
  })

  check('cascade: references between removed records do not restrict', async (library) => {
    await library.accept([
      insert('category', { name: 'top' }),
      insert('category', { name: 'a', parent_id: 1, merged_into_id: 1 }),
      insert('category', { name: 'b', parent_id: 1, merged_into_id: 2 }),
    ])
    await library.accept([remove('category', 1)])
    assert.deepEqual(await library.ids('category'), [])
  })

  check('cascade: a cycle of references ends', async (library) => {
    await library.accept([
      insert('category', { name: 'a', parent_id: 3 }, 1),
      insert('category', { name: 'b', parent_id: 1 }, 2),
      insert('category', { name: 'c', parent_id: 2 }, 3),
    ])
    const { changes } = await library.accept([remove('category', 2)])
    assert.deepEqual(changes.map(({ id }) => id).sort(), [1, 2, 3])
    assert.deepEqual(await library.ids('category'), [])
  })

  check('cascade: has no maximum depth', async (library) => {
    const depth = 4000
    await library.accept(
      Array.from({ length: depth }, (_, index) =>
        insert('category', { name: 'link', parent_id: index === 0 ? null : index }, index + 1),
      ),
    )
    const { changes } = await library.accept([remove('category', 1)])
    assert.equal(changes.length, depth)
  })

  check('a record that refers only to itself can be removed under every on_delete', async (library) => {
    await library.accept([
      insert('category', { name: 'a', merged_into_id: 1 }, 1),
      insert('category', { name: 'b', parent_id: 2 }, 2),
    ])
    await library.accept([remove('category', 1)])
    await library.accept([remove('category', 2)])
    assert.deepEqual(await library.ids('category'), [])
  })

  check('self reference: a parent must exist, and may be the record itself', async (library) => {
    await library.add('category', { name: 'a' })
    await library.refuse([update('category', 1, { parent_id: 2 })], [{ kind: 'foreign_key', index: 0, field: 'parent_id' }])
    await library.accept([update('category', 1, { parent_id: 1 })])
  })

  check('a record with referrers by several fields', async (library) => {
    await library.addBook()
    await library.accept([update('book', 1, { editor_id: 1 })])
    await library.refuse([remove('author', 1)], [restrict(1, 'book', 'author_id', 1)])
    assertFields(await library.expect('book', 1), { author_id: 1, editor_id: 1 })
    await library.accept([remove('book', 1), remove('author', 1)])
  })

  check('a removal follows the present references, not earlier ones', async (library) => {
    await library.accept([insert('series', { name: 'old' }), insert('series', { name: 'new' })])
    await library.addBook({ series_id: 1 })
    await library.accept([update('book', 1, { series_id: 2 })])
    await library.accept([remove('series', 1)])
    assert.deepEqual(await library.ids('book'), [1])
    await library.accept([remove('series', 2)])
    assert.deepEqual(await library.ids('book'), [])
  })
}

/** Category 1 with everything below it, and a category 3 beside it with a book, so that one sees what a cascade spares. */
async function fillLevels(library: Library): Promise<void> {
  await library.accept([
    insert('category', { name: 'top' }),
    insert('category', { name: 'below', parent_id: 1 }),
    insert('category', { name: 'beside' }),
    insert('series', { name: 's', category_id: 2 }),
    insert('series', { name: 't', category_id: 3 }),
    insert('genre', { name: 'g' }),
    insert('author', { name: 'a' }),
    insert('author', { name: 'b' }),
    insert('book', { title: 'Taken', isbn: '1', author_id: 1, series_id: 1, genres: [1] }),
    insert('book', { title: 'Spared', isbn: '2', author_id: 2, series_id: 2, genres: [1] }),
    insert('cover', { book_id: 1 }),
    insert('review', { book_id: 1 }),
    insert('review', { book_id: 1 }),
    insert('review', { book_id: 2 }),
  ])
}

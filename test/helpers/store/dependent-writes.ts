import assert from 'node:assert/strict'
import type { KnownCascade, Operation, StoredRecord, Violation } from '../../../src/store/store.ts'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { assertFields, first, insert, item, type Library, type TableName, update } from './library.ts'

const expecting = (table: TableName, id: number, expect?: StoredRecord): Operation => ({ kind: 'assert', table, id, expect })
const stale = (index: number, id: number): Violation => ({ kind: 'stale', index, id })

/** Two authors of a book each; the books have the series that is to be removed. */
async function series(library: Library): Promise<readonly StoredRecord[]> {
  await library.accept([insert('series', { name: 'a' }), insert('series', { name: 'b' })])
  return [await library.addBook({ series_id: 1 }), await library.addBook({ series_id: 1 })]
}

const removing = (known: KnownCascade): Operation => ({ kind: 'remove', table: 'series', id: 1, knownCascade: known })
const cascadeOf = (...books: readonly StoredRecord[]): KnownCascade => ({
  tables: ['book'],
  records: books.map((record) => ({ table: 'book', record })),
})

export function checkDependentWrites(check: Check): void {
  check('a record that was read must be as it was', async (library) => {
    const author = await library.add('author', { name: 'a' })
    const added = [insert('genre', { name: 'a' }), expecting('author', 1, author), expecting('author', 2)]
    const { records, changes } = await library.accept(added)
    assertFields(first(records), { name: 'a' })
    assert.deepEqual(valuesOf(changes, 'table', 'id'), [['genre', 1]])
    await library.accept([update('author', 1, { name: 'b' })])
    await library.refuse([insert('genre', { name: 'b' }), expecting('author', 1, author)], [stale(1, 1)])
    await library.refuse([expecting('author', 1)], [stale(0, 1)])
    await library.refuse([expecting('author', 3, author)], [stale(0, 3)])
    const present = await library.expect('author', 1)
    await library.accept([expecting('author', 1, present)])
    await library.accept([expecting('author', 1, present)], 'rehearse')
    await library.refuse([expecting('author', 1, author)], [stale(0, 1)], 'rehearse')
    await library.accept([expecting('author', 1, present), update('author', 1, { name: 'c' }, present)])
  })

  check('of writes that depend on each other’s record, one is refused', async (library) => {
    await library.accept([insert('author', { name: 'a' }), insert('author', { name: 'b' })])
    for (let round = 0; round < 20; round++) {
      const read = [await library.expect('author', 1), await library.expect('author', 2)] as const
      const outcomes = await Promise.all([
        library.store.transact([
          expecting('author', 2, read[1]),
          update('author', 1, { rank: (round % 9) + 1, name: `a${round}` }),
        ]),
        library.store.transact([
          expecting('author', 1, read[0]),
          update('author', 2, { rank: (round % 9) + 1, name: `b${round}` }),
        ]),
      ])
      assert.deepEqual(outcomes.map(({ ok }) => ok).sort(), [false, true])
    }
  })

  check('an operation refers to records that others create', async (library) => {
    const author: Operation = insert('author', { name: 'a' })
    const book: Operation = {
      kind: 'insert',
      table: 'book',
      values: { title: 'Book a', isbn: '1', genres: [1] },
      refs: [
        { field: 'author_id', operation: 2 },
        { field: 'genres', operation: 3 },
        { field: 'genres', operation: 4 },
      ],
    }
    await library.add('genre', { name: 'a' })
    const { records } = await library.accept([
      insert('author', { name: 'other' }),
      book,
      author,
      insert('genre', { name: 'b' }),
      insert('genre', { name: 'c' }),
    ])
    const [other, made, by, ...genres] = records
    assert.ok(other !== undefined && other.id !== by?.id)
    assertFields(made, { author_id: by?.id ?? 0, genres: [1, ...genres.map(({ id }) => id)] })
    assert.deepEqual(made, await library.expect('book', made?.id ?? 0))
    const changed = await library.accept([
      {
        kind: 'update',
        table: 'book',
        id: made?.id ?? 0,
        values: { title: 'Book b' },
        refs: [{ field: 'author_id', operation: 1 }],
      },
      insert('author', { name: 'next' }),
    ])
    assertFields(first(changed.records), { title: 'Book b', author_id: item(changed.records, 1).id })
  })

  check('new records refer to each other, and a unique reference is checked', async (library) => {
    const book = await library.addBook()
    const cover = (index: number): Operation => ({
      kind: 'insert',
      table: 'category',
      values: { name: 'a' },
      refs: [{ field: 'parent_id', operation: index }],
    })
    const { records } = await library.accept([cover(1), cover(0)])
    assert.deepEqual(valuesOf(records, 'parent_id'), [item(records, 1).id, item(records, 0).id])
    await library.refuse(
      [
        { kind: 'insert', table: 'book', values: { title: 'Book a' }, refs: [{ field: 'author_id', operation: 1 }] },
        insert('author', { name: 'x' }),
      ],
      [{ kind: 'not_null', index: 0, field: 'isbn' }],
    )
    assert.ok(await library.has('book', book.id))
  })

  check('a thousand new records refer to as many', async (library) => {
    const operations = Array.from({ length: 1000 }, (_, index): readonly Operation[] => [
      {
        kind: 'insert',
        table: 'book',
        values: { title: `Book ${index}`, isbn: `${index}` },
        refs: [{ field: 'author_id', operation: 2 * index + 1 }],
      },
      insert('author', { name: `${index}` }),
    ]).flat()
    const { records } = await library.accept(operations)
    for (let index = 0; index < 1000; index++) assertFields(records[2 * index], { author_id: item(records, 2 * index + 1).id })
  })

  check('many new records of one table refer to those of another, in the order of the operations', async (library) => {
    // Both tables have the ids of the other.
    await library.accept(Array.from({ length: 80 }, (_, index) => insert('category', { name: `first ${index}` })))
    const { records } = await library.accept([
      ...Array.from({ length: 60 }, (_, index) => insert('category', { name: `${index}` })),
      ...Array.from(
        { length: 60 },
        (_, index): Operation => ({
          kind: 'insert',
          table: 'series',
          values: { name: `${index}` },
          refs: [{ field: 'category_id', operation: index }],
        }),
      ),
    ])
    assert.deepEqual(valuesOf(records.slice(60), 'category_id'), valuesOf(records.slice(0, 60), 'id'))
  })

  check('a removal whose cascade is known', async (library) => {
    const [one, two] = await series(library)
    assert.ok(one !== undefined && two !== undefined)
    await library.refuse([removing(cascadeOf(one))], [stale(0, two.id)])
    const third = await library.addBook({ series_id: 2 })
    await library.refuse([removing(cascadeOf(one, two, third))], [stale(0, third.id)])
    await library.accept([update('book', one.id, { pages: 7 })])
    await library.refuse([removing(cascadeOf(one, two))], [stale(0, one.id)])
    await library.accept([removing({ tables: ['review'], records: [] })], 'rehearse')
    const present = await library.expect('book', one.id)
    await library.accept([update('book', two.id, { pages: 8 }, two), removing(cascadeOf(present))])
    assert.deepEqual([await library.has('book', one.id), await library.has('book', two.id)], [false, false])
  })

  check('a record that joins a cascade while it is removed is seen', async (library) => {
    await library.add('author', { name: 'a' })
    for (let round = 1; round <= 20; round++) {
      await library.accept([insert('series', { name: 'a' }, round)])
      const book = await library.addBook({ series_id: round, author_id: 1 })
      const [removed, added] = await Promise.all([
        library.store.transact([{ kind: 'remove', table: 'series', id: round, knownCascade: cascadeOf(book) }]),
        library.store.transact([insert('book', { title: 'Book late', isbn: `late ${round}`, series_id: round, author_id: 1 })]),
      ])
      assert.notEqual(removed.ok, added.ok, JSON.stringify([removed, added]))
    }
  })
}

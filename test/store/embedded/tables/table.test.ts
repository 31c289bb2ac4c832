import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TypedFastBitSet } from 'typedfastbitset'
import { Table } from '../../../../src/store/embedded/tables/table.ts'
import type { StoredRecord } from '../../../../src/store/store.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'
import { valuesOf } from '../../../helpers/values-of.ts'

const books = () => new Table(libraryRegistry().expect('book'))
const book = (id: number, values: Omit<StoredRecord, 'id'>): StoredRecord => Object.freeze({ id, ...values })

describe('a table', () => {
  test('finds owners of unique values and referrers', () => {
    const table = books()
    table.replace(1, book(1, { isbn: 'a', author_id: 7, genres: [1, 2] }))
    table.replace(2, book(2, { isbn: '__proto__', author_id: 7, editor_id: null, genres: [2] }))
    assert.equal(table.ownerOf('isbn', 'a'), 1)
    assert.equal(table.ownerOf('isbn', '__proto__'), 2)
    assert.equal(table.ownerOf('isbn', 'b'), undefined)
    assert.equal(table.ownerOf('isbn', 'constructor'), undefined)
    assert.deepEqual([...table.referrersTo('author_id', 7)], [1, 2])
    assert.deepEqual([...table.referrersTo('genres', 1)], [1])
    assert.deepEqual([...table.referrersTo('editor_id', 7)], [])
  })

  test('forgets former values of a record', () => {
    const table = books()
    table.replace(1, book(1, { isbn: 'a', author_id: 7, genres: [1, 2] }))
    table.replace(1, book(1, { isbn: 'b', author_id: 8, genres: [2] }))
    assert.equal(table.ownerOf('isbn', 'a'), undefined)
    assert.deepEqual([...table.referrersTo('author_id', 7), ...table.referrersTo('genres', 1)], [])
    table.replace(1, undefined)
    assert.equal(table.ownerOf('isbn', 'b'), undefined)
    assert.deepEqual([...table.referrersTo('author_id', 8), ...table.referrersTo('genres', 2)], [])
    assert.equal(table.size, 0)
  })

  test('knows the owners when values are swapped and handed on, in any order', () => {
    for (const order of [
      [1, 2, 3],
      [3, 2, 1],
      [2, 3, 1],
    ]) {
      const table = books()
      for (const id of [1, 2, 3]) table.replace(id, book(id, { isbn: `${id}`, author_id: 1 }))
      for (const id of order) table.replace(id, book(id, { isbn: `${(id % 3) + 1}`, author_id: 1 }))
      assert.deepEqual(
        ['1', '2', '3'].map((isbn) => table.ownerOf('isbn', isbn)),
        [3, 1, 2],
      )
    }
  })

  test('finds all owners of a value that became unique later', () => {
    const table = books()
    for (const id of [1, 2]) table.replace(id, book(id, { isbn: 'same', author_id: 1 }))
    assert.equal(table.ownerOf('isbn', 'same'), 1)
    table.replace(1, undefined)
    assert.equal(table.ownerOf('isbn', 'same'), 2)
  })

  test('gives a restored record its former row', () => {
    const table = books()
    for (const id of [1, 2, 3]) table.replace(id, book(id, { isbn: `${id}`, author_id: 1 }))
    table.replace(2, undefined)
    table.replace(2, book(2, { isbn: '2', author_id: 1 }))
    table.settle()
    assert.equal(table.capacity, 3)
    assert.deepEqual(valuesOf(table.recordsAt(table.all.slice(0, 9)), 'id'), [1, 2, 3])
  })

  test('excludes null from unique values', () => {
    const table = books()
    table.replace(1, book(1, { isbn: null, author_id: 1 }))
    assert.equal(table.ownerOf('isbn', null), undefined)
  })

  test('assigns ids from 1, none twice', () => {
    const table = books()
    assert.equal(table.nextId, 1)
    table.replace(5, book(5, { isbn: 'a' }))
    assert.equal(table.nextId, 6)
    table.replace(5, undefined)
    table.replace(2, book(2, { isbn: 'b' }))
    assert.equal(table.nextId, 6)
  })

  test('keeps its records if memory for other rows cannot be allocated', (t) => {
    const table = books()
    for (const id of [2, 1]) table.replace(id, book(id, { isbn: `${id}`, author_id: 1 }))
    t.mock.method(TypedFastBitSet, 'fromWords', () => {
      throw new RangeError('Array buffer allocation failed')
    })
    assert.throws(() => table.settle(), RangeError)
    t.mock.restoreAll()
    assert.deepEqual([table.size, table.get(1)?.isbn, table.ownerOf('isbn', '2')], [2, '1', 2])
    table.settle()
    assert.deepEqual([table.idAt(0), table.idAt(1), table.ownerOf('isbn', '2')], [1, 2, 2])
  })
})

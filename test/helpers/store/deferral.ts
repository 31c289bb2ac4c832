import assert from 'node:assert/strict'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { assertFields, insert, ordered, remove, update } from './library.ts'

/** Constraints are held against the state that the whole batch leaves behind. */
export function checkDeferral(check: Check): void {
  check('two records exchange a unique value', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    await library.accept([update('genre', 1, { name: 'b' }), update('genre', 2, { name: 'a' })])
    assertFields(await library.expect('genre', 1), { name: 'b' })
    assertFields(await library.expect('genre', 2), { name: 'a' })
    // Both values still have their owners.
    for (const name of ['a', 'b'])
      await library.refuse([insert('genre', { name })], [{ kind: 'unique', index: 0, field: 'name' }])
  })

  check('three records rotate unique values, and a fourth takes a freed one', async (library) => {
    await library.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
    await library.accept([
      update('genre', 1, { name: 'b' }),
      update('genre', 2, { name: 'c' }),
      update('genre', 3, { name: 'd' }),
      insert('genre', { name: 'a' }),
    ])
    const [records] = await library.find('genre', [], [{ field: 'name', order: 'asc' }])
    assert.deepEqual(valuesOf(records, 'id'), [4, 1, 2, 3])
  })

  check('a unique value of a removed record is reused in the same transaction, in either order', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    await library.accept([remove('genre', 1), insert('genre', { name: 'a' })])
    await library.accept([insert('genre', { name: 'b' }), remove('genre', 2)])
    assert.deepEqual(await library.ids('genre'), [3, 4])
    for (const name of ['a', 'b'])
      await library.refuse([insert('genre', { name })], [{ kind: 'unique', index: 0, field: 'name' }])
  })

  check('one_to_one references are exchanged', async (library) => {
    await library.addBook()
    await library.addBook()
    await library.accept([insert('cover', { book_id: 1 }), insert('cover', { book_id: 2 })])
    await library.accept([update('cover', 1, { book_id: 2 }), update('cover', 2, { book_id: 1 })])
    await library.accept([remove('book', 1)])
    assert.deepEqual(await library.ids('cover'), [1])
  })

  check('a child and its parent are inserted together, in either order', async (library) => {
    const author = (id: number) => insert('author', { name: `author ${id}` }, id)
    const book = (id: number) => insert('book', { title: 'Together', isbn: `isbn ${id}`, author_id: id })
    await library.accept([author(10), book(10)])
    await library.accept([book(20), author(20)])
    assert.deepEqual(await library.ids('book'), [1, 2])
  })

  check('records that refer to each other are inserted together', async (library) => {
    await library.accept([
      insert('category', { name: 'a', merged_into_id: 2 }, 1),
      insert('category', { name: 'b', merged_into_id: 1 }, 2),
      insert('category', { name: 'itself', merged_into_id: 3, parent_id: 3 }, 3),
    ])
    assert.deepEqual(await library.ids('category'), [1, 2, 3])
  })

  check('a parent and its child are removed together, in either order', async (library) => {
    const book = await library.addBook()
    await library.accept([remove('author', Number(book.author_id)), remove('book', book.id)])
    const other = await library.addBook()
    await library.accept([remove('book', other.id), remove('author', Number(other.author_id))])
    assert.deepEqual([await library.ids('author'), await library.ids('book')], [[], []])
  })

  check('a record can be removed if the transaction changes its referrers, in either order', async (library) => {
    await library.accept([insert('author', { name: 'a' }), insert('author', { name: 'b' }), insert('author', { name: 'c' })])
    await library.addBook({ author_id: 1 })
    await library.accept([remove('author', 1), update('book', 1, { author_id: 2 })])
    await library.accept([update('book', 1, { author_id: 3 }), remove('author', 2)])
    assert.deepEqual(await library.ids('author'), [3])
  })

  check('a reference to a record that the transaction removes is a violation, in either order', async (library) => {
    await library.accept([insert('author', { name: 'a' })])
    const dangling = [
      [remove('author', 1), insert('book', { title: 'Late', isbn: '1', author_id: 1 })],
      [insert('book', { title: 'Early', isbn: '1', author_id: 1 }), remove('author', 1)],
    ]
    for (const operations of dangling) {
      const outcome = await library.store.transact(operations)
      // It may be told from either end: as a reference to nothing, or as a removal of what is referred to.
      assert.ok(!outcome.ok, 'a dangling reference was accepted')
      for (const { kind } of outcome.violations) assert.match(kind, /^(foreign_key|restrict)$/)
      assert.deepEqual([await library.ids('author'), await library.ids('book')], [[1], []])
    }
  })

  check('a reference added after the removal does not restrict unless the field does', async (library) => {
    await library.add('series', { name: 's' })
    await library.add('genre', { name: 'g' })
    await library.addBook()
    await library.refuse(
      [remove('series', 1), update('book', 1, { series_id: 1 })],
      [{ kind: 'foreign_key', index: 1, field: 'series_id' }],
    )
    await library.refuse(
      [remove('genre', 1), update('book', 1, { genres: [1] })],
      [{ kind: 'foreign_key', index: 1, field: 'genres' }],
    )
  })

  check('a cascade removes referrers that the transaction has inserted', async (library) => {
    await library.add('series', { name: 's' })
    await library.add('author', { name: 'a' })
    const { changes } = await library.accept([
      insert('book', { title: 'Short', isbn: '1', author_id: 1, series_id: 1 }),
      remove('series', 1),
    ])
    assert.deepEqual(
      changes.map(({ table, id }) => `${table} ${id}`),
      ['series 1'],
    )
    assert.deepEqual([await library.ids('series'), await library.ids('book')], [[], []])
  })

  check('a cascade removes a record that the transaction has updated', async (library) => {
    await library.add('series', { name: 's' })
    await library.addBook({ series_id: 1 })
    await library.accept([update('book', 1, { title: 'Last words' }), remove('series', 1)])
    assert.deepEqual(await library.ids('book'), [])
  })

  check('a cascade keeps a record whose reference the transaction has changed', async (library) => {
    await library.accept([insert('series', { name: 's' }), insert('series', { name: 't' })])
    await library.addBook({ series_id: 1 })
    await library.accept([update('book', 1, { series_id: 2 }), remove('series', 1)])
    assertFields(await library.expect('book', 1), { series_id: 2 })
  })

  check('an update after the cascade that removed the record finds it missing', async (library) => {
    await library.add('series', { name: 's' })
    await library.addBook({ series_id: 1 })
    await library.refuse([remove('series', 1), update('book', 1, { pages: 3 })], [{ kind: 'missing', index: 1, id: 1, by: 0 }])
  })

  check('an update after the removal that emptied a reference of the record names the removal', async (library) => {
    await library.add('author', { name: 'editor' })
    await library.addBook({ editor_id: 1 })
    const read = await library.expect('book', 1)
    const late = { ...update('book', 1, { pages: 3 }), expect: read }
    await library.refuse([remove('author', 1), late], [{ kind: 'stale', index: 1, id: 1, by: 0 }])
    await library.accept([late, remove('author', 1)])
    await library.refuse([late], [{ kind: 'stale', index: 0, id: 1 }])
  })

  check('removing several ids succeeds if a cascade removes one of them first', async (library) => {
    await library.accept([
      insert('category', { name: 'top' }, 1),
      insert('category', { name: 'middle', parent_id: 1 }, 2),
      insert('category', { name: 'leaf', parent_id: 2 }, 3),
      insert('category', { name: 'other' }, 4),
    ])
    const { records, changes } = await library.accept([1, 2, 3].map((id) => remove('category', id)))
    assert.deepEqual(valuesOf(records, 'id', 'name'), [
      [1, 'top'],
      [2, 'middle'],
      [3, 'leaf'],
    ])
    assert.deepEqual(changes.map(({ id }) => id).sort(), [1, 2, 3])
    assert.deepEqual(await library.ids('category'), [4])
  })

  check('a violation names only its operation', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' }), insert('genre', { name: 'c' })])
    const outcome = await library.store.transact([update('genre', 1, { name: 'b' }), update('genre', 2, { name: 'c' })])
    assert.ok(!outcome.ok, 'a duplicate was accepted')
    assert.deepEqual(ordered(outcome.violations), [{ kind: 'unique', index: 1, field: 'name' }])
  })
}

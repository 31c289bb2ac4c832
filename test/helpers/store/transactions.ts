import assert from 'node:assert/strict'
import { type Operation, versionOf } from '../../../src/store/store.ts'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { assertFields, first, insert, item, remove, update } from './library.ts'

/** Texts that JavaScript or a query language could trip over. */
const ODD_TEXTS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; DROP TABLE book; --",
  '\u0001',
  '\u2028',
  '\\',
  '"',
  'ß',
  '',
]

export function checkTransactions(check: Check): void {
  check('inserts, updates and removes', async (library) => {
    const inserted = await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    assertFields(inserted.records[0], { id: 1, name: 'a' })
    assertFields(inserted.records[1], { id: 2, name: 'b' })
    const changed = await library.accept([update('genre', 1, { name: 'c' }), remove('genre', 2)])
    assertFields(changed.records[0], { id: 1, name: 'c' })
    assertFields(changed.records[1], { id: 2, name: 'b' })
    assert.deepEqual(await library.ids('genre'), [1])
    assertFields(await library.expect('genre', 1), { name: 'c' })
  })

  check('returns the stored records', async (library) => {
    await library.addBook({ meta: { deep: [1, { x: null }] }, labels: ['new'], genres: [] })
    const { records } = await library.accept([update('book', 1, { pages: 7 })])
    assert.deepEqual(records, [await library.expect('book', 1)])
    assert.equal(records.every(Object.isFrozen), true)
  })

  check('an update keeps the fields that it does not name', async (library) => {
    await library.addBook({ pages: 10, price: 2.5, meta: { a: 1 } })
    const before = await library.expect('book', 1)
    await library.accept([update('book', 1, { pages: 11, price: null })])
    assert.deepEqual({ ...(await library.expect('book', 1)) }, { ...before, pages: 11, price: null })
  })

  check('an update that sets what is stored is no change', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    const values = { pages: 10, price: null, meta: { a: [1] }, labels: ['rare', 'new'], genres: [2, 1] }
    const book = await library.addBook(values)
    const { records, changes } = await library.accept([update('book', 1, values, book), update('genre', 1, {})])
    assert.deepEqual(changes, [])
    assert.deepEqual(records, [await library.expect('book', 1), await library.expect('genre', 1)])
    assert.equal(versionOf(first(records)), versionOf(book))
    const mixed = await library.accept([update('book', 1, { pages: 10 }), update('genre', 1, { name: 'c' })])
    assert.deepEqual(valuesOf(mixed.changes, 'table', 'id'), [['genre', 1]])
    await library.accept([update('book', 1, { genres: [1, 2] })])
    await library.refuse([update('book', 1, { genres: [1, 2] }, book)], [{ kind: 'stale', index: 0, id: 1 }])
  })

  check('an update replaces lists and JSON as a whole', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    await library.addBook({ meta: { a: 1 }, labels: ['new', 'rare'], genres: [1] })
    await library.accept([update('book', 1, { meta: { b: 2 }, labels: ['signed'], genres: [2] })])
    assertFields(await library.expect('book', 1), { meta: { b: 2 }, labels: ['signed'], genres: [2] })
  })

  check('an update does not move a record to another id', async (library) => {
    await library.add('genre', { name: 'a' })
    await library.accept([update('genre', 1, { id: 5, name: 'b' })])
    assert.deepEqual(await library.ids('genre'), [1])
    assertFields(await library.expect('genre', 1), { id: 1, name: 'b' })
  })

  check('a transaction without operations changes nothing', async (library) => {
    const outcome = await library.accept([])
    assert.deepEqual(outcome.records, [])
    assert.deepEqual(outcome.changes, [])
  })

  check('applies all operations or none', async (library) => {
    await library.add('genre', { name: 'a' })
    await library.refuse(
      [insert('genre', { name: 'b' }), update('genre', 1, { name: 'c' }), remove('genre', 77)],
      [{ kind: 'missing', index: 2, id: 77 }],
    )
    await library.refuse(
      [remove('genre', 1), insert('author', { name: 'x' }), insert('author', { name: null })],
      [{ kind: 'not_null', index: 2, field: 'name' }],
    )
  })

  check('returns every change with the record before and after', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    const [a, b] = await library.store.get('genre', [1, 2])
    const { changes } = await library.accept([
      update('genre', 1, { name: 'c' }),
      remove('genre', 2),
      insert('genre', { name: 'd' }),
    ])
    const [c, , d] = await library.store.get('genre', [1, 2, 3])
    assert.deepEqual(
      [...changes].sort((x, y) => x.id - y.id),
      [
        { table: 'genre', id: 1, before: a, after: c },
        { table: 'genre', id: 2, before: b, after: undefined },
        { table: 'genre', id: 3, before: undefined, after: d },
      ],
    )
  })

  check('several operations on one record are one change', async (library) => {
    const before = await library.add('author', { name: 'a' })
    const { changes } = await library.accept([update('author', 1, { rank: 2 }), update('author', 1, { active: true })])
    const after = await library.expect('author', 1)
    assertFields(after, { name: 'a', rank: 2, active: true })
    assert.deepEqual(changes, [{ table: 'author', id: 1, before, after }])
  })

  check('an update applies to the result of earlier operations of the transaction', async (library) => {
    await library.accept([insert('genre', { name: 'a' }, 1), update('genre', 1, { name: 'b' })])
    assertFields(await library.expect('genre', 1), { name: 'b' })
  })

  check('a record may be updated and removed in one transaction', async (library) => {
    const before = await library.add('genre', { name: 'a' })
    const { records, changes } = await library.accept([update('genre', 1, { name: 'b' }), remove('genre', 1)])
    assertFields(records[0], { id: 1, name: 'b' })
    assert.equal(records[1]?.id, 1)
    assert.deepEqual(changes, [{ table: 'genre', id: 1, before, after: undefined }])
    assert.equal(await library.has('genre', 1), false)
  })

  check('a record may be inserted and removed in one transaction; its id is not reused', async (library) => {
    const { records, changes } = await library.accept([insert('genre', { name: 'a' }, 1), remove('genre', 1)])
    assertFields(records[0], { id: 1, name: 'a' })
    assert.deepEqual(changes, [])
    assert.equal(await library.has('genre', 1), false)
    assert.equal((await library.add('genre', { name: 'a' })).id, 2)
  })

  check('a record may be removed and its id inserted again in one transaction', async (library) => {
    const before = await library.add('genre', { name: 'a' })
    const { changes } = await library.accept([remove('genre', 1), insert('genre', { name: 'a' }, 1)])
    const after = await library.expect('genre', 1)
    assert.deepEqual(changes, [{ table: 'genre', id: 1, before, after }])
  })

  check('stores every JSON value unchanged', async (library) => {
    const meta = { constructor: 1, toString: { admin: true }, list: [0, -1.5, 1e300, '', null, false, '__proto__'] }
    await library.add('author', { name: 'a' })
    for (const text of ODD_TEXTS) {
      const { id } = await library.addBook({ isbn: text, author_id: 1, meta })
      const record = await library.expect('book', id)
      assert.equal(record.isbn, text)
      assert.equal(JSON.stringify(record.meta), JSON.stringify(meta))
      assert.deepEqual(await library.ids('book', [{ field: 'isbn', operator: 'eq', value: text }]), [id])
      await library.refuse(
        [insert('book', { title: 'Twin', isbn: text, author_id: 1 })],
        [{ kind: 'unique', index: 0, field: 'isbn' }],
      )
    }
  })

  check('later changes of the caller’s object do not change the stored record', async (library) => {
    const values = { name: 'a' }
    await library.accept([insert('genre', values)])
    values.name = 'b'
    assertFields(await library.expect('genre', 1), { name: 'a' })
  })

  checkRehearsal(check)
  checkVersions(check)
}

function checkRehearsal(check: Check): void {
  check('a dry run returns the result and applies nothing', async (library) => {
    await library.addBook()
    const before = await library.everything()
    const batches: Operation[][] = [
      [insert('genre', { name: 'a' }), insert('author', { name: 'b' }, 40), update('book', 1, { pages: 3 })],
      [remove('book', 1)],
    ]
    for (const operations of batches) {
      const { records, changes } = await library.accept(operations, 'rehearse')
      assert.equal(records.length, operations.length)
      assert.equal(changes.length, operations.length)
      assert.deepEqual(await library.everything(), before)
    }
  })

  check('a dry run uses no id', async (library) => {
    const rehearsed = await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' }, 9)], 'rehearse')
    assert.equal(first(rehearsed.records).id, 1)
    assert.equal((await library.add('genre', { name: 'a' })).id, 1)
    assert.equal((await library.add('genre', { name: 'b' })).id, 2)
  })

  check('a dry run reserves no unique value', async (library) => {
    await library.accept([insert('genre', { name: 'a' })], 'rehearse')
    await library.accept([insert('genre', { name: 'a' })])
  })

  check('a dry run has the violations of the transaction', async (library) => {
    await library.add('genre', { name: 'a' })
    const violation = { kind: 'unique', index: 0, field: 'name' } as const
    await library.refuse([insert('genre', { name: 'a' })], [violation], 'rehearse')
    await library.refuse([insert('genre', { name: 'a' })], [violation], 'commit')
  })
}

function checkVersions(check: Check): void {
  check('an update with the current version succeeds', async (library) => {
    const added = await library.add('genre', { name: 'a' })
    const { records } = await library.accept([update('genre', 1, { name: 'b' }, added)])
    await library.accept([remove('genre', 1, first(records))])
    assert.equal(await library.has('genre', 1), false)
  })

  check('an update with another version is stale', async (library) => {
    const added = await library.add('genre', { name: 'a' })
    await library.accept([update('genre', 1, { name: 'b' })])
    await library.refuse([update('genre', 1, { name: 'c' }, added)], [{ kind: 'stale', index: 0, id: 1 }])
    await library.refuse([remove('genre', 1, added)], [{ kind: 'stale', index: 0, id: 1 }])
    await library.refuse([update('genre', 1, { name: 'c' }, { id: 1 })], [{ kind: 'stale', index: 0, id: 1 }])
  })

  check('the version of a read record is that of the stored one', async (library) => {
    const { id } = await library.addBook({ meta: { b: 1, a: [null] }, labels: ['new'], price: 0.1 })
    const read = await library.expect('book', id)
    const [listed] = (await library.find('book'))[0]
    assert.equal(versionOf(item([listed], 0)), versionOf(read))
    await library.accept([update('book', id, { pages: 1 }, { ...read })])
  })

  check('a removed record is missing, not stale', async (library) => {
    const added = await library.add('genre', { name: 'a' })
    await library.accept([remove('genre', 1)])
    await library.refuse([update('genre', 1, { name: 'b' }, added)], [{ kind: 'missing', index: 0, id: 1 }])
  })
}

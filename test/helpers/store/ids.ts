import assert from 'node:assert/strict'
import type { Operation, Violation } from '../../../src/store/store.ts'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { assertFields, insert, item, remove, update } from './library.ts'

export function checkIds(check: Check): void {
  check('ids count from 1 in each table, in the order of the operations', async (library) => {
    const { records } = await library.accept([
      insert('genre', { name: 'a' }),
      insert('author', { name: 'a' }),
      insert('genre', { name: 'b' }),
      insert('author', { name: 'b' }),
    ])
    assert.deepEqual(valuesOf(records, 'id'), [1, 1, 2, 2])
  })

  check('the id of a removed record is not reused', async (library) => {
    await library.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
    await library.accept([remove('genre', 3)])
    assert.equal((await library.add('genre', { name: 'd' })).id, 4)
    await library.accept([remove('genre', 1), remove('genre', 2), remove('genre', 4)])
    assert.equal((await library.add('genre', { name: 'e' })).id, 5)
  })

  check('the id of a record that a cascade removed is not reused', async (library) => {
    await library.addBook()
    await library.accept([insert('review', { book_id: 1 }), insert('review', { book_id: 1 })])
    await library.accept([remove('book', 1)])
    await library.addBook({ author_id: 1 })
    assert.equal((await library.add('review', { book_id: 2 })).id, 3)
  })

  check('a rejected transaction uses no id', async (library) => {
    await library.add('genre', { name: 'a' })
    await library.store.transact([insert('genre', { name: 'b' }), insert('genre', { name: 'a' })])
    await library.store.transact([insert('genre', { name: 'c' }, 50), insert('genre', { name: 'a' })])
    assert.equal((await library.add('genre', { name: 'b' })).id, 2)
  })

  check('a requested id is used, and later ids are greater', async (library) => {
    assert.equal((await library.add('genre', { name: 'a' }, 10)).id, 10)
    assert.equal((await library.add('genre', { name: 'b' })).id, 11)
    assert.equal((await library.add('genre', { name: 'c' }, 5)).id, 5)
    assert.equal((await library.add('genre', { name: 'd' })).id, 12)
    assert.deepEqual(await library.ids('genre'), [5, 10, 11, 12])
  })

  check('one transaction may mix requested and assigned ids', async (library) => {
    const { records } = await library.accept([
      insert('genre', { name: 'a' }),
      insert('genre', { name: 'b' }, 7),
      insert('genre', { name: 'c' }),
      insert('genre', { name: 'd' }, 3),
      insert('genre', { name: 'e' }),
    ])
    assert.deepEqual(valuesOf(records, 'id'), [1, 7, 8, 3, 9])
  })

  check('a requested id that exists violates uniqueness', async (library) => {
    await library.add('genre', { name: 'a' })
    const violation = { kind: 'unique', field: 'id' } as const
    await library.refuse([insert('genre', { name: 'b' }, 1)], [{ ...violation, index: 0 }])
    await library.refuse([insert('genre', { name: 'b' }, 4), insert('genre', { name: 'c' }, 4)], [{ ...violation, index: 1 }])
  })

  check('a requested id must be an integer of at least 1', async (library) => {
    for (const id of [0, -1, 1.5, 2 ** 53]) {
      await library.refuse([insert('genre', { name: 'a' }, id)], [{ kind: 'check', index: 0, field: 'id' }])
    }
    assert.equal((await library.add('genre', { name: 'a' })).id, 1)
  })

  check(
    'new records of several tables that are refused name the operations, and use no id but those that were taken',
    async (library) => {
      await library.accept([insert('genre', { name: 'a' }), insert('author', { name: 'a' })])
      const [id = 0, unused = 0] = await library.store.takeIds('category', 2)
      const parent = insert('category', { name: 'parent' }, id)
      const child = insert('series', { name: 'child', category_id: id })
      const refusing: readonly (readonly [Operation, Violation])[] = [
        [insert('genre', { name: 'a' }), { kind: 'unique', index: 2, field: 'name' }],
        [insert('series', { name: 'x', category_id: unused }), { kind: 'foreign_key', index: 2, field: 'category_id' }],
        [insert('author', { name: 'x', rank: 11 }), { kind: 'check', index: 2, field: 'rank' }],
        [insert('author', {}), { kind: 'not_null', index: 2, field: 'name' }],
        [insert('category', { name: 'x' }, id), { kind: 'unique', index: 2, field: 'id' }],
        [insert('genre', { name: 'x' }, 1), { kind: 'unique', index: 2, field: 'id' }],
        [insert('genre', { name: 'x' }, -1), { kind: 'check', index: 2, field: 'id' }],
      ]
      for (const [operation, violation] of refusing) await library.refuse([parent, child, operation], [violation])
      assert.deepEqual([await library.ids('category'), await library.ids('series')], [[], []])
      const { records } = await library.accept([parent, child, insert('genre', { name: 'b' }), insert('author', { name: 'b' })])
      assert.deepEqual(valuesOf(records, 'id'), [id, 1, 2, 2])
      await library.refuse([insert('author', { name: 'c' }), parent], [{ kind: 'unique', index: 1, field: 'id' }])
      const beyond = await library.accept([insert('author', { name: 'c' }), insert('category', { name: 'c' }, 20)])
      assert.deepEqual(valuesOf(beyond.records, 'id'), [3, 20])
      assert.equal((await library.add('category', { name: 'd' })).id, 21)
    },
  )

  check('ids that are taken before a transaction are those of no other one', async (library) => {
    await library.add('genre', { name: 'a' })
    assert.deepEqual(await library.store.takeIds('genre', 2, 'rehearse'), [2, 3])
    assert.deepEqual(await library.store.takeIds('genre', 2), [2, 3])
    assert.deepEqual(await library.store.takeIds('genre', 1), [4])
    assert.equal((await library.add('genre', { name: 'b' })).id, 5)
    assert.equal((await library.add('genre', { name: 'c' }, 3)).id, 3)
    assert.equal((await library.add('genre', { name: 'd' })).id, 6)
  })

  check('the values of an insert do not choose the id', async (library) => {
    const { records } = await library.accept([insert('genre', { id: 99, name: 'a' }), insert('genre', { id: 1, name: 'b' }, 6)])
    assert.deepEqual(valuesOf(records, 'id'), [1, 6])
    assert.deepEqual(await library.ids('genre'), [1, 6])
    assertFields(await library.expect('genre', 6), { id: 6, name: 'b' })
    await library.accept([update('genre', item(records, 0).id, { name: 'c' })])
  })
}

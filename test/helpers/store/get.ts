import assert from 'node:assert/strict'
import type { Check } from './contract.ts'
import { assertFields, insert } from './library.ts'

export function checkGet(check: Check): void {
  check('returns records in the order of the ids, undefined for missing ones', async (library) => {
    await library.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
    const records = await library.store.get('genre', [3, 99, 1])
    assert.equal(records.length, 3)
    assertFields(records[0], { id: 3, name: 'c' })
    assert.equal(records[1], undefined)
    assertFields(records[2], { id: 1, name: 'a' })
  })

  check('returns a record for each occurrence of its id', async (library) => {
    await library.add('genre', { name: 'a' })
    const records = await library.store.get('genre', [1, 1])
    assert.deepEqual(
      records.map((record) => record?.id),
      [1, 1],
    )
  })

  check('returns nothing without ids', async (library) => {
    await library.add('genre', { name: 'a' })
    assert.deepEqual(await library.store.get('genre', []), [])
  })

  check('tables are independent of each other', async (library) => {
    await library.add('genre', { name: 'a' })
    assert.deepEqual(await library.store.get('author', [1]), [undefined])
  })

  check('returned records are frozen', async (library) => {
    await library.add('genre', { name: 'a' })
    const record = await library.expect('genre', 1)
    assert.equal(Object.isFrozen(record), true)
    assert.throws(() => Object.assign(record, { name: 'b' }), TypeError)
    assertFields(await library.expect('genre', 1), { name: 'a' })
  })

  check('a returned record does not change when the stored one does', async (library) => {
    await library.add('genre', { name: 'a' })
    const before = await library.expect('genre', 1)
    await library.accept([{ kind: 'update', table: 'genre', id: 1, values: { name: 'b' } }])
    assertFields(before, { name: 'a' })
    assertFields(await library.expect('genre', 1), { name: 'b' })
  })
}

import assert from 'node:assert/strict'
import { versionOf } from '../../../src/store/store.ts'
import type { JsonObject } from '../../../src/util/json.ts'
import type { Check } from './contract.ts'
import { assertFields, insert, remove, update } from './library.ts'

export function checkReopening(check: Check): void {
  check('all records are exactly restored', async (library, lending) => {
    await library.accept([
      insert('genre', { name: '__proto__' }),
      insert('genre', { name: 'ü 😀 \u2028 \n "' }),
      insert('series', { name: 's' }),
    ])
    const meta = JSON.parse('{"constructor": 1, "2": "b", "1": "a", "deep": [[], {}, null, 1e-7]}') as JsonObject
    await library.addBook({ meta, genres: [2, 1], labels: [], price: 0.1, series_id: 1, code: null })
    await library.add('cover', { book_id: 1 })
    const before = await library.everything()
    const again = await lending.reopen()
    assert.deepEqual(await again.everything(), before)
    assert.equal(Object.isFrozen(await again.expect('book', 1)), true)
  })

  check('versions are the same after reopening', async (library, lending) => {
    await library.addBook({ meta: { b: 1, a: 2 }, price: 0.1 })
    const before = await library.expect('book', 1)
    const again = await lending.reopen()
    assert.equal(versionOf(await again.expect('book', 1)), versionOf(before))
    await again.accept([update('book', 1, { pages: 2 }, before)])
  })

  check('ids are not reused after the last record was removed', async (library, lending) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' }), insert('author', { name: 'a' }, 30)])
    await library.accept([remove('genre', 2), remove('author', 30)])
    const again = await lending.reopen()
    assert.equal((await again.add('genre', { name: 'c' })).id, 3)
    assert.equal((await again.add('author', { name: 'c' })).id, 31)
    assert.equal((await again.add('series', { name: 'first' })).id, 1)
  })

  check('constraints apply to restored records', async (library, lending) => {
    await library.add('series', { name: 's' })
    await library.addBook({ isbn: 'held', series_id: 1 })
    const again = await lending.reopen()
    await again.refuse(
      [insert('book', { title: 'Copy', isbn: 'held', author_id: 1 })],
      [{ kind: 'unique', index: 0, field: 'isbn' }],
    )
    await again.refuse(
      [remove('author', 1)],
      [{ kind: 'restrict', index: 0, id: 1, table: 'book', field: 'author_id', count: 1 }],
    )
    await again.accept([remove('series', 1)])
    assert.deepEqual(await again.ids('book'), [])
  })

  check('rejected transactions and dry runs are not restored', async (library, lending) => {
    await library.add('genre', { name: 'a' })
    await library.refuse([insert('genre', { name: 'a' })], [{ kind: 'unique', index: 0, field: 'name' }])
    await library.accept([insert('genre', { name: 'b' }), remove('genre', 1)], 'rehearse')
    const again = await lending.reopen()
    assert.deepEqual(await again.ids('genre'), [1])
    assertFields(await again.expect('genre', 1), { name: 'a' })
  })

  check('concurrent writes are restored', async (library, lending) => {
    await Promise.all(Array.from({ length: 100 }, (_, index) => library.accept([insert('genre', { name: `genre ${index}` })])))
    const before = await library.everything()
    const again = await lending.reopen()
    assert.deepEqual(await again.everything(), before)
    assert.equal((await again.find('genre'))[1], 100)
  })

  check('an empty store is restored empty', async (_, lending) => {
    const again = await lending.reopen()
    assert.deepEqual(await again.ids('genre'), [])
    assert.equal((await again.add('genre', { name: 'a' })).id, 1)
  })
}

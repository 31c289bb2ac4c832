import assert from 'node:assert/strict'
import type { Check } from './contract.ts'
import { insert, type Library, remove, TABLES } from './library.ts'

export function checkStatus(check: Check): void {
  check('counts the records of each table', async (library) => {
    assert.deepEqual(await counts(library), { author: 0, category: 0, series: 0, genre: 0, book: 0, cover: 0, review: 0 })
    await library.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
    const book = await library.addBook()
    await library.accept([insert('review', { book_id: book.id }), insert('review', { book_id: book.id })])
    assert.deepEqual(await counts(library), { author: 1, category: 0, series: 0, genre: 3, book: 1, cover: 0, review: 2 })
    await library.accept([remove('genre', 2), remove('book', book.id)])
    assert.deepEqual(await counts(library), { author: 1, category: 0, series: 0, genre: 2, book: 0, cover: 0, review: 0 })
  })

  check('does not count records of dry runs and rejected transactions', async (library) => {
    await library.add('genre', { name: 'a' })
    await library.accept([insert('genre', { name: 'b' })], 'rehearse')
    await library.refuse([insert('genre', { name: 'a' })], [{ kind: 'unique', index: 0, field: 'name' }])
    assert.equal((await counts(library)).genre, 1)
  })

  check('reports that it accepts writes, and the length of its journal', async (library) => {
    const before = await library.store.status()
    assert.equal(before.takesWrites, true)
    await library.add('genre', { name: 'a' })
    const { takesWrites, journalBytes } = await library.store.status()
    assert.equal(takesWrites, true)
    assert.ok(Number.isSafeInteger(journalBytes) && journalBytes >= before.journalBytes, `${journalBytes} bytes`)
  })
}

/** The counts of the library's tables; a store may have others. */
async function counts(library: Library): Promise<Record<string, number | undefined>> {
  const { records } = await library.store.status()
  return Object.fromEntries(TABLES.map((table) => [table, records.get(table)]))
}

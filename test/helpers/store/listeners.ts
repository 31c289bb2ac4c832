import assert from 'node:assert/strict'
import type { Change } from '../../../src/store/store.ts'
import type { Check } from './contract.ts'
import { insert, type Library, remove, TABLES, type TableName, update } from './library.ts'

/** Tells of changes in words: `genre 1: a → b`. */
const inWords = ({ table, id, before, after }: Change): string =>
  `${table} ${id}: ${before?.name ?? 'nothing'} → ${after?.name ?? 'nothing'}`

export function checkFollow(check: Check): void {
  check('reports each change with the records', async (library) => {
    const told: Change[] = []
    library.store.onChange((changes) => told.push(...changes))
    const { changes: made } = await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    const { changes: altered } = await library.accept([update('genre', 1, { name: 'c' }), remove('genre', 2)])
    assert.deepEqual(told, [...made, ...altered])
    assert.deepEqual(told.map(inWords), [
      'genre 1: nothing → a',
      'genre 2: nothing → b',
      'genre 1: a → c',
      'genre 2: b → nothing',
    ])
    assert.deepEqual(told[2]?.after, await library.expect('genre', 1))
  })

  check('reports the changes of a cascade', async (library) => {
    await library.add('series', { name: 's' })
    await library.addBook({ series_id: 1 })
    await library.accept([insert('review', { book_id: 1 }), insert('cover', { book_id: 1 })])
    const told: Change[] = []
    library.store.onChange((changes) => told.push(...changes))
    await library.accept([remove('series', 1)])
    const gone = told.map(({ table, id, before, after }) => [table, id, before === undefined, after === undefined])
    assert.deepEqual(gone.sort(), [
      ['book', 1, false, true],
      ['cover', 1, false, true],
      ['review', 1, false, true],
      ['series', 1, false, true],
    ])
  })

  check('reports no dry runs, no rejected transactions and no earlier changes', async (library) => {
    await library.add('genre', { name: 'a' })
    const told: Change[] = []
    library.store.onChange((changes) => told.push(...changes))
    await library.accept([insert('genre', { name: 'b' })], 'rehearse')
    await library.refuse(
      [insert('genre', { name: 'c' }), insert('genre', { name: 'a' })],
      [{ kind: 'unique', index: 1, field: 'name' }],
    )
    await library.accept([])
    assert.deepEqual(told, [])
  })

  check('reports changes to every listener', async (library) => {
    const told: string[] = []
    for (const name of ['first', 'second']) library.store.onChange(({ length }) => told.push(`${name}: ${length}`))
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    assert.deepEqual(told, ['first: 2', 'second: 2'])
  })

  check('reports the changes of each record in their order', async (library) => {
    const known = new Known(library)
    const { id } = await library.add('genre', { name: 'shared' })
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const { id: own } = await library.add('genre', { name: `genre ${index}` })
        await library.accept([update('genre', id, { name: `again ${index}` })])
        await library.accept(index % 3 === 0 ? [remove('genre', own)] : [update('genre', own, { name: `own ${index}` })])
      }),
    )
    for (const table of TABLES) await known.compare(table)
  })
}

/** For engines whose listeners hear of a change in the step in which readers see it. */
export function checkFollowInStep(check: Check): void {
  check('a listener knows at every moment the state that readers see', async (library) => {
    const known = new Known(library)
    const writes = Array.from({ length: 60 }, async (_, index) => {
      const { id } = await library.add('genre', { name: `genre ${index}` })
      await known.compare('genre')
      await library.accept(index % 3 === 0 ? [remove('genre', id)] : [update('genre', id, { name: `again ${index}` })])
      await known.compare('genre')
    })
    await Promise.all(writes)
    for (const table of TABLES) await known.compare(table)
  })
}

/** The records as a listener knows them that has received every change since the store was empty. */
export class Known {
  readonly #library: Library
  readonly #records = new Map<string, Map<number, unknown>>(TABLES.map((table) => [table, new Map()]))

  constructor(library: Library) {
    this.#library = library
    library.store.onChange((changes) => {
      for (const { table, id, before, after } of changes) {
        const records = this.#records.get(table)
        assert.deepEqual(records?.get(id), before, `${table} ${id} was not what it is said to have been`)
        if (after === undefined) records?.delete(id)
        else records?.set(id, after)
      }
    })
  }

  /** Asserts that the known records are those that a reader sees now. */
  async compare(table: TableName): Promise<void> {
    const seen = this.#library.find(table)
    // A small table is read in the step of the call; later, other writes may have been applied.
    const known = [...(this.#records.get(table)?.values() ?? [])]
    assert.deepEqual(new Set((await seen)[0]), new Set(known), `${table} differs from the reported changes`)
  }
}

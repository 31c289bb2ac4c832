import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../../src/store/postgres/sql.ts'
import type { Operation, Outcome, Store, StoredRecord } from '../../../../src/store/store.ts'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import { insert, libraryRegistry, remove, update } from '../../../helpers/store/library.ts'
import { allOf, type ProcessStore, untilBlocked, withTwoProcesses } from './two-processes.ts'

/** Declares a test with two stores on one database, each with a pool of its own, as in two processes. */
const race = (name: string, body: (one: Store, other: Store, process: ProcessStore, second: ProcessStore) => Promise<void>) =>
  test(name, NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }, () =>
    withTwoProcesses(libraryRegistry(), (one, other) => body(one.store, other.store, one, other)),
  )

const CLIENTS = Array.from({ length: 16 }, (_, index) => index)
const ROUNDS = Array.from({ length: 10 }, (_, index) => index)

async function accepted(store: Store, operations: readonly Operation[]): Promise<readonly StoredRecord[]> {
  const outcome = await store.transact(operations)
  if (!outcome.ok) assert.fail(`Refused: ${JSON.stringify(outcome.violations)}`)
  return outcome.records
}

const winners = (outcomes: readonly Outcome[]): number => outcomes.filter(({ ok }) => ok).length

/** The kinds of violations of those that lost. */
const losses = (outcomes: readonly Outcome[]): string[] => [
  ...new Set(outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.violations.map(({ kind }) => kind)))),
]

describe('two processes that write at once', () => {
  race('16 clients create the same unique value: one wins, the others have the violation', async (one, other) => {
    for (const round of ROUNDS) {
      const create = (client: number) => (client % 2 === 0 ? one : other).transact([insert('genre', { name: `wanted ${round}` })])
      const outcomes = await Promise.all(CLIENTS.map(create))
      assert.equal(winners(outcomes), 1)
      assert.deepEqual(losses(outcomes), ['unique'])
    }
    assert.equal((await allOf(one, 'genre')).length, ROUNDS.length)
  })

  race('a unique value in batches with other records: one batch wins', async (one, other) => {
    const batch = (client: number) => [
      insert('author', { name: `author ${client}` }),
      insert('genre', { name: 'wanted' }),
      insert('series', { name: `series ${client}` }),
    ]
    const outcomes = await Promise.all(CLIENTS.map((client) => (client % 2 === 0 ? one : other).transact(batch(client))))
    assert.equal(winners(outcomes), 1)
    for (const outcome of outcomes) {
      if (!outcome.ok) assert.deepEqual(outcome.violations, [{ kind: 'unique', index: 1, field: 'name' }])
    }
    assert.equal((await allOf(one, 'author')).length, 1)
  })

  race('16 clients create the same many unique values: one wins, the others have all violations', async (one, other) => {
    const batch = Array.from({ length: 300 }, (_, index) => insert('genre', { name: `wanted ${index}` }))
    const outcomes = await Promise.all(CLIENTS.map((client) => (client % 2 === 0 ? one : other).transact(batch)))
    assert.equal(winners(outcomes), 1)
    assert.deepEqual(losses(outcomes), ['unique'])
    for (const outcome of outcomes) assert.ok(outcome.ok || outcome.violations.length === batch.length)
  })

  race('two large batches with one unique value in common: one wins', async (one, other) => {
    // More values than are locked one by one, and the common one is locked by neither.
    const batch = (name: string) => Array.from({ length: 60 }, (_, index) => insert('genre', { name: `${name} ${index}` }))
    const outcomes = await Promise.all([
      one.transact([...batch('a'), insert('genre', { name: 'z' })]),
      other.transact([...batch('b'), insert('genre', { name: 'z' })]),
    ])
    assert.equal(winners(outcomes), 1)
    for (const outcome of outcomes) {
      if (!outcome.ok) assert.deepEqual(outcome.violations, [{ kind: 'unique', index: 60, field: 'name' }])
    }
    assert.equal((await allOf(one, 'genre')).length, 61)
  })

  race('16 clients update the version that each has read: one wins, the others are stale', async (one, other) => {
    await accepted(one, [insert('genre', { name: 'first' })])
    for (const round of ROUNDS) {
      const outcomes = await Promise.all(
        CLIENTS.map(async (client) => {
          const store = client % 2 === 0 ? one : other
          const [expect] = await store.get('genre', [1])
          return { store, expect, client }
        }),
      ).then((read) =>
        Promise.all(
          read.map(({ store, expect, client }) => store.transact([update('genre', 1, { name: `${round} ${client}` }, expect)])),
        ),
      )
      assert.equal(winners(outcomes), 1)
      assert.deepEqual(losses(outcomes), ['stale'])
    }
  })

  race('a change is reported while a transaction waits for the lock of another record', async (one, other, process, second) => {
    const made = await accepted(one, [insert('genre', { name: 'locked' }), insert('genre', { name: 'free' })])
    const [locked, free] = made.map(({ id }) => id) as [number, number]
    const { table } = process.layout.of('genre')
    const reported: number[] = []
    one.onChange((changes) => void reported.push(...changes.map(({ id }) => id)))
    let waiting: Promise<unknown> | undefined
    await second.database.transaction(async (connection) => {
      await connection.query(sql`select from ${table} where "id" = ${locked} for update`)
      waiting = one.transactLocked?.('genre', [locked], async (records) => {
        const [record] = await records.get('genre', [locked])
        return { operations: [update('genre', locked, { name: 'later' }, record)] }
      })
      await untilBlocked(second)
      // This process has not reported the version that its change replaces.
      await accepted(other, [update('genre', free, { name: 'elsewhere' })])
      await accepted(one, [update('genre', free, { name: 'here' })])
      assert.deepEqual(reported, [free])
    })
    await waiting
    assert.deepEqual(reported, [free, locked])
  })

  race('the insert of a reference and the removal of its target never both succeed', async (one, other) => {
    for (const round of ROUNDS) {
      const [author] = await accepted(one, [insert('author', { name: `author ${round}` })])
      const id = author?.id ?? 0
      const book = insert('book', { title: 'Race', isbn: `${round}`, author_id: id })
      const outcomes = await Promise.all([one.transact([book]), other.transact([remove('author', id, author)])])
      assert.equal(winners(outcomes), 1, JSON.stringify(outcomes))
      assert.match(losses(outcomes).join(), /^(foreign_key|restrict)$/)
    }
  })

  race(
    'a cascade has a change and an event for each record that it removes, also for those inserted meanwhile',
    async (one, other) => {
      await accepted(one, [{ kind: 'insert', table: 'listener', values: {} }])
      const [author] = await accepted(one, [insert('author', { name: 'author' })])
      for (const round of ROUNDS) {
        const [book] = await accepted(one, [insert('book', { title: 'Race', isbn: `${round}`, author_id: author?.id ?? 0 })])
        const id = book?.id ?? 0
        const audience = new Map([['review', { delete: [1] }]])
        const events = { table: 'event', audience, key: `round ${round}`, at: '2026-01-15T12:00:00.000Z' }
        const reviews = CLIENTS.slice(0, 6).map(() => one.transact([insert('review', { book_id: id })]))
        const [removed, ...inserted] = await Promise.all([other.transact([remove('book', id)], 'commit', { events }), ...reviews])
        assert.ok(removed.ok)
        const gone = removed.changes.filter(({ table }) => table === 'review').map((change) => change.id)
        const made = inserted.flatMap((outcome) => (outcome.ok ? outcome.records.map((record) => record.id) : []))
        assert.deepEqual(gone.sort(), made.sort())
        assert.equal(removed.changes.filter(({ table }) => table === 'event').length, gone.length)
        assert.deepEqual(await allOf(one, 'review'), [])
      }
    },
  )

  race('two batches that swap unique values in opposite orders both succeed', async (one, other) => {
    await accepted(one, [insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    for (const round of ROUNDS) {
      const swap = (x: string, y: string) => [update('genre', 1, { name: x }), update('genre', 2, { name: y })]
      const outcomes = await Promise.all([
        one.transact(swap(`x${round}`, `y${round}`)),
        other.transact(swap(`y${round}`, `x${round}`).toReversed()),
      ])
      assert.equal(winners(outcomes), 2, JSON.stringify(outcomes))
      const names = (await allOf(one, 'genre')).map(({ name }) => name).sort()
      assert.deepEqual(names, [`x${round}`, `y${round}`])
    }
  })

  race('ids that are requested and ids that are given never meet, and are never given again', async (one, other) => {
    const batches = CLIENTS.map((client): Operation[] => {
      if (client % 3 === 0) return [insert('genre', { name: `requested ${client}` }, 3 + client * 2)]
      if (client % 3 === 1) return [insert('genre', { name: `one ${client}` })]
      return [
        insert('genre', { name: `first ${client}` }),
        insert('author', { name: `author ${client}` }),
        insert('genre', { name: `second ${client}` }),
      ]
    })
    const outcomes = await Promise.all(batches.map((batch, client) => (client % 2 === 0 ? one : other).transact(batch)))
    // A requested id may have been given to another record before.
    for (const [client, outcome] of outcomes.entries()) {
      if (!outcome.ok) assert.deepEqual([client % 3, outcome.violations[0]?.kind], [0, 'unique'])
    }
    const ids = (await allOf(one, 'genre')).map(({ id }) => id)
    await accepted(
      one,
      ids.map((id) => remove('genre', id)),
    )
    const [next] = await accepted(other, [insert('genre', { name: 'next' })])
    assert.ok((next?.id ?? 0) > Math.max(...ids), `${next?.id} after ${ids.join(' ')}`)
  })

  race('a record that becomes a protected one while a cascade would remove it stays', async (one, other) => {
    const protectedRecords = { table: 'book', filter: { field: 'pages', operator: 'gt', value: 100 } } as const
    for (const round of ROUNDS) {
      const book = { title: 'a book', isbn: `${round}`, pages: 1 }
      const [author, series] = await accepted(one, [
        insert('author', { name: `author ${round}` }),
        insert('series', { name: 'a' }),
      ])
      assert.ok(author !== undefined && series !== undefined)
      const [added] = await accepted(one, [insert('book', { ...book, author_id: author.id, series_id: series.id })])
      const [removal, promotion] = await Promise.all([
        one.transact([{ kind: 'remove', table: 'series', id: series.id, protectedRecords }]),
        other.transact([update('book', added?.id ?? 0, { pages: 101 })]),
      ])
      assert.notEqual(removal.ok, promotion.ok, 'exactly one happened')
      assert.deepEqual(losses([removal, promotion]), [removal.ok ? 'missing' : 'denied'])
    }
  })

  race('a removal waits for a transaction that makes a record a protected one', async (one, _, { layout }, second) => {
    const protectedRecords = { table: 'book', filter: { field: 'pages', operator: 'gt', value: 100 } } as const
    await accepted(one, [insert('author', { name: 'a' }), insert('series', { name: 'a' })])
    await accepted(one, [insert('book', { title: 'a book', isbn: '1', pages: 1, author_id: 1, series_id: 1 })])
    const removal = await second.database.transaction(async (connection) => {
      await connection.query(sql`update ${layout.of('book').table} set "pages" = 101`)
      const waiting = one.transact([{ kind: 'remove', table: 'series', id: 1, protectedRecords }])
      await untilBlocked(second)
      return { waiting }
    })
    assert.deepEqual(await removal.waiting, { ok: false, violations: [{ kind: 'denied', index: 0, id: 1 }] })
  })

  race('a write of another program is seen by a version that is expected', async (one, _, { database, layout }) => {
    const [record] = await accepted(one, [insert('genre', { name: 'ours' })])
    await database.query(sql`update ${layout.of('genre').table} set "name" = 'theirs' where "id" = 1`)
    assert.deepEqual(await one.transact([update('genre', 1, { name: 'again' }, record)]), {
      ok: false,
      violations: [{ kind: 'stale', index: 0, id: 1 }],
    })
  })

  race('the violation of a constraint that another program has added is named', async (one, _, { database, layout }) => {
    await database.query(sql`alter table ${layout.of('series').table} add constraint "series_name_no_x" check ("name" <> 'x')`)
    const refused = { ok: false, violations: [{ kind: 'check', index: 0, field: 'name' }] }
    assert.deepEqual(await one.transact([insert('series', { name: 'x' })]), refused)
  })
})

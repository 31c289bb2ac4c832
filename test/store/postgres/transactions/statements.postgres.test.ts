import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Connection,
  type Database,
  type ResultRows,
  StatementError,
  type StatementOptions,
} from '../../../../src/store/postgres/connection/database.ts'
import type { Sql } from '../../../../src/store/postgres/sql.ts'
import { PostgresTransactions } from '../../../../src/store/postgres/transactions/postgres-transactions.ts'
import type { Operation, Store, StoredRecord } from '../../../../src/store/store.ts'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import { insert, libraryRegistry, remove, update } from '../../../helpers/store/library.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { advisoryLocks, withinTransaction } from './locks.ts'
import { allOf, type ProcessStore, withTwoProcesses } from './two-processes.ts'

/** A database that remembers its statements. */
class Recording {
  readonly statements: string[] = []
  /** Number of characters of the longest parameter, which may be a list. */
  longestParameter = 0
  /** Number of statements that shall fail by a deadlock, of those that are not repeated. */
  deadlocks = 0
  readonly database: Database

  constructor(to: Database) {
    const recording =
      (connection: Connection) =>
      async (statement: Sql, options?: StatementOptions): Promise<ResultRows> => {
        const { text, values } = statement.compile()
        this.statements.push(text)
        this.longestParameter = Math.max(this.longestParameter, ...values.map((value) => value?.length ?? 0))
        if (options?.isRepeated === false && this.deadlocks-- > 0)
          throw new StatementError('deadlock detected', '40P01', undefined)
        return connection.query(statement, options)
      }
    this.database = {
      query: recording(to),
      transaction: (work, options) => {
        this.statements.push(`begin ${options?.readOnly === true ? 'read only' : ''}`.trim())
        return to.transaction((connection) => work({ query: recording(connection) }), options)
      },
      stream: (statement, batch) => to.stream(statement, batch),
      maxConnections: to.maxConnections,
      usage: () => to.usage(),
      close: () => to.close(),
    }
  }

  /** The statements since the last call. */
  take(): string[] {
    return this.statements.splice(0)
  }
}

const counted = (name: string, body: (transactions: PostgresTransactions, recording: Recording, store: Store) => Promise<void>) =>
  test(name, NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }, () =>
    withTwoProcesses(libraryRegistry(), async ({ store, database, layout }) => {
      const recording = new Recording(database)
      await body(new PostgresTransactions(recording.database, layout), recording, store)
    }),
  )

async function accepted(transactions: PostgresTransactions, operations: readonly Operation[]): Promise<readonly StoredRecord[]> {
  const outcome = await transactions.transact(operations)
  if (!outcome.ok) assert.fail(`Refused: ${JSON.stringify(outcome.violations)}`)
  return outcome.records
}

/** Number of locks of unique values that a transaction takes. */
const locksOf = ({ database, layout }: ProcessStore, operations: readonly Operation[]): Promise<number> =>
  database.transaction(async (connection) => {
    await accepted(new PostgresTransactions(withinTransaction(connection), layout), operations)
    return advisoryLocks(connection)
  })

test('a direct statement of many records locks some of the unique values that it sets', { skip: NO_POSTGRES }, () =>
  withTwoProcesses(libraryRegistry(), async (process) => {
    const genres = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => insert('genre', { name: `${prefix} ${index}` }))
    assert.equal(await locksOf(process, genres('few', 20)), 0)
    assert.equal(await locksOf(process, genres('more', 21)), 21)
    assert.equal(await locksOf(process, genres('many', 2500)), 32)
    const series = Array.from({ length: 30 }, () => insert('series', { name: 'not unique' }))
    assert.equal(await locksOf(process, series), 0)
  }),
)

const EVENTS = {
  table: 'event',
  audience: new Map([['genre', { create: [1], update: [1], delete: [1] }]]),
  key: 'key',
  at: '2026-01-15T12:00:00.000Z',
}

describe('the statements of a transaction', () => {
  counted('after a deadlock, a create of few records takes the locks of its values', async (transactions, recording) => {
    for (const count of [1, 2]) {
      recording.deadlocks = 1
      const names = Array.from({ length: count }, (_, index) => `contended ${count} ${index}`)
      await accepted(
        transactions,
        names.map((name) => insert('genre', { name })),
      )
      const [direct = '', ...general] = recording.take()
      assert.doesNotMatch(direct, /pg_advisory/)
      assert.ok(general.some((text) => /pg_advisory_xact_lock/.test(text)))
    }
  })

  counted(
    'after a deadlock of creates that were joined, each is decided with the locks of its values',
    async (transactions, recording) => {
      recording.deadlocks = 1
      await Promise.all(['one', 'other'].map((name) => accepted(transactions, [insert('genre', { name })])))
      const statements = recording.take()
      assert.match(statements[0] ?? '', /generate_series/)
      assert.equal(statements.filter((text) => /pg_advisory_xact_lock/.test(text)).length, 2)
    },
  )

  counted('after a deadlock, an update takes the locks of its values', async (transactions, recording, store) => {
    const [genre] = await accepted(transactions, [insert('genre', { name: 'before' })])
    const [read] = await store.get('genre', [genre?.id ?? 0])
    recording.take()
    recording.deadlocks = 1
    await accepted(transactions, [update('genre', genre?.id ?? 0, { name: 'after' }, read)])
    const [direct = '', ...general] = recording.take()
    assert.match(direct, /^with/)
    assert.ok(general.some((text) => /pg_advisory_xact_lock/.test(text)))
  })

  counted(
    'a create, an update and a removal of a read version are one statement each, with their events',
    async (transactions, recording, store) => {
      await accepted(transactions, [{ kind: 'insert', table: 'listener', values: {} }])
      recording.take()
      const created = await transactions.transact([insert('genre', { name: 'a' })], 'commit', { events: EVENTS })
      assert.equal(recording.take().length, 1)
      assert.ok(created.ok)
      const updated = await transactions.transact([update('genre', 1, { name: 'b' }, created.records[0])], 'commit', {
        events: EVENTS,
      })
      assert.equal(recording.take().length, 1)
      assert.ok(updated.ok)
      const author = await accepted(transactions, [insert('author', { name: 'x' })])
      const cover = [insert('book', { title: 'Book', isbn: '1', author_id: author[0]?.id ?? 0 }), insert('cover', { book_id: 1 })]
      const [, covering] = await accepted(transactions, cover)
      recording.take()
      await accepted(transactions, [remove('cover', 1, covering)])
      assert.equal(recording.take().length, 1)
      const events = await allOf(store, 'event')
      assert.deepEqual(valuesOf(events, 'event', 'data'), [
        ['create', '{"id":1,"name":"a"}'],
        ['update', '{"id":1,"name":"b"}'],
      ])
    },
  )

  counted(
    'creates of one turn are one statement, and each keeps its outcome and its event',
    async (transactions, recording, store) => {
      await accepted(transactions, [{ kind: 'insert', table: 'listener', values: {} }])
      recording.take()
      const names = Array.from({ length: 20 }, (_, index) => `genre ${index}`)
      const create = (name: string) =>
        transactions.transact([insert('genre', { name })], 'commit', { events: { ...EVENTS, key: `key of ${name}` } })
      const outcomes = await Promise.all(names.map(create))
      assert.equal(recording.take().length, 1)
      const events = new Map((await allOf(store, 'event')).map((event) => [event.record_id, event]))
      for (const [index, outcome] of outcomes.entries()) {
        assert.ok(outcome.ok)
        const [record] = outcome.records
        assert.deepEqual(record, (await store.get('genre', [record?.id ?? 0]))[0])
        assert.equal(record?.name, names[index])
        const event = events.get(record?.id ?? 0)
        assert.deepEqual([event?.message_id, event?.data], [`key of ${names[index]}`, JSON.stringify(record)])
        assert.deepEqual(valuesOf(outcome.changes, 'table'), ['genre', 'event'])
        assert.deepEqual(outcome.changes[1]?.after, event)
      }
    },
  )

  counted('new records of several tables are one statement, with ids that were taken before', async (transactions, recording) => {
    const [id = 0] = await transactions.takeIds('category', 1, 'commit')
    recording.take()
    const series = Array.from({ length: 30 }, (_, index) => insert('series', { name: `${index}`, category_id: id }))
    await accepted(transactions, [insert('category', { name: 'top' }, id), ...series, insert('genre', { name: 'a' })])
    assert.equal(recording.take().length, 1)
    await accepted(transactions, [insert('category', { name: 'other' }), insert('category', { name: 'far' }, 50)])
    assert.ok(recording.take().length > 1)
  })

  counted('a create that is refused leaves the others of its turn alone', async (transactions) => {
    await accepted(transactions, [insert('genre', { name: 'taken' })])
    const names = ['a', 'taken', 'b', 'b', 'c']
    const outcomes = await Promise.all(names.map((name) => transactions.transact([insert('genre', { name })])))
    const refused = outcomes.flatMap((outcome, index) => (outcome.ok ? [] : [names[index]]))
    assert.deepEqual(refused, ['taken', 'b'])
  })

  counted('a dry run is read-only and writes nothing', async (transactions, recording, store) => {
    await accepted(transactions, [insert('genre', { name: 'a' })])
    recording.take()
    const operations = [insert('genre', { name: 'b' }), update('genre', 1, { name: 'c' }), insert('author', { name: 'x' }, 50)]
    const outcome = await transactions.transact(operations, 'rehearse')
    assert.ok(outcome.ok)
    const statements = recording.take()
    assert.equal(statements[0], 'begin read only')
    for (const statement of statements) assert.doesNotMatch(statement, /\b(insert|delete|nextval|setval|for update|lock)\b/)
    assert.deepEqual(valuesOf(await allOf(store, 'genre'), 'id', 'name'), [[1, 'a']])
    assert.deepEqual((await accepted(transactions, [insert('author', { name: 'y' })]))[0]?.id, 1)
  })

  counted('10,000 operations need a few statements, whose parameters are bounded', async (transactions, recording, store) => {
    const count = 5000
    const numbers = Array.from({ length: count }, (_, index) => index)
    await accepted(
      transactions,
      numbers.map((number) => insert('genre', { name: `genre ${number}` })),
    )
    const author = await accepted(transactions, [insert('author', { name: 'x' })])
    // One for each 1,000 records of the model, and a few besides.
    assert.ok(recording.take().length < 15)
    const swapped = numbers.map((number) => update('genre', number + 1, { name: `genre ${(number + 1) % count}` }))
    const books = numbers.map((number) =>
      insert('book', { title: `Book ${number}`, isbn: `${number}`, author_id: author[0]?.id ?? 0, genres: [number + 1, 1] }),
    )
    await accepted(transactions, [...swapped, ...books])
    const statements = recording.take()
    assert.ok(statements.length < 60, `${statements.length} statements`)
    await accepted(
      transactions,
      numbers.flatMap((number) => [remove('book', number + 1), remove('genre', number + 1)]),
    )
    assert.ok(recording.take().length < 60)
    const { longestParameter } = recording
    assert.ok(longestParameter > 5000 && longestParameter < 30_000, `A parameter of ${longestParameter} characters`)
    assert.deepEqual([await allOf(store, 'book'), await allOf(store, 'genre')], [[], []])
  })

  counted('a large create is stored with its events, or not at all', async (transactions, recording, store) => {
    await accepted(transactions, [{ kind: 'insert', table: 'listener', values: {} }, insert('genre', { name: 'taken' })])
    const names = Array.from({ length: 2500 }, (_, index) => `genre ${index}`)
    const create = (given: readonly string[]) =>
      transactions.transact(
        given.map((name) => insert('genre', { name })),
        'commit',
        { events: EVENTS },
      )
    recording.take()
    const refused = await create([...names, 'taken', 'genre 7'])
    assert.ok(!refused.ok)
    assert.deepEqual(valuesOf(refused.violations, 'kind', 'index'), [
      ['unique', 2500],
      ['unique', 2501],
    ])
    assert.deepEqual([(await allOf(store, 'genre')).length, (await allOf(store, 'event')).length], [1, 0])
    assert.ok(recording.take().some((statement) => statement === 'begin'))
    const created = await create(names)
    assert.ok(created.ok)
    assert.deepEqual(valuesOf(created.records, 'name'), names)
    assert.deepEqual(created.records, (await allOf(store, 'genre')).slice(1))
    const events = await allOf(store, 'event')
    assert.deepEqual(
      valuesOf(events, 'data'),
      created.records.map((record) => JSON.stringify(record)),
    )
    assert.equal(created.changes.length, 5000)
  })

  counted(
    'the removal of a record that many others forbid counts them, and reads none of them',
    async (transactions, recording) => {
      await accepted(transactions, [insert('author', { name: 'x' })])
      const books = Array.from({ length: 50 }, (_, index) => insert('book', { title: 'Book', isbn: `${index}`, author_id: 1 }))
      await accepted(transactions, books)
      recording.take()
      const outcome = await transactions.transact([update('book', 1, { pages: 1 }), remove('author', 1)])
      assert.deepEqual(outcome, {
        ok: false,
        violations: [{ kind: 'restrict', index: 1, id: 1, table: 'book', field: 'author_id', count: 50 }],
      })
      assert.ok(recording.take().some((statement) => /count\(\*\)/.test(statement)))
    },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection } from '../../../../src/store/postgres/connection/database.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { applySchema } from '../../../../src/store/postgres/schema/migration.ts'
import { type Sql, sql } from '../../../../src/store/postgres/sql.ts'
import { newSchema } from '../../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress } from '../../../helpers/postgres/server.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'

/** One more than a table has counters at first: so two of the connections have the same first choice, and there is none for the last. */
const CONNECTIONS = 17

interface Counted {
  readonly database: PgDatabase
  readonly layout: Layout
  /** Inserts an author. */
  readonly insert: Sql
  /** Values of the counters of a table, of all its rows. */
  counters(
    name: string,
  ): Promise<{ readonly rows: number; readonly changed: number; readonly records: number; readonly writes: number }>
}

const withCounters = (name: string, body: (counted: Counted) => Promise<void>) =>
  test(name, { skip: NO_POSTGRES ?? false }, async () => {
    const database = new PgDatabase(await serverAddress(), { pool: CONNECTIONS + 1 })
    const own = newSchema(database)
    const layout = new Layout(libraryRegistry(), own.schema)
    const counters = async (table: string) => {
      const { rows: found } = await database.query(
        sql`select count(*), count(*) filter (where "writes" > 0), sum("records"), sum("writes")
          from ${layout.system('counters')} where "table_name" = ${table}`,
      )
      const [rows = 0, changed = 0, records = 0, writes = 0] = (found[0] ?? []).map(Number)
      return { rows, changed, records, writes }
    }
    try {
      await applySchema(database, layout)
      const insert = sql`insert into ${layout.of('author').table} ("name") values (gen_random_uuid()::text)`
      await body({ database, layout, insert, counters })
    } finally {
      await own.drop()
      await database.close()
    }
  })

/** Runs work with connections in transactions that are all open, and commits them. A statement that waits two seconds for a row fails. */
async function inOpenTransactions(
  { database }: Counted,
  work: (connections: readonly Connection[]) => Promise<void>,
): Promise<void> {
  const open: Connection[] = []
  let goOn = () => {}
  let end = () => {}
  const areOpen = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  const transactions = Array.from({ length: CONNECTIONS }, () =>
    database.transaction(async (connection) => {
      await connection.query(sql`set local lock_timeout = 2000`)
      if (open.push(connection) === CONNECTIONS) goOn()
      await isOver
    }),
  )
  try {
    await Promise.race([areOpen, Promise.all(transactions)])
    await work(open)
  } finally {
    end()
    await Promise.allSettled(transactions)
  }
  await Promise.all(transactions)
}

withCounters('writers do not wait for each other, however many there are', async (counted) => {
  const { insert, counters } = counted
  await inOpenTransactions(counted, async (connections) => {
    for (const connection of connections) await connection.query(insert)
  })
  assert.deepEqual(await counters('author'), { rows: 17, changed: 17, records: 17, writes: 17 })
  await inOpenTransactions(counted, async (connections) => {
    for (const connection of connections) await connection.query(insert)
  })
  assert.deepEqual(await counters('author'), { rows: 17, changed: 17, records: 34, writes: 34 })
})

withCounters('a transaction with many statements changes one row of the counters of a table', async (counted) => {
  const { insert, counters, database, layout } = counted
  await database.query(sql`analyze ${layout.system('counters')}`)
  await inOpenTransactions(counted, async (connections) => {
    const [first, second] = await withEqualChoices(connections)
    await first.query(insert)
    // Rows are then found in the order in which they lie in the table, and a changed one lies behind the others.
    for (const setting of ['indexscan', 'bitmapscan'])
      await second.query(sql`select set_config(${`enable_${setting}`}, 'off', true)`)
    for (let count = 0; count < 20; count++) await second.query(insert)
    // Within a savepoint, rows have another transaction id.
    for (let count = 0; count < 20; count++) {
      await second.query(sql`savepoint part`)
      await second.query(insert)
    }
  })
  assert.deepEqual(await counters('author'), { rows: 16, changed: 2, records: 41, writes: 41 })
})

/** Two connections that first try the same row of the counters. */
async function withEqualChoices(connections: readonly Connection[]): Promise<readonly [Connection, Connection]> {
  const byChoice = new Map<string | null | undefined, Connection>()
  for (const connection of connections) {
    const { rows } = await connection.query(sql`select pg_backend_pid() % 16`)
    const other = byChoice.get(rows[0]?.[0])
    if (other !== undefined) return [other, connection]
    byChoice.set(rows[0]?.[0], connection)
  }
  return assert.fail('17 connections have 17 process ids that differ modulo 16')
}

withCounters('rows of the counters that are missing are made', async ({ database, layout, insert, counters }) => {
  await database.query(sql`delete from ${layout.system('counters')} where "table_name" = 'author'`)
  await database.query(insert)
  assert.deepEqual(await counters('author'), { rows: 1, changed: 1, records: 1, writes: 1 })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection } from '../../../../src/store/postgres/connection/database.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { lateEventParts } from '../../../../src/store/postgres/outbox/late-events.ts'
import { createSchema } from '../../../../src/store/postgres/schema/create-schema.ts'
import { joined, type Sql, sql } from '../../../../src/store/postgres/sql.ts'
import { newSchema } from '../../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress } from '../../../helpers/postgres/server.ts'
import { libraryRegistry } from '../../../helpers/store/contract/library.ts'

/** Of this number of connections, two have process ids that are equal modulo 16. */
const CONNECTIONS = 17

interface Counted {
  readonly database: PgDatabase
  readonly layout: Layout
  /** Statements that two connections with equal first choices execute, each in a transaction that ends after both. */
  pair(statement: Sql): Promise<void>
}

async function withCounters(body: (counted: Counted) => Promise<void>): Promise<void> {
  const database = new PgDatabase(await serverAddress(), { pool: CONNECTIONS + 1 })
  const own = newSchema(database)
  const layout = new Layout(libraryRegistry(), own.schema)
  try {
    await createSchema(database, layout)
    await body({ database, layout, pair: (statement) => executeInPair(database, statement) })
  } finally {
    await own.drop()
    await database.close()
  }
}

async function executeInPair(database: PgDatabase, statement: Sql): Promise<void> {
  const open: Connection[] = []
  const numbers = new Map<number, Connection>()
  const pair: Connection[] = []
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
      const { rows } = await connection.query(sql`select pg_backend_pid() % 16`)
      const number = Number(rows[0]?.[0])
      const equal = numbers.get(number)
      if (equal !== undefined && pair.length === 0) pair.push(equal, connection)
      numbers.set(number, connection)
      if (open.push(connection) === CONNECTIONS) goOn()
      await isOver
    }),
  )
  try {
    await Promise.race([areOpen, Promise.all(transactions)])
    assert.equal(pair.length, 2)
    for (const connection of pair) {
      await connection.query(sql`set local lock_timeout = 2000`)
      await connection.query(statement)
    }
  } finally {
    end()
    await Promise.allSettled(transactions)
  }
  await Promise.all(transactions)
}

test('writers do not wait for a row of the counters that another transaction has changed', { skip: NO_POSTGRES ?? false }, () =>
  withCounters(async ({ database, layout, pair }) => {
    await pair(sql`insert into ${layout.of('author').table} ("name") values (pg_backend_pid()::text)`)
    const { rows } = await database.query(
      sql`select sum("records"), sum("writes") from ${layout.system('counters')} where "table_name" = 'author'`,
    )
    assert.deepEqual(
      rows.map((row) => [...row]),
      [['2', '2']],
    )
  }),
)

test('transactions with many events do not wait for each other', { skip: NO_POSTGRES ?? false }, () =>
  withCounters(({ layout, pair }) => pair(joined(lateEventParts(layout, 1000)))),
)

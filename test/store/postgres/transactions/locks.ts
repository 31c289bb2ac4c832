import assert from 'node:assert/strict'
import type { Connection, Database } from '../../../../src/store/postgres/connection/database.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'

/** A database whose statements and transactions are parts of an open transaction, so that what they lock can be seen. */
export const withinTransaction = (connection: Connection): Database => ({
  query: connection.query,
  transaction: (work) => work(connection),
  stream: () => assert.fail('Streams have transactions of their own'),
  maxConnections: 1,
  usage: () => assert.fail('It has no pool'),
  close: () => assert.fail('It is closed with its transaction'),
})

/** Number of advisory locks that a transaction holds. */
export async function advisoryLocks(connection: Connection): Promise<number> {
  const { rows } = await connection.query(
    sql`select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
  )
  return Number(rows[0]?.[0])
}

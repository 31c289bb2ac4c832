import type { Database } from '../connection/database.ts'
import { sql } from '../sql.ts'

/**
 * Runs work while no other process does the same in this schema; others wait. The lock belongs to a transaction, so that a pooler may
 * stand between, and ends with it.
 *
 * @param database has a connection to spare for the lock; the statements of the work must use another database
 */
export function whileAlone<T>(database: Database, schema: string, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (connection) => {
    // The work may take long, and meanwhile this transaction executes nothing.
    await connection.query(sql`set local idle_in_transaction_session_timeout = 0`)
    await connection.query(sql`set local statement_timeout = 0`)
    await connection.query(sql`select pg_advisory_xact_lock(hashtextextended(${`admin-folder start ${schema}`}, 0))`)
    return work()
  })
}

import { AppError } from '../../../errors.ts'
import type { Timer } from '../../../util/clock.ts'
import { type Connection, type Database, StatementError } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** How long the steps of a migration wait for the locks of other sessions. */
export interface LockWaits {
  /** Milliseconds that a step waits. Later statements of all sessions on the table wait behind it as long. */
  readonly timeout: number
  /** Milliseconds before each further attempt, in which those statements are executed. One item for each further attempt. */
  readonly pauses: readonly number[]
}

/** About half a minute in all. */
export const LOCK_WAITS: LockWaits = { timeout: 2000, pauses: [1000, 2000, 4000, 8000] }

/** SQLSTATE of a statement that waited for a lock as long as `lock_timeout` allows. */
const LOCK_NOT_AVAILABLE = '55P03'

/** Maximum number of sessions that an error names. */
const MAX_NAMED = 5

/** Bounds the waits for locks in the present transaction. */
export const limitLockWaits = (connection: Connection, { timeout }: LockWaits) =>
  connection.query(sql`set local lock_timeout = ${literal(timeout)}`)

/**
 * Runs a transaction of steps, again after a pause if a table was locked by another session. What the transaction has locked is free meanwhile.
 *
 * @throws {AppError} TASK_FAILED naming the tables and the sessions that keep them locked
 */
export async function untilUnlocked<T>(
  database: Database,
  layout: Layout,
  { pauses }: LockWaits,
  timer: Timer,
  run: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isLocked(error)) throw error
      const pause = pauses[attempt]
      if (pause === undefined) throw await lockedError(database, layout, error)
      await new Promise<void>((resolve) => timer(pause, resolve))
    }
  }
}

/** True for the error of a statement, and for one that names the step of the statement. */
function isLocked(error: unknown): error is Error {
  const cause = error instanceof AppError ? error.cause : error
  return cause instanceof StatementError && cause.code === LOCK_NOT_AVAILABLE
}

async function lockedError(database: Database, layout: Layout, cause: Error): Promise<AppError> {
  const { rows } = await database.query(holders(layout))
  const sessions = rows.map(([table, pid, user, application, seconds]) => {
    const program = application === null || application === '' ? '' : `, ${application}`
    return `'${table}' by the session ${pid} of ${user}${program}${seconds === null ? '' : `, since ${seconds} s`}`
  })
  const held = sessions.length === 0 ? 'The locks have been released meanwhile' : `Locked are ${sessions.join('; ')}`
  const remedy =
    sessions.length === 0
      ? 'try again'
      : 'try again when these transactions have ended, or end them with `select pg_terminate_backend(<session>)`'
  return new AppError(
    'TASK_FAILED',
    `A table is locked by other transactions, so nothing was changed. ${cause.message}. ${held}; ${remedy}`,
    { cause },
  )
}

/** The sessions that have locked tables of the schema, those with the longest transactions first. What the role may not see of them is null. */
const holders = ({ schema }: Layout): Sql => sql`
  select "c"."relname", "l"."pid"::text, "a"."usename", "a"."application_name",
    round(extract(epoch from clock_timestamp() - "a"."xact_start"))::text
  from (select distinct "pid", "relation" from pg_locks
    where "granted" and "pid" <> pg_backend_pid() and "database" = (select "oid" from pg_database where "datname" = current_database())) "l"
  join pg_class "c" on "c"."oid" = "l"."relation" and "c"."relkind" in ('r', 'p')
  join pg_namespace "n" on "n"."oid" = "c"."relnamespace" and "n"."nspname" = ${schema}
  left join pg_stat_activity "a" on "a"."pid" = "l"."pid"
  order by "a"."xact_start", "l"."pid", 1 limit ${literal(MAX_NAMED)}`

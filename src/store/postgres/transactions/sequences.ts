import {
  type Connection,
  type Database,
  isConstraintViolation,
  isLockTimeout,
  type StatementError,
} from '../connection/database.ts'
import { unavailable } from '../connection/session.ts'
import { SYSTEM_PREFIX, shortName } from '../layout/column.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, joined, keyword, literal, type Sql, sql } from '../sql.ts'
import { idLock, takeLocks } from './locks.ts'

/** A number of ids of one table. */
interface Reservation {
  readonly layout: TableLayout
  readonly count: number
}

/** The ids that the sequences would give next. Nothing is reserved. */
export async function nextIds(connection: Connection, tables: readonly TableLayout[]): Promise<readonly number[]> {
  if (tables.length === 0) return []
  const { rows } = await connection.query(sql`select ${joined(tables.map(({ sequence }) => nextId(sequence)))}`)
  return rows[0]?.map(Number) ?? []
}

/** Takes ids of tables whose `idLock` the transaction has. Those of each table ascend. */
export async function reserveIds(connection: Connection, reservations: readonly Reservation[]): Promise<readonly number[][]> {
  if (reservations.length === 0) return []
  const queries = reservations.map(
    ({ layout: { sequence }, count }, index) =>
      sql`select ${index}::integer, nextval(${sequence}::regclass) from generate_series(1, ${count}::bigint)`,
  )
  const { rows } = await connection.query(joined(queries, ' union all '))
  return reservations.map((_, index) =>
    rows.flatMap(([table, id]) => (Number(table) === index ? [Number(id)] : [])).sort((a, b) => a - b),
  )
}

/** Takes ids of a table by one statement, which has the `idLock` until its end. They ascend. */
export async function takeIds(database: Connection, table: TableLayout, count: number): Promise<readonly number[]> {
  const { rows } = await database.query(sql`with "lock" as materialized (${takeLocks({ shared: [idLock(table)], exclusive: [] })})
    select nextval(${table.sequence}::regclass) from (select count(*) as "count" from "lock") "locked", generate_series(1, ${count}::bigint)
    where "locked"."count" > 0`)
  return rows.map(([id]) => Number(id)).sort((a, b) => a - b)
}

/**
 * Excludes all others that take ids of some tables, until the end of the transaction: inserts of one statement by a lock of the table, other
 * transactions by `idLock`. A requested id above all given ones moves the sequence, which PostgreSQL does without regard to others that take ids
 * at that moment. A sequence never goes back, so an id is given once.
 */
export async function lockIds(connection: Connection, tables: readonly TableLayout[]): Promise<void> {
  if (tables.length === 0) return
  await connection.query(takeLocks({ shared: [], exclusive: tables.map(idLock).sort() }))
  await connection.query(sql`lock table ${joined(tables.map(({ table }) => table))} in share row exclusive mode`)
}

/** Moves a locked sequence forward, so that it continues with `next`. */
export async function moveSequence(connection: Connection, { sequence }: TableLayout, next: number): Promise<void> {
  await connection.query(sql`select setval(${sequence}::regclass, ${next - 1}::bigint)`)
}

/** The next id of a sequence; its name is a quoted identifier. */
export const nextId = (sequence: string): Sql =>
  sql`(select case when "is_called" then "last_value" + 1 else "last_value" end from ${keyword(sequence)})`

/** An identity column of a table, and its sequence. */
export interface IdentityColumn {
  /** Name of the table. */
  readonly table: string
  readonly column: string
  /** Qualified and quoted. */
  readonly sequence: string
}

/** The identity columns of tables. */
export async function identityColumns(
  connection: Connection,
  { schema }: Layout,
  tables: readonly string[],
): Promise<readonly IdentityColumn[]> {
  const { rows } = await connection.query(
    sql`select "c"."relname", "a"."attname", pg_get_serial_sequence(quote_ident("n"."nspname") || '.' || quote_ident("c"."relname"), "a"."attname")
      from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace" join pg_attribute "a" on "a"."attrelid" = "c"."oid"
      where "n"."nspname" = ${schema} and "c"."relname" = any(${tables}::text[]) and "a"."attidentity" <> '' and not "a"."attisdropped"
      order by 1, 2`,
  )
  return rows.map(([table, column, sequence]) => ({ table: table ?? '', column: column ?? '', sequence: sequence ?? '' }))
}

/** The highest value of an identity column, 0 without rows, and the one that its sequence would give next. */
export async function positionOf(
  connection: Connection,
  { schema }: Layout,
  { table, column, sequence }: IdentityColumn,
): Promise<{ readonly highest: number; readonly next: number }> {
  const { rows } = await connection.query(
    sql`select (select coalesce(max(${identifier(column)}), 0) from ${identifier(schema, table)}), ${nextId(sequence)}`,
  )
  const [highest, next] = (rows[0] ?? []).map(Number)
  return { highest: highest ?? 0, next: next ?? 1 }
}

/** Moves a sequence past a value, unless it is. No other transaction may take values of it meanwhile. */
export async function movePast(connection: Connection, { sequence }: IdentityColumn, highest: number): Promise<void> {
  await connection.query(
    sql`select setval(${sequence}::regclass, ${highest}::bigint) where ${highest}::bigint >= ${nextId(sequence)}`,
  )
}

/**
 * True for a violation of the key of a table: a row has the id that the sequence gave. Other programs write rows with ids of their own, or restore
 * rows without the sequence.
 */
export function isTakenId(error: unknown, { tables }: Layout): error is StatementError & { readonly table: string } {
  if (!isConstraintViolation(error) || error.code !== '23505' || error.table === undefined) return false
  const { table: name, constraint } = error
  const isOurs = name.startsWith(SYSTEM_PREFIX) || tables.some((table) => table.name === name)
  return isOurs && constraint === shortName(`${name}_pkey`)
}

/** Milliseconds of waiting for the lock of a table. All later writes of the table wait behind it. */
const LOCK_WAIT_MS = 2000

/**
 * Moves the sequence of a table past the ids of its rows, after `isTakenId`.
 *
 * @throws {AppError} STORE_UNAVAILABLE if another transaction keeps the table locked
 */
export async function passTakenIds(database: Database, layout: Layout, name: string): Promise<void> {
  const move = async (connection: Connection) => {
    await connection.query(sql`set local lock_timeout = ${literal(LOCK_WAIT_MS)}`)
    const own = layout.tables.find((table) => table.name === name)
    if (own === undefined) await connection.query(sql`lock table ${identifier(layout.schema, name)} in share row exclusive mode`)
    else await lockIds(connection, [own])
    for (const column of await identityColumns(connection, layout, [name])) {
      await movePast(connection, column, (await positionOf(connection, layout, column)).highest)
    }
  }
  try {
    await database.transaction(move)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    throw unavailable(
      `The ids of '${name}' that other programs have given are passed when the transactions that write it have ended`,
      error,
    )
  }
}

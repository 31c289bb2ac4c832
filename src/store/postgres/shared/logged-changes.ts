import type { Change, StoredRecord } from '../../store.ts'
import type { Layout } from '../layout/layout.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** A transaction with more changes is logged without them: its readers are told that changes are missing. */
const MAX_CHANGES = 1000

/** The changes of a transaction as the log keeps them. */
export interface LogEntry {
  /** The process that makes the changes. */
  readonly origin: string
  /** Those of public models. */
  readonly changes: readonly Change[]
}

/** A change as text of the log. `id` is absent if the statement gives it. */
interface StoredChange {
  readonly table: string
  readonly id?: number
  readonly before?: StoredRecord
  readonly after?: StoredRecord
}

/**
 * The table of the log: the changes of a transaction, and the ids that its statement has given to the records of all of them, in their order.
 */
export const changesTable = (layout: Layout): Sql => sql`create table ${layout.system('changes')} (
  "xid" xid8 not null default pg_current_xact_id(), "at" timestamptz not null default clock_timestamp(),
  "origin" text not null, "ids" bigint[], "changes" json, primary key ("xid", "at")
)`

/** The entry of some changes; undefined if none of them is of a public model. */
export function logEntryOf(layout: Layout, origin: string | undefined, changes: readonly Change[]): LogEntry | undefined {
  if (origin === undefined) return undefined
  const told = changes.filter(({ table }) => !layout.of(table).model.internal)
  return told.length === 0 ? undefined : { origin, changes: told }
}

/** Stores an entry whose records have their ids. */
export const insertEntry = (layout: Layout, { origin, changes }: LogEntry): Sql =>
  sql`insert into ${layout.system('changes')} ("origin", "changes") values (${origin}, ${textOf(layout, changes, true)}::json)`

/** Stores an entry whose records get their ids from the part `"ids"` of the statement, which has the columns `"n"` and `"id"`. */
export const insertEntryWithIds = (layout: Layout, { origin, changes }: LogEntry): Sql =>
  sql`insert into ${layout.system('changes')} ("origin", "ids", "changes")
    select ${origin}::text, array_agg("id" order by "n"), ${textOf(layout, changes, false)}::json from "ids" having count(*) > ${literal(0)}`

/** Tells the readers of the log in other processes that changes are missing. */
export const insertUnknown = (layout: Layout, origin: string): Sql =>
  sql`insert into ${layout.system('changes')} ("origin") values (${origin})`

/** Tells all readers of the log, in this process too, that changes are missing. */
export const insertGap = (layout: Layout): Sql => insertUnknown(layout, '')

function textOf(layout: Layout, changes: readonly Change[], withIds: boolean): string | null {
  if (changes.length > MAX_CHANGES) return null
  return JSON.stringify(
    changes.map(({ table, id, before, after }): StoredChange => {
      const { secrets } = layout.of(table).model
      return {
        table,
        ...(withIds && { id }),
        ...(before !== undefined && { before: withoutSecrets(before, secrets) }),
        ...(after !== undefined && { after: withoutSecrets(after, secrets) }),
      }
    }),
  )
}

function withoutSecrets(record: StoredRecord, secrets: readonly string[]): StoredRecord {
  if (secrets.length === 0) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => !secrets.includes(name))) as StoredRecord
}

/** The changes of an entry, from its columns `ids` and `changes`. Those of tables that this process does not know are left out. */
export function readEntry(layout: Layout, ids: string | null, changes: string | null): readonly Change[] | undefined {
  if (changes === null) return undefined
  const given = ids === null ? undefined : (JSON.parse(ids) as number[])
  return (JSON.parse(changes) as StoredChange[]).flatMap(({ table, id: own, before, after }, index) => {
    if (layout.registry.get(table) === undefined) return []
    const id = own ?? given?.[index] ?? 0
    return [{ table, id, before: before && { ...before, id }, after: after && { ...after, id } }]
  })
}

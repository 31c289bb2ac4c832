import type { Json } from '../../../../util/json.ts'
import type { Change, StoredRecord } from '../../../store.ts'
import { isSameValue } from '../../../version.ts'
import { insertEntry, type LogEntry } from '../../changes/logged-changes.ts'
import type { Layout } from '../../layout/layout.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { lateEventParts } from '../../outbox/late-events.ts'
import { identifier, joined, type Sql, sql } from '../../sql.ts'
import { input, inputOf } from './input.ts'
import { insertLinks, linkDifferences, linkRows } from './links.ts'

/** A record that a transaction changes. */
interface Update {
  readonly before: StoredRecord
  readonly after: StoredRecord
}

/** What a transaction stores besides its changes, or among them. */
export interface WriteNotes {
  /** What other processes are told. */
  readonly entry: LogEntry | undefined
  /** The table of events. Another process may have removed a receiver of theirs meanwhile. */
  readonly eventTable: string | undefined
}

/**
 * The statement that stores changes of a transaction. It returns the version of the rows that it writes.
 */
export function writeStatement(layout: Layout, changes: readonly Change[], { entry, eventTable }: WriteNotes): Sql {
  const tables = [...new Set(changes.map(({ table }) => table))]
  const parts = tables.flatMap((name) => {
    const table = layout.of(name)
    const own = changes.filter((change) => change.table === name)
    return [
      ...insertsOf(
        layout,
        table,
        own.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : [])),
        name === eventTable,
      ),
      ...updatesOf(
        table,
        own.flatMap(({ before, after }) => (before !== undefined && after !== undefined ? [{ before, after }] : [])),
      ),
      ...removalsOf(
        table,
        own.flatMap(({ id, after }) => (after === undefined ? [id] : [])),
      ),
    ]
  })
  if (entry !== undefined) parts.push(insertEntry(layout, entry))
  const version = sql`select pg_current_xact_id()::xid`
  if (parts.length === 0) return version
  return sql`with ${joined(parts.map((part, index) => sql`${identifier(`w${index}`)} as (${part})`))} ${version}`
}

function insertsOf(layout: Layout, table: TableLayout, records: readonly StoredRecord[], areEvents: boolean): Sql[] {
  if (records.length === 0) return []
  const columns = table.columns.map((column) => inputOf(column, valuesOf(records, column.field.name)))
  const flags = table.links.map(({ flag, field }) => ({
    name: flag,
    type: 'boolean',
    values: records.map((record) => isSet(record, field.name)),
  }))
  const all = [...columns, ...flags]
  return [
    sql`insert into ${table.table} (${joined(all.map(({ name }) => name))}) ${input(all)}`,
    ...table.links.flatMap((link) =>
      insertLinks(
        link,
        records.flatMap((record) => linkRows(record, link)),
        areEvents ? layout.of(link.field.relation.target).table : undefined,
      ),
    ),
    ...(areEvents ? lateEventParts(layout, records.length) : []),
  ]
}

/** Updates the columns that differ in at least one record. */
function updatesOf(table: TableLayout, updates: readonly Update[]): Sql[] {
  const columns = table.columns.filter(({ field: { name } }) => updates.some((update) => differs(update, name)))
  const links = table.links.filter(({ field: { name } }) => updates.some((update) => differs(update, name)))
  if (columns.length === 0 && links.length === 0) return []
  const after = updates.map((update) => update.after)
  // Setting the flag also gives the row a new version if only links change.
  const set = [
    ...columns.map((column) => inputOf(column, valuesOf(after, column.field.name))),
    ...links.map(({ flag, field }) => ({
      name: flag,
      type: 'boolean',
      values: after.map((record) => isSet(record, field.name)),
    })),
  ]
  const ids = { name: sql`"id"`, type: 'bigint', values: after.map(({ id }) => id) }
  const assignments = set.map(({ name }) => sql`${name} = "u".${name}`)
  return [
    sql`update ${table.table} "r" set ${joined(assignments)} from (${input([ids, ...set])}) "u" where "r"."id" = "u"."id"`,
    ...links.flatMap((link) => linkDifferences(link, updates)),
  ]
}

const removalsOf = (table: TableLayout, ids: readonly number[]): Sql[] =>
  ids.length === 0 ? [] : [sql`delete from ${table.table} where "id" = any(${ids}::bigint[])`]

const valuesOf = (records: readonly StoredRecord[], field: string): Json[] => records.map((record) => record[field] ?? null)

const isSet = (record: StoredRecord, field: string): true | null => ((record[field] ?? null) === null ? null : true)

/** True if an update changes a field. */
export const differs = ({ before, after }: Update, field: string): boolean =>
  !isSameValue(before[field] ?? null, after[field] ?? null)

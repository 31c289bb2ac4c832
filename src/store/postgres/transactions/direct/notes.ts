import type { JsonObject } from '../../../../util/json.ts'
import type { Change, Operation, StoredRecord, TransactionNotes } from '../../../store.ts'
import { eventsOf } from '../../../transactions/events.ts'
import { historyOf } from '../../../transactions/history.ts'
import type { Layout } from '../../layout/layout.ts'
import { identifier, joined, keyword, literal, type Sql, sql } from '../../sql.ts'
import { input, inputOf } from '../statements/input.ts'
import { complete } from '../stored-values.ts'

/** The id of a record that does not have one yet. */
export const PROVISIONAL_ID = 1

const PROVISIONAL_JSON = `{"id":${PROVISIONAL_ID}`

/** Events and history entries of changes: none, or one for each change. */
export interface Notes {
  readonly events: readonly JsonObject[]
  readonly history: readonly JsonObject[]
}

/** The notes of changes that each have an operation of their own. */
export function notesOf(
  layout: Layout,
  changes: readonly Change[],
  operations: readonly Operation[],
  records: readonly StoredRecord[],
  { events, history }: TransactionNotes = {},
): Notes {
  const modelOf = (table: string) => layout.of(table).model
  return {
    events: events === undefined ? [] : eventsOf(changes, events, modelOf),
    history: history === undefined ? [] : historyOf(changes, { operations, records }, history, modelOf),
  }
}

/** The tables of notes, and what is noted of all changes of a statement. */
export interface NotedTables extends Notes {
  readonly eventTable: string | undefined
  readonly historyTable: string | undefined
  /** True if the notes have provisional ids, in place of which the statement sets those that it gives. */
  readonly isProvisional: boolean
}

/**
 * The parts of a statement that store notes. The statement has a part `"ids"` with the columns `"n"`, from 1, and `"id"`: the changed
 * records in the order of their notes.
 */
export function noteParts(layout: Layout, { events, history, eventTable, historyTable, isProvisional }: NotedTables): Sql[] {
  const parts: Sql[] = []
  if (eventTable !== undefined && events.length > 0) {
    const rows = isProvisional ? events.map(withoutProvisionalId) : events
    const data = sql`${literal('{"id":')} || "ids"."id" || "i"."data"`
    parts.push(...insertNotes(layout, 'events', eventTable, rows, isProvisional ? new Map([['data', data]]) : new Map()))
  }
  if (historyTable !== undefined && history.length > 0)
    parts.push(...insertNotes(layout, 'history', historyTable, history, new Map()))
  return parts
}

const withoutProvisionalId = (event: JsonObject): JsonObject => ({
  ...event,
  data: String(event.data).slice(PROVISIONAL_JSON.length),
})

/** @param computed values that the statement computes, by column; that of `record_id` always is */
function insertNotes(
  layout: Layout,
  name: string,
  tableName: string,
  rows: readonly JsonObject[],
  computed: ReadonlyMap<string, Sql>,
): Sql[] {
  const table = layout.of(tableName)
  const given = table.columns.filter(
    ({ field: { name: field } }) => field !== 'record_id' && rows.some((row) => (row[field] ?? null) !== null),
  )
  const values = given.map((column) =>
    inputOf(
      column,
      rows.map((row) => row[column.field.name] ?? null),
    ),
  )
  const flags = table.links.filter(({ field }) => (rows[0]?.[field.name] ?? null) !== null)
  const names = [sql`"record_id"`, ...given.map((column) => column.sql), ...flags.map(({ flag }) => flag)]
  const selected = [
    sql`"ids"."id"`,
    ...given.map((column) => computed.get(column.field.name) ?? sql`"i".${column.sql}`),
    ...flags.map(() => sql`true`),
  ]
  const positions = { name: sql`"position"`, type: 'bigint', values: rows.map((_, index) => index + 1) }
  const links = flags.map(({ field, table: linkTable }, index) => {
    const targets = (rows[0]?.[field.name] ?? []) as readonly number[]
    const target = layout.of(field.relation.target).table
    // Another process may have removed a receiver of events meanwhile.
    return sql`${identifier(`${name}_links_${index}`)} as (
      insert into ${linkTable} ("owner", "target", "position")
      select ${identifier(name)}."id", "u"."target", "u"."position" - 1
      from ${identifier(name)}, unnest(${targets}::bigint[]) with ordinality "u" ("target", "position")
      where exists (select from ${target} where "id" = "u"."target"))`
  })
  return [
    sql`${identifier(name)} as (insert into ${table.table} (${joined(names)})
      select ${joined(selected)} from "ids" join (${input([positions, ...values])}) "i" on "i"."position" = "ids"."n"
      order by "ids"."n" returning "id", "record_id")`,
    ...links,
  ]
}

/** The ids that a statement has given: to records by position from 0, to their events and history entries by the record's id. */
export interface GivenIds {
  readonly records: readonly number[]
  readonly events: ReadonlyMap<number, number>
  readonly history: ReadonlyMap<number, number>
  /** The version of the rows. */
  readonly version: string
}

/** The end of a statement with notes, whose rows `readIds` reads. */
export function selectIds({ events, history }: Notes): Sql {
  const record = sql`select 0, "n", "id", pg_current_xact_id()::xid from "ids"`
  const notes = (number: number, name: string) =>
    sql`select ${keyword(String(number))}, "record_id", "id", null::xid from ${identifier(name)}`
  return joined(
    [record, ...(events.length > 0 ? [notes(1, 'events')] : []), ...(history.length > 0 ? [notes(2, 'history')] : [])],
    ' union all ',
  )
}

/** @returns undefined if the statement has changed nothing */
export function readIds(rows: readonly (readonly (string | null)[])[]): GivenIds | undefined {
  const records: number[] = []
  const [events, history] = [new Map<number, number>(), new Map<number, number>()]
  let version = ''
  for (const [kind, key, id, xid] of rows) {
    if (kind === '0') {
      records[Number(key) - 1] = Number(id)
      version = xid ?? ''
    } else (kind === '1' ? events : history).set(Number(key), Number(id))
  }
  return records.length === 0 ? undefined : { records, events, history, version }
}

/** The changes that the notes of some changes are, with their ids. */
export function noteChanges(layout: Layout, ids: GivenIds, records: readonly number[], notes: NotedTables): Change[] {
  const made = (name: string | undefined, rows: readonly JsonObject[], given: ReadonlyMap<number, number>): Change[] =>
    rows.flatMap((row, index) => {
      const record = records[index]
      const id = record === undefined ? undefined : given.get(record)
      if (name === undefined || record === undefined || id === undefined) return []
      const { data } = row
      const own =
        notes.isProvisional && typeof data === 'string' ? { data: `{"id":${record}${data.slice(PROVISIONAL_JSON.length)}` } : {}
      return [{ table: name, id, before: undefined, after: complete(layout.of(name), { ...row, ...own, id, record_id: record }) }]
    })
  return [...made(notes.eventTable, notes.events, ids.events), ...made(notes.historyTable, notes.history, ids.history)]
}

import type { JsonObject } from '../../../util/json.ts'
import type { Change, Operation, SideRecords, StoredRecord } from '../../store.ts'
import { eventsOf, historyOf } from '../../transaction/side-records.ts'
import type { Layout } from '../layout/layout.ts'
import { insertEntryWithIds, type LogEntry } from '../shared/stored-change-log.ts'
import { identifier, joined, keyword, literal, type Sql, sql } from '../sql.ts'
import { type NewRecords, positionsFrom } from './creation-parts.ts'
import { completeRecord, type InputColumn, input, inputOf, POSITION } from './statements.ts'

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
  { events, history }: SideRecords = {},
): Notes {
  const modelOf = (table: string) => layout.of(table).model
  return {
    events: events === undefined ? [] : [...eventsOf(changes, events, modelOf)],
    history: history === undefined ? [] : [...historyOf(changes, { operations, records }, history, modelOf)],
  }
}

/** The tables of notes, and what is noted of all changes of a statement. */
export interface NotedTables extends Notes {
  readonly eventTable: string | undefined
  readonly historyTable: string | undefined
  /** What other processes are told. Its records get the ids of the statement. */
  readonly entry: LogEntry | undefined
  /** True if the notes have provisional ids, in place of which the statement sets those that it gives. */
  readonly isProvisional: boolean
}

/** Which records of a statement are those of some notes. */
export type NotePlace = Pick<NewRecords, 'start' | 'suffix'>

/**
 * The parts of a statement that store notes. The statement has a part `"ids"` with the columns `"n"`, from 1, and `"id"`: the changed
 * records in the order of their notes.
 *
 * @param place of the records, if others are changed too
 */
export function noteParts(
  layout: Layout,
  { events, history, eventTable, historyTable, entry, isProvisional }: NotedTables,
  place?: NotePlace,
): Sql[] {
  const { suffix = '' } = place ?? {}
  const parts: Sql[] = []
  if (eventTable !== undefined && events.length > 0) {
    const rows = isProvisional ? events.map(withoutProvisionalId) : events
    const data = (rest: Sql) => sql`${literal('{"id":')} || "ids"."id" || ${rest}`
    parts.push(
      ...insertNotes(layout, `events${suffix}`, eventTable, rows, isProvisional ? new Map([['data', data]]) : new Map(), place),
    )
  }
  if (historyTable !== undefined && history.length > 0)
    parts.push(...insertNotes(layout, `history${suffix}`, historyTable, history, new Map(), place))
  if (entry !== undefined) parts.push(logPart(layout, entry))
  return parts
}

/** The part that stores an entry of the log, whose records are those of the part `"ids"`. */
export const logPart = (layout: Layout, entry: LogEntry): Sql => sql`"logged" as (${insertEntryWithIds(layout, entry)})`

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
  computed: ReadonlyMap<string, (given: Sql) => Sql>,
  place: NotePlace | undefined,
): Sql[] {
  const table = layout.of(tableName)
  const given = table.columns.filter(
    ({ field: { name: field }, default: value }) =>
      field !== 'record_id' && (value !== undefined || rows.some((row) => (row[field] ?? null) !== null)),
  )
  const values = given.map((column) =>
    inputOf(
      column,
      rows.map((row) => row[column.field.name] ?? null),
    ),
  )
  const flags = table.links.filter(({ field }) => (rows[0]?.[field.name] ?? null) !== null)
  const names = [sql`"record_id"`, ...given.map((column) => column.sql), ...flags.map(({ flag }) => flag)]
  const isSingle = rows.length === 1 && place === undefined
  const sqlOf = ({ name: column, type, values: [value = null] }: InputColumn): Sql =>
    isSingle ? sql`${value}::${keyword(type)}` : sql`"i".${column}`
  const selected = [
    sql`"ids"."id"`,
    ...values.map((column, index) => {
      const compute = computed.get(given[index]?.field.name ?? '')
      return compute === undefined ? sqlOf(column) : compute(sqlOf(column))
    }),
    ...flags.map(() => sql`true`),
  ]
  const positions = positionsFrom(place?.start ?? 0, rows)
  const source = isSingle
    ? sql`"ids"`
    : sql`"ids" join (${input([positions, ...values])}) "i" on "i".${POSITION} = "ids"."n" order by "ids"."n"`
  const links = flags.map(({ field, table: linkTable }, index) => {
    const targets = (rows[0]?.[field.name] ?? []) as readonly number[]
    const target = layout.of(field.relation.target).table
    // Another process may have removed a receiver of events meanwhile.
    return sql`${identifier(`${name}_links_${index}`)} as (
      insert into ${linkTable} ("owner", "target", "position")
      select ${identifier(name)}."id", "u"."target", "u"."position" from ${identifier(name)}, (${targetRows(targets)}) "u" ("target", "position")
      where exists (select from ${target} where "id" = "u"."target"))`
  })
  return [
    sql`${identifier(name)} as (insert into ${table.table} (${joined(names)})
      select ${joined(selected)} from ${source} returning "id", "record_id")`,
    ...links,
  ]
}

/** The positions of some ids. PostgreSQL plans a single one faster. */
function targetRows(targets: readonly number[]): Sql {
  const [only, ...more] = targets
  if (only !== undefined && more.length === 0) return sql`select ${only}::bigint, 0`
  return sql`select "target", "position" - 1 from unnest(${targets}::bigint[]) with ordinality "t" ("target", "position")`
}

/** The ids that a statement has given: to records by position from 0, to their events and history entries by the record's id. */
export interface GivenIds {
  readonly records: readonly number[]
  readonly events: ReadonlyMap<number, number>
  readonly history: ReadonlyMap<number, number>
  /** The version of the rows. */
  readonly version: string
}

/**
 * The end of a statement with notes, whose rows `readIds` reads.
 *
 * @param all the notes of each table, with the suffix of their parts
 */
export function selectIds(all: readonly (Notes & { readonly suffix?: string })[]): Sql {
  const record = sql`select 0, "n", "id", pg_current_xact_id()::xid from "ids"`
  const notes = (number: number, name: string) =>
    sql`select ${keyword(String(number))}, "record_id", "id", null::xid from ${identifier(name)}`
  const parts = all.flatMap(({ events, history, suffix = '' }, index) => [
    ...(events.length > 0 ? [notes(2 * index + 1, `events${suffix}`)] : []),
    ...(history.length > 0 ? [notes(2 * index + 2, `history${suffix}`)] : []),
  ])
  return joined([record, ...parts], ' union all ')
}

/**
 * @param index of the notes to read, in the list that `selectIds` had
 * @returns undefined if the statement has changed nothing
 */
export function readIds(rows: readonly (readonly (string | null)[])[], index = 0): GivenIds | undefined {
  const records: number[] = []
  const [events, history] = [new Map<number, number>(), new Map<number, number>()]
  let version = ''
  for (const [kind, key, id, xid] of rows) {
    if (kind === '0') {
      records[Number(key) - 1] = Number(id)
      version = xid ?? ''
    } else if (Number(kind) === 2 * index + 1) events.set(Number(key), Number(id))
    else if (Number(kind) === 2 * index + 2) history.set(Number(key), Number(id))
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
      return [
        { table: name, id, before: undefined, after: completeRecord(layout.of(name), { ...row, ...own, id, record_id: record }) },
      ]
    })
  return [...made(notes.eventTable, notes.events, ids.events), ...made(notes.historyTable, notes.history, ids.history)]
}

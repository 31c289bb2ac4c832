import type { Json, JsonObject } from '../../../util/json.ts'
import { type Change, isSameValue, type Operation, referencesOf, type StoredRecord } from '../../store.ts'
import type { FieldColumn, LinkTable } from '../layout/column.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { insertEntry, type LogEntry } from '../shared/stored-change-log.ts'
import { EMPTY, identifier, joined, keyword, parameterText, type Sql, sql } from '../sql.ts'

/** A record that a transaction changes. */
interface Update {
  readonly before: StoredRecord
  readonly after: StoredRecord
}

/** What a transaction stores besides its changes, or among them. */
interface WriteNotes {
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
  const all = inputsOf(table, records)
  return [
    sql`insert into ${table.table} (${joined(all.map(({ name }) => name))}) ${input(all)}`,
    ...table.links.flatMap((link) =>
      insertLinks(
        link,
        records.flatMap((record) => linkRows(record, link)),
        areEvents ? layout.of(link.field.relation.target).table : undefined,
      ),
    ),
  ]
}

/** The values of all columns of records: the id first, the flags of links last. */
export const inputsOf = (table: TableLayout, records: readonly StoredRecord[]): InputColumn[] => [
  ...table.columns.map((column) => inputOf(column, valuesOf(records, column.field.name))),
  ...table.links.map((link) => flagOf(link, records)),
]

/** Whether each record has links, which an empty list is told from null by. */
const flagOf = ({ flag, field }: LinkTable, records: readonly StoredRecord[]): InputColumn => ({
  name: flag,
  type: 'boolean',
  values: records.map((record) => ((record[field.name] ?? null) === null ? null : true)),
})

/** Updates the columns that differ in at least one record. */
function updatesOf(table: TableLayout, updates: readonly Update[]): Sql[] {
  const columns = table.columns.filter(({ field: { name } }) => updates.some((update) => differs(update, name)))
  const links = table.links.filter(({ field: { name } }) => updates.some((update) => differs(update, name)))
  if (columns.length === 0 && links.length === 0) return []
  const after = updates.map((update) => update.after)
  // Setting the flag also gives the row a new version if only links change.
  const set = [
    ...columns.map((column) => inputOf(column, valuesOf(after, column.field.name))),
    ...links.map((link) => flagOf(link, after)),
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

/** True if an update changes a field. */
export const differs = ({ before, after }: Update, field: string): boolean =>
  !isSameValue(before[field] ?? null, after[field] ?? null)

/** A row of a link table. */
interface LinkRow {
  readonly owner: number
  readonly target: number
  readonly position: number
}

/** The rows for the links of a record. */
export const linkRows = (record: StoredRecord, { field }: LinkTable): LinkRow[] =>
  [...new Set(referencesOf(record, field.name))].map((target, position) => ({ owner: record.id, target, position }))

/**
 * Inserts links, or gives existing ones another position.
 *
 * @param existing the table of the targets, if links to records that do not exist are to be left out
 */
function insertLinks({ table }: LinkTable, rows: readonly LinkRow[], existing?: Sql): Sql[] {
  if (rows.length === 0) return []
  const owners = rows.map(({ owner }) => owner)
  const targets = rows.map(({ target }) => target)
  const positions = rows.map(({ position }) => position)
  return [
    sql`insert into ${table} ("owner", "target", "position")
      select * from unnest(${owners}::bigint[], ${targets}::bigint[], ${positions}::integer[]) "u" ("owner", "target", "position")
      ${existing === undefined ? EMPTY : sql`where exists (select from ${existing} where "id" = "u"."target")`}
      on conflict ("owner", "target") do update set "position" = excluded."position"`,
  ]
}

/**
 * Replaces the links of records by the difference: a link that stays is not deleted, since one statement does not delete and insert the
 * same row in a certain order. Positions may have gaps.
 */
function linkDifferences(
  link: LinkTable,
  updates: readonly { readonly before: StoredRecord; readonly after: StoredRecord }[],
): Sql[] {
  const [gone, placed]: [LinkRow[], LinkRow[]] = [[], []]
  for (const { before, after } of updates) {
    const [former, rows] = [linkRows(before, link), linkRows(after, link)]
    const kept = new Set(rows.map(({ target }) => target))
    const staying = former.filter(({ target }) => kept.has(target))
    gone.push(...former.filter(({ target }) => !kept.has(target)))
    const areInPlace = staying.length === rows.length && rows.every(({ target }, index) => staying[index]?.target === target)
    if (!areInPlace) placed.push(...rows)
  }
  return [...deleteLinks(link, gone), ...insertLinks(link, placed)]
}

function deleteLinks({ table }: LinkTable, rows: readonly LinkRow[]): Sql[] {
  if (rows.length === 0) return []
  const owners = rows.map(({ owner }) => owner)
  const targets = rows.map(({ target }) => target)
  return [
    sql`delete from ${table} "l" using unnest(${owners}::bigint[], ${targets}::bigint[]) "u" ("owner", "target")
      where "l"."owner" = "u"."owner" and "l"."target" = "u"."target"`,
  ]
}

/** A column of rows that a statement gets as parameters. */
export interface InputColumn {
  /** Quoted name. */
  readonly name: Sql
  /** The type of the values. */
  readonly type: string
  /** The value of each row. */
  readonly values: readonly (string | number | boolean | null)[]
  /** True if a row that is inserted without the column has another value than null. */
  readonly hasDefault?: boolean
}

/** The name of a column with the numbers of the rows. No field has a name that begins with an underscore. */
export const POSITION = identifier('_position')

/** The values of a table's column, one for each row. */
export const inputOf = (column: FieldColumn, values: readonly Json[]): InputColumn => ({
  name: column.sql,
  type: column.type,
  values: values.map((value) => parameterText(column.toParameter(value))),
  hasDefault: column.default !== undefined,
})

/** A query that returns the rows of some columns: one parameter a column, however many rows there are. */
export function input(columns: readonly InputColumn[]): Sql {
  const names = columns.map((_, index) => identifier(`i${index}`))
  const only = columns[0]?.values.length === 1
  if (only) {
    return sql`select ${joined(columns.map(({ name, type, values }) => sql`${values[0] ?? null}::${keyword(type)} as ${name}`))}`
  }
  const selected = columns.map(({ name, type }, index) => {
    const value = sql`"i".${names[index] ?? name}`
    return isArray(type) ? sql`${value}::${keyword(type)} as ${name}` : sql`${value} as ${name}`
  })
  return sql`select ${joined(selected)} from unnest(${joined(columns.map(list))}) as "i" (${joined(names)})`
}

// An array of arrays must be rectangular, so that arrays are passed as texts.
const isArray = (type: string): boolean => type.endsWith('[]')

const list = ({ type, values }: InputColumn): Sql => sql`${values}::${keyword(isArray(type) ? 'text[]' : `${type}[]`)}`

/** A parameter with one value of a column for each row, for `unnest`. */
export const listParameter = (column: FieldColumn, values: readonly Json[]): Sql => list(inputOf(column, values))

/**
 * Maximum number of rows that one statement of a large transaction reads or stores. So its parameters stay small, and it ends long before the
 * statement timeout, however many records the transaction has.
 */
export const MAX_ROWS = 1000

/** Parts of a list, in order, of at most `MAX_ROWS` elements. */
export function* slicesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += MAX_ROWS) yield all.slice(start, start + MAX_ROWS)
}

/**
 * The operation with its values as the database returns them: canonical, and an insert with all fields in the order of the model. So a
 * record as a transaction leaves it equals the record that is read afterwards.
 */
export function inStoredForm(operation: Operation, layout: Layout): Operation {
  if (operation.kind === 'remove' || operation.kind === 'assert') return operation
  const table = layout.of(operation.table)
  const { values } = operation
  return { ...operation, values: operation.kind === 'insert' ? allFields(table, values) : givenFields(table, values) }
}

/** The values of an insert: all fields but the id; null where none is given. */
function allFields({ model }: TableLayout, given: JsonObject): JsonObject {
  const values: Record<string, Json> = {}
  for (const { name, type } of model.fields.values()) {
    if (name !== 'id') values[name] = canonical(type, given[name] ?? null)
  }
  return values
}

/** The values of an update. Members that are no fields have no column. */
function givenFields({ model }: TableLayout, given: JsonObject): JsonObject {
  const values: Record<string, Json> = {}
  for (const [name, value] of Object.entries(given)) {
    const field = model.fields.get(name)
    if (field !== undefined && name !== 'id') values[name] = canonical(field.type, value)
  }
  return values
}

/** An invalid value stays as it is; the transaction reports it. */
function canonical(type: TableLayout['columns'][number]['field']['type'], value: Json): Json {
  if (value === null || type.secret) return value
  const reading = type.read(value)
  return reading.ok ? reading.value : value
}

/** A record with all fields of its model in their order, as the database returns it. */
export const completeRecord = (table: TableLayout, record: StoredRecord): StoredRecord =>
  Object.freeze({ id: record.id, ...allFields(table, record) })

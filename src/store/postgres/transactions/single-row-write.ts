import type { Change, Operation, Outcome, StoredRecord } from '../../store.ts'
import { brokenFields } from '../../transaction/field-constraints.ts'
import type { Connection } from '../connection/database.ts'
import { type Layout, rememberRowVersion, rowVersionOf, type TableLayout } from '../layout/layout.ts'
import { logEntryOf } from '../shared/logged-changes.ts'
import { joined, keyword, type Sql, sql } from '../sql.ts'
import type { Work } from './general-transaction.ts'
import { preconditions } from './preconditions.ts'
import { type NotedTables, noteChanges, noteParts, notesOf, readIds, selectIds } from './side-records.ts'
import { differs } from './statements.ts'

type Expecting = Exclude<Operation, { kind: 'insert' }> & { readonly expect: StoredRecord }

/**
 * The update or removal of one record whose present version is known: that of the row from which `expect` was read. One statement changes
 * the row if it still has this version, and stores the notes.
 */
export class SingleRowWrite {
  readonly #layout: Layout
  readonly #table: TableLayout
  readonly #before: StoredRecord
  readonly #after: StoredRecord | undefined
  /** The parts of the statement that change the row; `"changed"` returns its id. */
  readonly #parts: readonly Sql[]
  readonly #notes: NotedTables

  private constructor(
    layout: Layout,
    change: Change & { readonly before: StoredRecord },
    parts: readonly Sql[],
    notes: NotedTables,
  ) {
    this.#layout = layout
    this.#table = layout.of(change.table)
    this.#before = change.before
    this.#after = change.after
    this.#parts = parts
    this.#notes = notes
  }

  /** The change that a transaction consists of; undefined for another transaction, and for one that is certain to be refused. */
  static of(layout: Layout, { operations, notes, origin }: Work): SingleRowWrite | undefined {
    const [operation] = operations
    if (operation === undefined || operations.length > 1 || !isExpecting(operation)) return undefined
    const table = layout.of(operation.table)
    const version = rowVersionOf(operation.expect)
    if (version === undefined || operation.expect.id !== operation.id) return undefined
    const { expect: before, id } = operation
    const after = operation.kind === 'update' ? Object.freeze({ ...before, ...operation.values, id }) : undefined
    const isSame = sql`"r"."id" = ${id}::bigint and "r".xmin = ${version}::xid`
    const parts = after === undefined ? removal(layout, table, id, isSame) : update(layout, table, { before, after }, isSame)
    if (parts === undefined) return undefined
    const change = { table: operation.table, id, before, after }
    return new SingleRowWrite(layout, change, parts, {
      ...notesOf(layout, [change], operations, [before], notes),
      eventTable: notes?.events?.table,
      historyTable: notes?.history?.table,
      entry: logEntryOf(layout, origin, [change]),
      isProvisional: false,
    })
  }

  /** @returns undefined if the row has another version; then nothing is changed */
  async run(connection: Connection): Promise<Outcome | undefined> {
    const { id } = this.#before
    const ids = sql`"ids" as (select 1::bigint as "n", "id" from "changed")`
    const parts = [...this.#parts, ids, ...noteParts(this.#layout, this.#notes)]
    const { rows } = await connection.query(sql`with ${joined(parts)} ${selectIds(this.#notes)}`, { isRepeated: false })
    const given = readIds(rows)
    if (given === undefined) return undefined
    const change = { table: this.#table.model.key, id, before: this.#before, after: this.#after }
    const changes: Change[] = [change, ...noteChanges(this.#layout, given, [id], this.#notes)]
    for (const { after } of changes) if (after !== undefined) rememberRowVersion(after, given.version)
    return { ok: true, records: [this.#after ?? this.#before], changes }
  }
}

const isExpecting = (operation: Operation): operation is Expecting =>
  operation.kind !== 'insert' && operation.expect !== undefined && operation.allowed === undefined

/** @returns undefined for an update of links or of nothing, which are rare, and for one that is certain to be refused */
function update(
  layout: Layout,
  table: TableLayout,
  change: { readonly before: StoredRecord; readonly after: StoredRecord },
  isSame: Sql,
): Sql[] | undefined {
  if (table.links.some(({ field }) => differs(change, field.name))) return undefined
  const columns = table.columns.filter(({ field }) => differs(change, field.name))
  if (columns.length === 0 || brokenFields(table.model, change.after, change.before).length > 0) return undefined
  const names = new Set(columns.map(({ field }) => field.name))
  const condition = preconditions(layout, table, [change.after], (name) => names.has(name))
  if (condition === undefined) return undefined
  const assignments = columns.map((column) => {
    const value = column.toParameter(change.after[column.field.name] ?? null)
    return sql`${column.sql} = ${value}::${keyword(column.type)}`
  })
  return [
    sql`"changed" as (update ${table.table} "r" set ${joined(assignments)}
      where ${isSame} and ${condition} returning "r"."id")`,
  ]
}

/**
 * @returns undefined if the removal could change other records: the database would do that without the events of those changes. Referrers
 * that forbid a removal are found by the constraints too
 */
function removal(layout: Layout, table: TableLayout, id: number, isSame: Sql): Sql[] | undefined {
  const referrers = layout.registry.referrersOf(table.model.key)
  if (referrers.some(({ field: { relation } }) => relation.kind === 'many' || relation.onDelete !== 'restrict')) return undefined
  const unused = referrers.map(({ model, field }) => {
    const referrer = layout.of(model.key)
    return sql`not exists (select from ${referrer.table} where ${referrer.expectColumn(field.name).sql} = ${id}::bigint)`
  })
  return [sql`"changed" as (delete from ${table.table} "r" where ${joined([isSame, ...unused], ' and ')} returning "r"."id")`]
}

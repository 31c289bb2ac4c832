import type { Change, Operation, Outcome, StoredRecord } from '../../store.ts'
import { brokenFields } from '../../transaction/field-constraints.ts'
import { movesFiles } from '../../transaction/file-moves.ts'
import type { Connection } from '../connection/database.ts'
import { type Layout, rememberRowVersion, rowVersionOf, type TableLayout } from '../layout/layout.ts'
import { logEntryOf } from '../shared/stored-change-log.ts'
import { joined, keyword, type Sql, sql } from '../sql.ts'
import type { Work } from './general-transaction.ts'
import { preconditions } from './owners.ts'
import { noteChanges, noteParts, notesOf, readIds, selectIds } from './side-records.ts'
import { differs } from './statements.ts'

type Expecting = Exclude<Operation, { kind: 'insert' | 'assert' }> & { readonly expect: StoredRecord }

/**
 * Updates or removes one record whose present version is known: that of the row from which `expect` was read. One statement changes the row
 * if it still has this version, and stores the notes.
 *
 * @returns undefined if the row has another version, for another transaction, and for one that is certain to be refused; then nothing is changed
 */
export async function writeSingleRow(
  connection: Connection,
  layout: Layout,
  { operations, notes, origin }: Work,
): Promise<Outcome | undefined> {
  const [operation] = operations
  if (operation === undefined || operations.length > 1 || !isExpecting(operation)) return undefined
  const table = layout.of(operation.table)
  const { expect: before, id } = operation
  const version = rowVersionOf(before)
  if (version === undefined || before.id !== id) return undefined
  const after = operation.kind === 'update' ? Object.freeze({ ...before, ...operation.values, id }) : undefined
  if (layout.registry.withFiles.includes(table.model) && movesFiles(table.model, before, after)) return undefined
  const isSame = sql`"r"."id" = ${id}::bigint and "r".xmin = ${version}::xid`
  const changed = after === undefined ? removal(layout, table, id, isSame) : update(layout, table, { before, after }, isSame)
  if (changed === undefined) return undefined
  const change = { table: operation.table, id, before, after }
  const noted = {
    ...notesOf(layout, [change], operations, [before], notes),
    eventTable: notes?.events?.table,
    historyTable: notes?.history?.table,
    entry: logEntryOf(layout, origin, [change]),
    isProvisional: false,
  }
  const ids = sql`"ids" as (select 1::bigint as "n", "id" from "changed")`
  const parts = [changed, ids, ...noteParts(layout, noted)]
  const { rows } = await connection.query(sql`with ${joined(parts)} ${selectIds([noted])}`, { isRepeated: false })
  const given = readIds(rows)
  if (given === undefined) return undefined
  const changes: Change[] = [change, ...noteChanges(layout, given, [id], noted)]
  for (const each of changes) if (each.after !== undefined) rememberRowVersion(each.after, given.version)
  return { ok: true, records: [after ?? before], changes }
}

const isExpecting = (operation: Operation): operation is Expecting =>
  operation.kind !== 'insert' && operation.kind !== 'assert' && operation.expect !== undefined && operation.allowed === undefined

/** The part `"changed"` of the statement, which returns the id of the row. @returns undefined for an update of links or of nothing, which are rare, and for one that is certain to be refused */
function update(
  layout: Layout,
  table: TableLayout,
  change: { readonly before: StoredRecord; readonly after: StoredRecord },
  isSame: Sql,
): Sql | undefined {
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
  return sql`"changed" as (update ${table.table} "r" set ${joined(assignments)}
      where ${isSame} and ${condition} returning "r"."id")`
}

/**
 * @returns undefined if the removal could change other records: the database would do that without the events of those changes. Referrers
 * that forbid a removal are found by the constraints too
 */
function removal(layout: Layout, table: TableLayout, id: number, isSame: Sql): Sql | undefined {
  const referrers = layout.registry.referrersOf(table.model.key)
  if (referrers.some(({ field: { relation } }) => relation.kind === 'many' || relation.onDelete !== 'restrict')) return undefined
  const unused = referrers.map(({ model, field }) => {
    const referrer = layout.of(model.key)
    return sql`not exists (select from ${referrer.table} where ${referrer.expectColumn(field.name).sql} = ${id}::bigint)`
  })
  return sql`"changed" as (delete from ${table.table} "r" where ${joined([isSame, ...unused], ' and ')} returning "r"."id")`
}

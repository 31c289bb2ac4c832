import type { Registry } from '../../../model/registry.ts'
import { relationFilters } from '../../../query/plan.ts'
import { type Operation, referencesOf, type SideRecords } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { joined, type Sql, sql } from '../sql.ts'
import type { LoadedTables } from './loaded-tables.ts'

/**
 * Adds the records that cascades will probably remove, however deep, as needs: found by one query, in place of a load for each level.
 * They are found without locks; missing records are loaded when the transaction asks for them.
 */
export async function addCascades(connection: Connection, tables: LoadedTables, operations: readonly Operation[]): Promise<void> {
  const { layout } = tables
  const removals = operations.filter(({ kind, table }) => kind === 'remove' && isDeep(layout.registry, table))
  const names = [
    ...reachable(
      layout.registry,
      removals.map(({ table }) => table),
    ),
  ]
  if (names.length === 0) return
  const { rows } = await connection.query(closure(layout, names, removals))
  for (const [number, text] of rows) {
    const name = names[Number(number)]
    if (name === undefined) continue
    const id = Number(text)
    tables.get(name).need(id, 'remove')
    for (const { model, field } of layout.registry.referrersOf(name)) tables.get(model.key).needs.addReferrers(field.name, id)
  }
}

/** Relation fields through which a removal removes the referrers. */
const cascading = (registry: Registry, table: string) =>
  registry.referrersOf(table).filter(({ field: { relation } }) => relation.kind === 'one' && relation.onDelete === 'cascade')

/** True if a removal may remove records to which others refer. */
const isDeep = (registry: Registry, table: string): boolean =>
  cascading(registry, table).some(({ model }) => registry.referrersOf(model.key).length > 0)

function reachable(registry: Registry, tables: readonly string[]): Set<string> {
  const names = new Set(tables)
  for (const name of names) for (const { model } of cascading(registry, name)) names.add(model.key)
  return names
}

/** @returns rows of the number of the table in `names`, and an id */
function closure(layout: Layout, names: readonly string[], removals: readonly Operation[]): Sql {
  const numbers = removals.map(({ table }) => names.indexOf(table))
  const ids = removals.map((operation) => (operation.kind === 'remove' && Number.isSafeInteger(operation.id) ? operation.id : 0))
  const steps = names.flatMap((name, number) =>
    cascading(layout.registry, name).map(({ model, field }) => {
      const { table } = layout.of(model.key)
      const { sql: column } = layout.of(model.key).expectColumn(field.name)
      return sql`select ${names.indexOf(model.key)}::integer, "r"."id" from ${table} "r"
        where "gone"."number" = ${number} and "r".${column} = "gone"."id"`
    }),
  )
  return sql`with recursive "gone" ("number", "id") as (
    select * from unnest(${numbers}::integer[], ${ids}::bigint[])
    union
    select "next".* from "gone", lateral (${joined(steps, ' union all ')}) "next" ("number", "id")
  ) select "number", "id" from "gone"`
}

/** Adds what operations are certain to need, so that it is loaded at once: the named records, referenced records, unique values. */
export function predictNeeds(tables: LoadedTables, operations: readonly Operation[]): void {
  // A condition may read the values of a referenced record, which must then stay as they are.
  const readsRelated = operations.some(({ allowed }) => allowed !== undefined && relationFilters([allowed]).length > 0)
  for (const operation of operations) {
    const table = tables.get(operation.table)
    if (operation.kind === 'remove') {
      table.need(operation.id, 'remove')
      continue
    }
    if (operation.id !== undefined) table.need(operation.id, 'update')
    const { values } = operation
    for (const { name, keyOf } of table.model.uniqueKeys) {
      const key = keyOf(values)
      if (key !== null) table.ownerOf(name, key)
    }
    for (const { name, relation } of table.model.relations.values()) {
      for (const id of referencesOf(values, name)) tables.get(relation.target).need(id, readsRelated ? 'share' : 'key share')
    }
  }
}

/** The tables in which operations and their notes may create records. */
export function tablesOfNewRecords(operations: readonly Operation[], { events, history }: SideRecords = {}): string[] {
  const tables = operations.flatMap(({ kind, table }) => (kind === 'insert' ? [table] : []))
  return [
    ...new Set([...tables, ...(events === undefined ? [] : [events.table]), ...(history === undefined ? [] : [history.table])]),
  ]
}

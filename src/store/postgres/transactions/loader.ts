import { FILE_TABLE, rowsOfFiles } from '../../../model/files.ts'
import type { Registry } from '../../../model/registry.ts'
import { relationFilters } from '../../../query/plan.ts'
import type { Json } from '../../../util/json.ts'
import { type Operation, referencesOf, type SideRecords, type StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, joined, type Sql, sql } from '../sql.ts'
import type { LoadedTable, LoadedTables, Lock } from './loaded-tables.ts'
import { ownersQuery } from './owners.ts'
import { slicesOf } from './statements.ts'

const R = identifier('r')

const LOCKS: Readonly<Record<Lock, Sql>> = {
  'key share': sql`for key share of ${R}`,
  share: sql`for share of ${R}`,
  update: sql`for no key update of ${R}`,
  remove: sql`for update of ${R}`,
}

/** Loads what transactions need. With locks, no other transaction changes what is loaded until this one ends. */
export class Loader {
  readonly #connection: Connection
  readonly #locks: boolean

  /** @param locks false in a read-only transaction, which reads a snapshot instead */
  constructor(connection: Connection, locks: boolean) {
    this.#connection = connection
    this.#locks = locks
  }

  /** Loads all present needs: records in the order of tables and ids, then what depends on them. */
  async load(tables: LoadedTables): Promise<void> {
    const needing = tables.needing()
    for (const table of needing) {
      for (const [lock, ids] of table.needs.records) {
        for (const slice of slicesOf(inOrder(ids))) await this.#loadRecords(table, slice, lock)
      }
    }
    for (const table of needing) {
      for (const [field, targets] of table.needs.referrers) {
        for (const slice of slicesOf(inOrder(targets))) await this.#loadReferrers(table, field, slice)
      }
      if (table.needs.owners.size > 0) await this.#loadOwners(table)
      table.needs.clear()
    }
  }

  /** Locks records of a table that are to be changed, in the order of their ids, and returns those that exist. */
  async lock(layout: TableLayout, ids: readonly number[]): Promise<readonly StoredRecord[]> {
    const records: StoredRecord[] = []
    for (const slice of slicesOf(inOrder(new Set(ids)))) records.push(...(await this.#read({ layout }, byId(slice), 'update')))
    return records
  }

  async #loadRecords(table: LoadedTable, ids: readonly number[], lock: Lock): Promise<void> {
    if (lock === 'key share') {
      const { rows } = await this.#connection.query(sql`select "r"."id" ${this.#those(table, byId(ids), lock)}`)
      const found = rows.map(([id]) => Object.freeze({ id: Number(id) }))
      return table.addRecords(ids, found)
    }
    table.addRecords(ids, await this.#read(table, byId(ids), lock))
  }

  async #loadReferrers(table: LoadedTable, field: string, targets: readonly number[]): Promise<void> {
    const { layout } = table
    const relation = layout.model.fields.get(field)?.relation
    const column = layout.column(field)
    if (column !== undefined && relation?.onDelete === 'restrict') {
      const { rows } = await this.#connection.query(
        sql`select ${column.sql}, count(*) from ${layout.table} where ${column.sql} = any(${targets}::bigint[]) group by 1`,
      )
      return table.addReferrers(field, targets, new Map(rows.map(([target, count]) => [Number(target), Number(count)])))
    }
    const link = layout.link(field)
    const refers =
      column === undefined
        ? sql`"r"."id" in (select "owner" from ${link?.table ?? layout.table} where "target" = any(${targets}::bigint[]))`
        : sql`"r".${column.sql} = any(${targets}::bigint[])`
    const found = await this.#read(
      table,
      refers,
      relation?.kind === 'one' && relation.onDelete === 'cascade' ? 'remove' : 'update',
    )
    table.addRecords([], found)
    table.addReferrers(field, targets, new Map())
  }

  async #read(table: Pick<LoadedTable, 'layout'>, condition: Sql, lock: Lock): Promise<StoredRecord[]> {
    const { layout } = table
    if (!this.#locks || layout.links.length === 0) {
      const { rows } = await this.#connection.query(sql`select ${layout.selectList(R)} ${this.#those(table, condition, lock)}`)
      return rows.map((row) => layout.read(row))
    }
    // A row that another transaction has just changed is locked in its new version, but its links would be read in their old one.
    const { rows: locked } = await this.#connection.query(sql`select "r"."id" ${this.#those(table, condition, lock)}`)
    if (locked.length === 0) return []
    const ids = locked.map(([id]) => Number(id))
    const { rows } = await this.#connection.query(sql`select ${layout.selectList(R)} from ${layout.table} "r" where ${byId(ids)}`)
    return rows.map((row) => layout.read(row))
  }

  #those({ layout }: Pick<LoadedTable, 'layout'>, condition: Sql, lock: Lock): Sql {
    const rows = sql`from ${layout.table} "r" where ${condition} order by "r"."id"`
    return this.#locks ? sql`${rows} ${LOCKS[lock]}` : rows
  }

  async #loadOwners(table: LoadedTable): Promise<void> {
    const slices = [...table.needs.owners].map(([field, values]) => ({ field, slices: [...slicesOf([...values])] }))
    const rounds = Math.max(...slices.map((each) => each.slices.length))
    for (let round = 0; round < rounds; round++) {
      await this.#loadOwnersOf(
        table,
        slices.flatMap(({ field, slices: { [round]: values } }) => (values === undefined ? [] : [{ field, values }])),
      )
    }
  }

  async #loadOwnersOf(table: LoadedTable, needs: readonly { field: string; values: readonly Json[] }[]): Promise<void> {
    const queries = needs.map(({ field, values }, index) => ownersQuery(table.layout, field, values, index))
    const { rows } = await this.#connection.query(joined(queries, ' union all '))
    for (const [index, { field, values }] of needs.entries()) {
      const found = new Map<Json, number>()
      for (const [need, position, id] of rows) {
        const value = Number(need) === index ? values[Number(position) - 1] : undefined
        if (value !== undefined) found.set(value, Number(id))
      }
      table.addOwners(field, values, found)
    }
  }
}

const inOrder = (ids: Iterable<number>): number[] => [...ids].sort((one, other) => one - other)

const byId = (ids: readonly number[]): Sql => sql`"r"."id" = any(${ids}::bigint[])`

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
  const { layout } = tables
  // A condition may read the values of a referenced record, which must then stay as they are.
  const readsRelated = operations.some(({ allowed }) => allowed !== undefined && relationFilters([allowed]).length > 0)
  for (const operation of operations) {
    const table = tables.get(operation.table)
    if (operation.kind === 'remove') {
      table.need(operation.id, 'remove')
      continue
    }
    if (operation.kind === 'assert') {
      table.need(operation.id, 'share')
      continue
    }
    if (operation.id !== undefined) table.need(operation.id, 'update')
    const { values } = operation
    // An update locks its record first, as a removal does.
    if (operation.kind === 'insert' && layout.registry.withFiles.includes(table.model)) {
      for (const row of rowsOfFiles(table.model.fileFields, values)) tables.get(FILE_TABLE).need(row, 'update')
    }
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

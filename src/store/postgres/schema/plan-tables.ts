import { SYSTEM_PREFIX } from '../layout/column.ts'
import { counterRows, countersTable, countFunction, countRows, countTriggerNames, countTriggers } from '../layout/counters.ts'
import type { ColumnDefinition, SystemObject, TableDefinition } from '../layout/definitions.ts'
import type { Layout } from '../layout/layout.ts'
import { searchObjects } from '../search/search-tables.ts'
import { leasesTable } from '../shared/leases.ts'
import { callersTable, lockoutsTable, requestsTable } from '../shared/limits.ts'
import { changesTable, readersTable } from '../shared/stored-change-log.ts'
import { identifier, joined, keyword, literal, type Sql, sql } from '../sql.ts'
import { type CatalogTable, definitionsTable, emptyTable, type RecordedState } from './catalog.ts'
import type { PlanDraft } from './plan-draft.ts'
import { migrationStatements, type StoreVersion } from './store-migrations.ts'

/** Tables from this size on get their indexes after the other steps, while they can be written to. In bytes. */
const LARGE_TABLE = 32 << 20

/** Plans the schema, and the tables and functions that belong to no model. */
export function planSystem(draft: PlanDraft, state: RecordedState | undefined, { missing, isLater }: StoreVersion): void {
  const { layout, catalog } = draft
  const objects = systemObjects(layout)
  const tables = objects.filter(({ kind, name }) => kind === 'table' && !catalog.tables.has(name))
  // A later release may have replaced functions.
  const isCurrent = (name: string, create: Sql) =>
    catalog.functions.has(name) && (isLater || state?.functions[name] === create.compile().text)
  const functions = objects.filter(({ kind, name, create }) => kind === 'function' && !isCurrent(name, create))
  const statements = [
    ...(catalog.hasSchema ? [] : [sql`create schema ${identifier(layout.schema)}`]),
    ...tables.flatMap(({ create, indexes = [] }) => [create, ...indexes]),
    ...functions.map(({ create }) => create),
  ]
  const reason =
    tables.length > 0 ? 'The store needs tables of its own' : 'The functions of the store are not those of this version'
  if (statements.length > 0) draft.add('system', { class: 'additive', reason, statements })
  for (const migration of missing) {
    draft.add('system', {
      class: 'additive',
      reason: `Migration ${migration.number} of the store: ${migration.reason}`,
      statements: migrationStatements(layout, migration),
      ...(migration.isBreaking && catalog.hasSchema && { breaks: 'names' as const }),
    })
  }
}

/** Plans a table that does not exist. */
export function planNewTable(draft: PlanDraft, definition: TableDefinition): CatalogTable {
  const { table, columns, constraints, model, holds, name } = definition
  const parts = [
    ...columns.map(declaration),
    ...constraints.map((each) => sql`constraint ${identifier(each.name)} ${each.definition}`),
  ]
  const statements = [sql`create table ${table} (${joined(parts)})`]
  if (holds === 'records') statements.push(counterRows(draft.layout, model))
  const what = holds === 'records' ? `The model '${model}' is new` : `A many-to-many field of '${model}' is new`
  draft.add('create', { class: 'additive', reason: what, statements })
  const created = emptyTable('')
  for (const { name: column, isRequired, default: value } of columns)
    created.columns.set(column, { actual: '', type: '', isRequired, hasDefault: value !== undefined, comment: '' })
  for (const each of constraints) created.constraints.set(each.name, '')
  draft.catalog.tables.set(name, created)
  return created
}

const declaration = ({ name, type, isRequired, default: value }: ColumnDefinition): Sql =>
  sql`${identifier(name)} ${type}${isRequired ? sql` not null` : sql``}${value === undefined ? sql`` : sql` default ${value}`}`

/** Plans the indexes that a table lacks, or that were not built to their end. */
export function planIndexes(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): void {
  const isLarge = table.bytes >= LARGE_TABLE
  for (const index of definition.indexes) {
    const present = table.indexes.get(index.name)
    if (present?.isValid === true || present?.isBeingBuilt === true) continue
    const name = identifier(index.name)
    const what =
      present === undefined ? `'${definition.model}' lacks the index ${index.name}` : `The index ${index.name} is not complete`
    const drop = present === undefined ? [] : [sql`drop index${isLarge ? sql` concurrently` : sql``} ${draft.table(index.name)}`]
    const create = isLarge
      ? sql`create index concurrently if not exists ${name} on ${definition.table} ${index.definition}`
      : sql`create index ${name} on ${definition.table} ${index.definition}`
    draft.add('index', {
      class: 'additive',
      reason: what,
      statements: [...drop, create],
      ...(isLarge && { isConcurrent: true as const }),
    })
  }
}

/**
 * Plans the comments of a table and its columns: labels and help texts, by which other programs explain them. Comments by other programs stay
 * where the models say nothing.
 */
export function planComments(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): void {
  const recorded = draft.recorded.get(definition.name)
  const isStale = (wanted: string | undefined, present: string, applied: string | undefined) =>
    wanted === undefined ? applied !== undefined && applied === present : wanted !== present
  const set = (what: Sql, comment: string | undefined) =>
    sql`comment on ${what} is ${comment === undefined ? keyword('null') : literal(comment)}`
  const statements = definition.columns.flatMap(({ name, comment }) =>
    isStale(comment, table.columns.get(name)?.comment ?? '', recorded?.columns[name]?.comment)
      ? [set(sql`column ${definition.table}.${identifier(name)}`, comment)]
      : [],
  )
  if (isStale(definition.comment, table.comment, recorded?.comment))
    statements.unshift(set(sql`table ${definition.table}`, definition.comment))
  if (statements.length === 0) return
  const reason = `Comments of the table '${definition.name}' are the labels and help texts of the models`
  draft.comments.push({ phase: 'comment', class: 'additive', reason, statements })
}

/** Plans the triggers that count the rows of a table. */
export function planTriggers(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): void {
  const { layout } = draft
  const present = countTriggerNames.filter((name) => table.triggers.has(name))
  if (present.length === countTriggerNames.length) return
  const statements = [
    ...present.map((name) => sql`drop trigger ${identifier(name)} on ${definition.table}`),
    ...countTriggers(layout, definition),
    ...(table.actual === '' || definition.holds === 'links' ? [] : countRows(layout, definition)),
  ]
  draft.add('trigger', { class: 'additive', reason: `The rows of '${definition.name}' are counted`, statements })
}

/** Plans what becomes of tables that no model has. */
export function planDroppedTables(draft: PlanDraft, definitions: readonly TableDefinition[]): void {
  const wanted = new Set(definitions.map(({ name }) => name))
  for (const [name, recorded] of draft.recorded) {
    if (wanted.has(name)) continue
    const table = draft.catalog.tables.get(name)
    if (table === undefined) {
      draft.recorded.delete(name)
      continue
    }
    const keys = Object.keys(recorded.foreignKeys).filter((key) => table.constraints.has(key))
    if (keys.length > 0) {
      const statements = keys.map((key) => sql`alter table ${draft.table(name)} drop constraint ${identifier(key)}`)
      draft.add('release', { class: 'additive', reason: `'${name}' belongs to no model, so it refers to no other`, statements })
    }
    const statements = dropStatements(draft.layout, name, recorded.model)
    draft.drop(`There is no model for the table '${name}'`, statements, [], recorded.isUnused === true)
    draft.recorded.set(name, { ...recorded, foreignKeys: {}, isUnused: true })
  }
}

/** Drops a table, with the counters of its model if that is gone. */
export function dropStatements(layout: Layout, name: string, model: string): Sql[] {
  const drop = sql`drop table ${identifier(layout.schema, name)}`
  if (layout.registry.all.some(({ key }) => key === model)) return [drop]
  return [drop, sql`delete from ${layout.system('counters')} where "table_name" = ${literal(model)}`]
}

/** Plans what becomes of columns that no field has. Returns the columns that are kept, unused. */
export function planDroppedColumns(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): string[] {
  const recorded = draft.recorded.get(definition.name)
  const wanted = new Set(definition.columns.map(({ name }) => name))
  const hasNewColumn = definition.columns.some(({ name }) => !table.columns.has(name))
  return Object.entries(recorded?.columns ?? {}).flatMap(([name, { isUnused }]) => {
    const column = table.columns.get(name)
    if (wanted.has(name) || column === undefined) return []
    const alter = (change: Sql) => sql`alter table ${definition.table} ${change}`
    // Processes of the release that has the field name its default themselves.
    const kept = [column.isRequired && sql`drop not null`, column.hasDefault && sql`drop default`].filter(
      (change) => change !== false,
    )
    const keep = kept.map((change) => alter(sql`alter column ${identifier(name)} ${change}`))
    const statements = [alter(sql`drop column ${identifier(name)}`)]
    const hint = hasNewColumn ? `; if the field was renamed, add \`was: ${name}\` to it` : ''
    draft.drop(`'${definition.model}' has no field for the column '${name}'${hint}`, statements, keep, isUnused === true)
    return [name]
  })
}

/** The texts of the functions of the system, as they are recorded. */
export const functionTexts = (draft: PlanDraft): Record<string, string> =>
  Object.fromEntries(
    systemObjects(draft.layout).flatMap(({ kind, name, create }) => (kind === 'function' ? [[name, create.compile().text]] : [])),
  )

/**
 * The tables and functions of the store that belong to no model, as the first releases created them. They do not change: a release that
 * needs others adds a migration (`store-migrations.ts`).
 */
export const systemObjects = (layout: Layout): readonly SystemObject[] => [
  { kind: 'table', name: `${SYSTEM_PREFIX}definitions`, create: definitionsTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}counters`, create: countersTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}leases`, create: leasesTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}changes`, create: changesTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}change_readers`, create: readersTable(layout) },
  { kind: 'function', name: `${SYSTEM_PREFIX}count`, create: countFunction(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}lockouts`, create: lockoutsTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}callers`, create: callersTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}requests`, create: requestsTable(layout) },
  ...searchObjects(layout),
]

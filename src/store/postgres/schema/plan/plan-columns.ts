import { identifier, keyword, type Sql, sql } from '../../sql.ts'
import type { CatalogTable } from '../catalog.ts'
import type { ColumnDefinition, TableDefinition } from '../definitions.ts'
import { conversionOf, typeOfCatalog } from './conversions.ts'
import type { PlanDraft } from './draft.ts'
import { fillingOf } from './filling.ts'

/** Plans the columns of a table that exists: new ones, other types, mandatory or no longer. */
export async function planColumns(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): Promise<void> {
  for (const column of definition.columns) {
    if (!table.columns.has(column.name)) await planNewColumn(draft, definition, table, column)
    else {
      await planType(draft, definition, table, column)
      await planMandatory(draft, definition, table, column)
    }
  }
}

async function planNewColumn(
  draft: PlanDraft,
  definition: TableDefinition,
  table: CatalogTable,
  { name, type, isRequired, field }: ColumnDefinition,
): Promise<void> {
  const reason = `The field '${field?.name ?? name}' of '${definition.model}' is new`
  const quoted = identifier(name)
  const filling = isRequired && field !== undefined ? fillingOf(field, type) : undefined
  const isFilled = isRequired && (await draft.hasRows(table))
  const add = (end: Sql) => sql`alter table ${definition.table} add column ${quoted} ${type}${end}`
  if (!isRequired) draft.add('column', { class: 'additive', reason, statements: [add(sql``)] })
  else if (!isFilled) draft.add('column', { class: 'additive', reason, statements: [add(sql` not null`)] })
  else if (filling !== undefined) {
    draft.fillings.set(`${definition.name}.${name}`, filling)
    const statements = [
      add(sql` not null default ${filling}`),
      sql`alter table ${definition.table} alter column ${quoted} drop default`,
    ]
    draft.add('column', { class: 'additive', reason: `${reason}; rows get its default`, statements })
  } else {
    const rows = await draft.count(draft.table(table.actual), idOf(definition), sql`null::text`)
    const why = `${reason} and mandatory, and has no default`
    draft.add('column', { class: 'checked', reason: why, statements: [add(sql` not null`)], rows })
  }
  table.columns.set(name, { actual: '', type: '', isRequired })
}

async function planType(
  draft: PlanDraft,
  definition: TableDefinition,
  table: CatalogTable,
  { name, type, field }: ColumnDefinition,
): Promise<void> {
  const column = table.columns.get(name)
  const wanted = type.compile().text.replace(/ (collate|generated|default) .*$/s, '')
  if (column === undefined || column.actual === '' || typeOfCatalog(column.type) === wanted) return
  const { using } = conversionOf(identifier(name), column.type, wanted)
  const { fits } = conversionOf(identifier(column.actual), column.type, wanted)
  const statements = [sql`alter table ${definition.table} alter column ${identifier(name)} type ${type} using ${using}`]
  const reason = `The field '${field?.name ?? name}' of '${definition.model}' changes from ${typeOfCatalog(column.type)} to ${wanted}`
  if (fits === undefined || !(await draft.hasRows(table))) draft.add('column', { class: 'additive', reason, statements })
  else {
    const actual = identifier(column.actual)
    const from = sql`${draft.table(table.actual)} where ${actual} is not null and not coalesce(${fits}, false)`
    const rows = await draft.count(from, idOf(definition), shown(isSecret(draft, definition, name), actual))
    draft.add('column', { class: 'checked', reason, statements, rows })
  }
  draft.converted.add(`${definition.name}.${name}`)
  column.type = wanted
}

async function planMandatory(
  draft: PlanDraft,
  definition: TableDefinition,
  table: CatalogTable,
  { name, isRequired, field }: ColumnDefinition,
): Promise<void> {
  const column = table.columns.get(name)
  if (column === undefined || column.isRequired === isRequired) return
  const what = `The field '${field?.name ?? name}' of '${definition.model}' is`
  const change = sql`alter table ${definition.table} alter column ${identifier(name)} ${keyword(isRequired ? 'set' : 'drop')} not null`
  column.isRequired = isRequired
  if (!isRequired) return draft.add('column', { class: 'additive', reason: `${what} no longer mandatory`, statements: [change] })
  const reason = `${what} mandatory`
  if (!(await draft.hasRows(table))) return draft.add('constraint', { class: 'additive', reason, statements: [change] })
  const from = sql`${draft.table(table.actual)} where ${identifier(column.actual)} is null`
  const rows = await draft.count(from, idOf(definition), sql`null::text`)
  draft.add('constraint', { class: 'checked', reason, statements: [change], rows })
}

/** The column by which a row is named. */
export const idOf = ({ holds }: TableDefinition): Sql => (holds === 'records' ? sql`"id"` : sql`"owner"`)

/** True for a column that holds, or held, values that must not be shown. */
export const isSecret = (draft: PlanDraft, { name: table, columns }: TableDefinition, column: string): boolean =>
  draft.recorded.get(table)?.columns[column]?.isSecret === true ||
  columns.some(({ name, field }) => name === column && field?.type.secret === true)

/** A value as it may be shown. */
export const shown = (isHidden: boolean, value: Sql): Sql => (isHidden ? sql`null::text` : sql`${value}::text`)

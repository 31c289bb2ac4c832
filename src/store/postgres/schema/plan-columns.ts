import type { ColumnDefinition, TableDefinition } from '../layout/definitions.ts'
import { identifier, keyword, literal, type Sql, sql } from '../sql.ts'
import type { CatalogTable } from './catalog.ts'
import type { PlanDraft } from './plan-draft.ts'

/** Plans the columns of a table that exists: new ones, other types, mandatory or no longer. */
export async function planColumns(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): Promise<void> {
  for (const column of definition.columns) {
    if (!table.columns.has(column.name)) await planNewColumn(draft, definition, table, column)
    else {
      await planType(draft, definition, table, column)
      await planMandatory(draft, definition, table, column)
      planDefault(draft, definition, table, column)
    }
  }
}

async function planNewColumn(
  draft: PlanDraft,
  definition: TableDefinition,
  table: CatalogTable,
  { name, type, isRequired, field, default: filling }: ColumnDefinition,
): Promise<void> {
  const reason = `The field '${field?.name ?? name}' of '${definition.model}' is new`
  const quoted = identifier(name)
  const add = (end: Sql) => sql`alter table ${definition.table} add column ${quoted} ${type}${end}`
  if (!isRequired) {
    // Rows that are there have no value.
    const statements = [add(sql``), ...(filling === undefined ? [] : [setDefault(definition, name, filling)])]
    draft.add('column', { class: 'additive', reason, statements })
  } else if (filling !== undefined) {
    draft.fillings.set(`${definition.name}.${name}`, filling)
    const statements = [add(sql` not null default ${filling}`)]
    draft.add('column', { class: 'additive', reason: `${reason}; rows get its default`, statements })
  } else if (!(await draft.hasRows(table))) {
    draft.add('column', { class: 'additive', reason, statements: [add(sql` not null`)], breaks: 'names' })
  } else {
    const rows = await draft.count(draft.table(table.actual), rowIdColumn(definition), sql`null::text`)
    const why = `${reason} and mandatory, and has no default`
    draft.add('column', { class: 'checked', reason: why, statements: [add(sql` not null`)], rows, breaks: 'names' })
  }
  table.columns.set(name, { actual: '', type: '', isRequired, hasDefault: filling !== undefined, comment: '' })
}

async function planType(
  draft: PlanDraft,
  definition: TableDefinition,
  table: CatalogTable,
  { name, type, field }: ColumnDefinition,
): Promise<void> {
  const column = table.columns.get(name)
  const wanted = plainType(type)
  if (column === undefined || column.actual === '' || typeOfCatalog(column.type) === wanted) return
  const { using } = conversionOf(identifier(name), column.type, wanted)
  const { fits } = conversionOf(identifier(column.actual), column.type, wanted)
  const alter = sql`alter table ${definition.table} alter column ${identifier(name)}`
  // A default may not be convertible.
  const statements = [sql`${alter} drop default`, sql`${alter} type ${type} using ${using}`]
  const reason = `The field '${field?.name ?? name}' of '${definition.model}' changes from ${typeOfCatalog(column.type)} to ${wanted}`
  const breaking = isReadableAs(column.type, wanted) ? {} : { breaks: 'values' as const }
  if (fits === undefined || !(await draft.hasRows(table)))
    draft.add('column', { class: 'additive', reason, statements, ...breaking })
  else {
    const actual = identifier(column.actual)
    const from = sql`${draft.table(table.actual)} where ${actual} is not null and not coalesce(${fits}, false)`
    const rows = await draft.count(from, rowIdColumn(definition), shown(isSecret(draft, definition, name), actual))
    draft.add('column', { class: 'checked', reason, statements, rows, ...breaking })
  }
  draft.converted.add(`${definition.name}.${name}`)
  column.type = wanted
  column.hasDefault = false
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
  const alter = sql`alter table ${definition.table} alter column ${identifier(name)}`
  column.isRequired = isRequired
  if (!isRequired) {
    // A former version has kept the default of a field that has none any more.
    column.hasDefault = false
    const statements = [sql`${alter} drop not null`, sql`${alter} drop default`]
    return draft.add('column', { class: 'additive', reason: `${what} no longer mandatory`, statements })
  }
  const change = sql`${alter} set not null`
  const reason = `${what} mandatory`
  if (!(await draft.hasRows(table))) return draft.add('constraint', { class: 'additive', reason, statements: [change] })
  const from = sql`${draft.table(table.actual)} where ${identifier(column.actual)} is null`
  const rows = await draft.count(from, rowIdColumn(definition), sql`null::text`)
  draft.add('constraint', { class: 'checked', reason, statements: [change], rows })
}

/** The default is compared with the recorded one, since PostgreSQL writes it in its own words. */
function planDefault(
  draft: PlanDraft,
  definition: TableDefinition,
  table: CatalogTable,
  { name, field, default: wanted }: ColumnDefinition,
): void {
  const column = table.columns.get(name)
  if (column === undefined || field === undefined) return
  const applied = draft.recorded.get(definition.name)?.columns[name]?.default
  const isDone =
    wanted === undefined ? applied === undefined || !column.hasDefault : column.hasDefault && applied === wanted.compile().text
  if (isDone) return
  const what = `The default of '${field.name}' of '${definition.model}'`
  const reason = wanted === undefined ? `${what} is gone` : `${what} is that of the model, for rows by other programs`
  draft.add('column', { class: 'additive', reason, statements: [setDefault(definition, name, wanted)] })
  column.hasDefault = wanted !== undefined
}

const setDefault = ({ table }: TableDefinition, name: string, value: Sql | undefined): Sql =>
  sql`alter table ${table} alter column ${identifier(name)} ${value === undefined ? sql`drop default` : sql`set default ${value}`}`

/** The column by which a row is named. */
export const rowIdColumn = ({ holds }: TableDefinition): Sql => (holds === 'records' ? sql`"id"` : sql`"owner"`)

/** True for a column that holds, or held, values that must not be shown. */
export const isSecret = (draft: PlanDraft, { name: table, columns }: TableDefinition, column: string): boolean =>
  draft.recorded.get(table)?.columns[column]?.isSecret === true ||
  columns.some(({ name, field }) => name === column && field?.type.secret === true)

/** A value as it may be shown. */
export const shown = (isHidden: boolean, value: Sql): Sql => (isHidden ? sql`null::text` : sql`${value}::text`)

/** Converts the values of a column to another type. */
interface Conversion {
  /** The value in the new type. */
  readonly using: Sql
  /** The values that can be converted without a loss; undefined if all can. */
  readonly fits?: Sql
}

/** Names of types in the catalog, where the layout has another name. */
const CATALOG_NAMES: Readonly<Record<string, string>> = {
  'timestamp(3) with time zone': 'timestamptz(3)',
  'time(3) without time zone': 'time(3)',
}

/** The name of a type without what else a column declares. */
export const plainType = (type: Sql): string => type.compile().text.replace(/ (collate|generated|default) .*$/s, '')

/** The name that the layout has for a type of the catalog. */
const typeOfCatalog = (name: string): string => CATALOG_NAMES[name] ?? name

/** The wider types that a column may have in place of that of its field: the same statements read and store the values, and round none. */
const READABLE: Readonly<Record<string, readonly string[]>> = {
  bigint: ['double precision', 'numeric'],
  'double precision': ['numeric'],
}

/**
 * True if a process whose models give a column one type can use it with another one.
 *
 * @param from the type of its models @param to the type of the column; both as the layout or the catalog names them
 */
export const isReadableAs = (from: string, to: string): boolean => {
  const [own, actual] = [typeOfCatalog(from), typeOfCatalog(to)]
  return own === actual || READABLE[own]?.includes(actual) === true
}

/** Greatest integer that a number in JSON represents exactly. */
const GREATEST = literal(Number.MAX_SAFE_INTEGER)

const DATE_TEXT = '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'
const NUMBER_TEXT = '^-?[0-9]{1,100}([.][0-9]{1,100})?$'

type Convert = (value: Sql) => Conversion

/** A cast, of the values that satisfy a condition, or of all. */
const cast =
  (type: string, fits?: (value: Sql) => Sql): Convert =>
  (value) => ({ using: sql`${value}::${keyword(type)}`, ...(fits && { fits: fits(value) }) })

const asText = cast('text')
const asJson: Convert = (value) => ({ using: sql`to_json(${value})` })
const isInteger = (value: Sql) => sql`abs(${value}) <= ${GREATEST} and ${value} = trunc(${value})`
const isNumeral = (value: Sql) => sql`${value} ~ ${literal(NUMBER_TEXT)}`

/** The conversions of a value by `<from> → <to>`. Others are possible for rows without a value only. */
const CONVERSIONS: Readonly<Record<string, Convert>> = {
  'bigint → double precision': cast('double precision'),
  'bigint → numeric': cast('numeric'),
  // The text of a double has the digits that identify it.
  'double precision → numeric': cast('text::numeric', (value) => sql`${value} - ${value} = 0`),
  'double precision → bigint': cast('bigint', isInteger),
  'numeric → bigint': cast('bigint', isInteger),
  'numeric → double precision': cast('double precision', (value) => sql`${value}::double precision::text::numeric = ${value}`),
  'bigint → text': asText,
  'double precision → text': asText,
  'numeric → text': (value) => ({ using: sql`trim_scale(${value})::text` }),
  'boolean → text': asText,
  'json → text': asText,
  'date → text': (value) => ({ using: sql`to_char(${value}, 'YYYY-MM-DD')` }),
  'time(3) → text': asText,
  'timestamptz(3) → text': (value) => ({ using: sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` }),
  'date → timestamptz(3)': cast("timestamp at time zone 'UTC'"),
  'timestamptz(3) → date': (value) => ({
    using: sql`(${value} at time zone 'UTC')::date`,
    fits: sql`date_trunc('day', ${value} at time zone 'UTC') = ${value} at time zone 'UTC'`,
  }),
  'text → bigint': cast(
    'bigint',
    (value) => sql`case when ${value} ~ '^-?[0-9]{1,16}$' then abs(${value}::numeric) <= ${GREATEST} else false end`,
  ),
  'text → double precision': cast('double precision', isNumeral),
  'text → numeric': cast('numeric', isNumeral),
  'text → boolean': cast('boolean', (value) => sql`${value} in ('true', 'false')`),
  // make_date reports an error for the 30th of February, so the day is compared with the length of the month.
  'text → date': cast(
    'date',
    (value) => sql`case when ${value} ~ ${literal(DATE_TEXT)} then
      right(${value}, 2)::int <= extract(day from (left(${value}, 7) || '-01')::date + interval '1 month - 1 day') else false end`,
  ),
  'text → json': asJson,
  'text → text[]': (value) => ({ using: sql`array[${value}]` }),
  'text[] → text': (value) => ({ using: sql`${value}[1]`, fits: sql`cardinality(${value}) <= 1` }),
  'text[] → json': (value) => ({ using: sql`array_to_json(${value})` }),
  'bigint → json': asJson,
  'double precision → json': asJson,
  'boolean → json': asJson,
}

/** The conversion of a column. @param from type of the catalog @param to type of the layout */
function conversionOf(value: Sql, from: string, to: string): Conversion {
  const convert = CONVERSIONS[`${typeOfCatalog(from)} → ${to}`]
  return convert?.(value) ?? { using: sql`null::${keyword(to)}`, fits: sql`false` }
}

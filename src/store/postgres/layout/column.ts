import { hash } from 'node:crypto'
import type { Field, RelationField } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'
import { canonicalDecimal } from '../../../util/decimal.ts'
import type { Json } from '../../../util/json.ts'
import { isPlainText } from '../../../util/text.ts'
import { identifier, keyword, literal, type Parameter, type Sql, sql } from '../sql.ts'

/** A field as a table keeps it. */
interface StoredField {
  readonly field: Field
  /** The value of the field in the list of a SELECT, as `read` expects it. `alias` is the table of the record, such as `"r"`. */
  select(alias: Sql): Sql
  /** Reads a value of the list. */
  read(text: string | null): Json
  /** The parameter for a value in stored form. */
  toParameter(value: Json): Parameter
  /**
   * True for a value, or an item of a list, that a parameter of the field's type can carry. A comparison with any other value matches no
   * record, and PostgreSQL would report an error.
   */
  isOfType(value: Json): boolean
}

/** A column that holds the values of a field. */
export interface FieldColumn extends StoredField {
  readonly name: string
  /** The quoted name. */
  readonly sql: Sql
  /** The type for casts of parameters and their arrays, such as `bigint`. */
  readonly type: string
  /** The type in the definition of the table, with the collation. */
  readonly declaration: string
  /** The value of a row that is inserted without one: the default of the field, so that other programs can insert. */
  readonly default: Sql | undefined
}

/**
 * The table of a many-to-many relation: `owner`, `target`, `position` from 0. An empty list differs from null by the boolean column `flag`
 * of the owner's table, which is true unless the value is null.
 */
export interface LinkTable extends StoredField {
  readonly field: RelationField
  readonly name: string
  /** The qualified name. */
  readonly table: Sql
  /** Name of the column of the owner's table. */
  readonly flagName: string
  /** The same, quoted. */
  readonly flag: Sql
}

/** The column of a field. */
export function columnOf(field: Field): FieldColumn {
  const codec = codecOf(field)
  const name = columnName(field.name)
  const quoted = identifier(name)
  return {
    field,
    name,
    sql: quoted,
    type: codec.type,
    declaration: codec.collation === undefined ? codec.type : `${codec.type} collate "${codec.collation}"`,
    default: defaultOf(field, codec.type),
    select: (alias) => codec.select(sql`${alias}.${quoted}`),
    read: (text) => (text === null ? null : codec.read(text)),
    toParameter: (value) => (value === null ? null : codec.toParameter(value)),
    isOfType: (value) => isOfType(field, value),
  }
}

/** The link table of a many-to-many field of a table. */
export function linkTableOf(field: RelationField, schema: string, owner: string): LinkTable {
  const name = shortName(`${owner}_${field.name}`)
  const table = identifier(schema, name)
  const flagName = shortName(`_${field.name}_set`)
  const flag = identifier(flagName)
  return {
    field,
    name,
    table,
    flagName,
    flag,
    select: (alias) => sql`coalesce(
      (select json_agg("l"."target" order by "l"."position") from ${table} "l" where "l"."owner" = ${alias}."id"),
      case when ${alias}.${flag} then '[]'::json end)`,
    read: (text) => (text === null ? null : (JSON.parse(text) as Json)),
    toParameter: (value) => value as readonly number[] | null,
    isOfType: (value) => isOfType(field, value),
  }
}

/** How the values of a field type are kept in a column. */
interface Codec {
  /** The type of a parameter or an array item, for a cast: `bigint`. */
  readonly type: string
  /** The collation that a column of this type declares: the order of code points, as in the embedded engine. */
  readonly collation?: 'C'
  /** The value of a column in the form that `read` expects, whatever the settings of the session are. */
  select(column: Sql): Sql
  /** Reads the text of a value that is not null. */
  read(text: string): Json
  /** The parameter for a value in stored form that is not null. */
  toParameter(value: Json): Parameter
}

const unchanged = (column: Sql): Sql => column
const scalar = (value: Json): Parameter => {
  if (typeof value === 'object') throw new TypeError('A list or an object is not a value of this column')
  return value
}

const TEXT: Codec = { type: 'text', collation: 'C', select: unchanged, read: (text) => text, toParameter: scalar }
const INTEGER: Codec = { type: 'bigint', select: unchanged, read: Number, toParameter: scalar }
const NUMBER: Codec = { ...INTEGER, type: 'double precision' }
// Other programs may write `1.50`, or numbers that are longer than the field allows.
const DECIMAL: Codec = { ...INTEGER, type: 'numeric', read: (text) => canonicalDecimal(text) ?? text }
const BOOLEAN: Codec = { type: 'boolean', select: unchanged, read: (text) => text === 't', toParameter: scalar }
const DATE: Codec = { ...INTEGER, type: 'date', select: (column) => sql`to_char(${column}, 'YYYY-MM-DD')`, read: (text) => text }
const TIME: Codec = { ...INTEGER, type: 'time(3)', read: storedTime }
const DATETIME: Codec = {
  ...INTEGER,
  type: 'timestamptz(3)',
  select: (column) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  read: (text) => text,
}
const TEXTS: Codec = {
  type: 'text[]',
  collation: 'C',
  select: (column) => sql`array_to_json(${column})`,
  read: parsed,
  toParameter: (value) => value as readonly string[],
}
const JSON_VALUE: Codec = { type: 'json', select: unchanged, read: parsed, toParameter: (value) => JSON.stringify(value) }

/** The codecs of field types that have a column; the others are text. */
const CODECS: Partial<Readonly<Record<FieldType['name'], Codec>>> = {
  primarykey: INTEGER,
  integer: INTEGER,
  foreignkey: INTEGER,
  one_to_one: INTEGER,
  number: NUMBER,
  decimal: DECIMAL,
  boolean: BOOLEAN,
  date: DATE,
  time: TIME,
  datetime: DATETIME,
  multichoice: TEXTS,
  json: JSON_VALUE,
  file: JSON_VALUE,
  image: JSON_VALUE,
}

/** The codec of a field that is not a many-to-many relation. */
export const codecOf = ({ type }: Field): Codec => CODECS[type.name] ?? TEXT

/**
 * True for a value, or an item of a list, that a parameter of the field's type can carry. A comparison with any other value matches no
 * record, and PostgreSQL would report an error.
 */
function isOfType({ type }: Field, value: Json): boolean {
  if (type.name === 'multichoice') return typeof value === 'string' && isPlainText(value)
  if (type.name === 'many_to_many') return Number.isSafeInteger(value)
  if (codecOf({ type } as Field) === TEXT) return typeof value === 'string' && isPlainText(value)
  const reading = type.read(value)
  return reading.ok && reading.value === value
}

/** The default of a field as a constant or a function; undefined if it has none, or one that the server alone can make. */
function defaultOf({ type, default: value, generated, system }: Field, columnType: string): Sql | undefined {
  if (system && type.name === 'datetime') return sql`date_trunc('milliseconds', now())`
  switch (generated) {
    case 'now':
      return sql`date_trunc('milliseconds', now())`
    case 'today':
      return sql`(now() at time zone 'UTC')::date`
    case 'uuid':
      return sql`gen_random_uuid()::text`
    case 'user':
      return undefined
    case undefined:
      break
    default:
      return generated satisfies never
  }
  // Secrets are stored hashed.
  if (value === undefined || value === null || type.secret) return undefined
  if (type.name === 'json') return sql`${literal(JSON.stringify(value))}::json`
  if (Array.isArray(value)) {
    const items = value.map((item) => `"${String(item).replace(/["\\]/g, '\\$&')}"`)
    return sql`${literal(`{${items.join(',')}}`)}::text[]`
  }
  if (typeof value === 'object') return undefined
  return typeof value === 'string' ? sql`${literal(value)}::${keyword(columnType)}` : literal(value)
}

function parsed(text: string): Json {
  return JSON.parse(text) as Json
}

/** PostgreSQL omits zeros at the end of a fraction; the stored form has three digits, or no fraction. */
function storedTime(text: string): string {
  const point = text.indexOf('.')
  return point === -1 ? text : text.padEnd(point + 4, '0')
}

/** Maximum length of a name in PostgreSQL, in bytes; longer ones are cut off silently. */
const MAX_NAME_BYTES = 63

/** Hexadecimal digits of the hash that makes a shortened name unique. */
const HASH_DIGITS = 8

/** Prefix of tables that belong to the server. No model or field has such a name. */
export const SYSTEM_PREFIX = '_admin_'

/** A name that PostgreSQL keeps whole: a longer one is cut off and ends in a hash of the whole name. */
export function shortName(name: string): string {
  // Names of models and fields consist of ASCII characters, one byte each.
  if (name.length <= MAX_NAME_BYTES) return name
  return `${name.slice(0, MAX_NAME_BYTES - HASH_DIGITS - 1)}_${hash('sha256', name, 'hex').slice(0, HASH_DIGITS)}`
}

/** Columns that PostgreSQL gives every table. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** The name of the column of a field. No name of a field ends in an underscore. */
const columnName = (field: string): string => (SYSTEM_COLUMNS.has(field) ? `${field}_` : shortName(field))

/** The name of the table of a model. */
export const tableName = ({ key, internal }: { readonly key: string; readonly internal: boolean }): string =>
  shortName(internal ? SYSTEM_PREFIX + key : key)

import type { Field } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'
import type { Json } from '../../../util/json.ts'
import { canonicalDecimal } from '../../../util/numbers/decimal.ts'
import { isPlainText } from '../../../util/plain-text.ts'
import { type Parameter, type Sql, sql } from '../sql.ts'

/** How the values of a field type are kept in a column. */
export interface Codec {
  /** The type of a parameter or an array item, for a cast: `bigint`. */
  readonly type: string
  /** The collation that a column of this type declares: that of code points, as in the embedded engine. */
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
}

/** The codec of a field that is not a many-to-many relation. */
export const codecOf = ({ type }: Field): Codec => CODECS[type.name] ?? TEXT

/**
 * True for a value, or an item of a list, that a parameter of the field's type can carry. A comparison with any other value matches no
 * record, and PostgreSQL would report an error.
 */
export function isOfType({ type }: Field, value: Json): boolean {
  if (type.name === 'multichoice') return typeof value === 'string' && isPlainText(value)
  if (type.name === 'many_to_many') return Number.isSafeInteger(value)
  if (codecOf({ type } as Field) === TEXT) return typeof value === 'string' && isPlainText(value)
  const reading = type.read(value)
  return reading.ok && reading.value === value
}

function parsed(text: string): Json {
  return JSON.parse(text) as Json
}

/** PostgreSQL omits zeros at the end of a fraction; the stored form has three digits, or no fraction. */
function storedTime(text: string): string {
  const point = text.indexOf('.')
  return point === -1 ? text : text.padEnd(point + 4, '0')
}

import type { Field } from '../model/field.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'

/** A field that was added to the model after the record was stored has no value yet. */
export const storedValue = (record: StoredRecord, { name, type }: Field): Json => record[name] ?? (type.list ? [] : null)

/**
 * Writes a value as a cell of CSV; null for no value, which differs from an empty text. `readCell` restores the value, whatever
 * its type.
 */
export function writeCell(field: Field, value: Json): string | null {
  const text = cellText(field, value)
  const mayBeFormula = !field.type.structured && (typeof value === 'string' ? isText(field) : Array.isArray(value))
  return text !== null && mayBeFormula ? guarded(text) : text
}

/** A value as the text of a cell, in a file whose cells are no formulas. */
export function cellText(field: Field, value: Json): string | null {
  if (value === null) return null
  if (field.type.structured) return JSON.stringify(value)
  if (!Array.isArray(value)) return String(value)
  return value.length === 0 ? null : value.map((item) => escaped(String(item))).join(SEPARATOR)
}

/**
 * Reads a table cell. An empty unquoted cell is null or an empty list; a quoted empty one is an empty text. Invalid values are
 * left to validation. JSON is parsed by the caller.
 *
 * @param cell null for an empty unquoted cell
 */
export function readCell(field: Field | undefined, cell: string | null): Json {
  if (cell === null) return null
  if (field === undefined || field.type.secret) return cell
  const text = isText(field) || field.type.name === 'decimal' ? unguarded(cell) : cell
  return field.type.list ? splitList(text).map((item) => readItem(field, item)) : readValue(field, text)
}

/** Reads a cell that is not JSON, of a file field: a text, or several behind semicolons. */
export function readTextCell(cell: string, isList: boolean): string | string[] {
  const text = unguarded(cell)
  return isList ? splitList(text).map((item) => item.trim()) : text
}

const SEPARATOR = ';'

/**
 * Texts that spreadsheets would evaluate as formulas (https://owasp.org/www-community/attacks/CSV_Injection), with or without
 * our guard. The full-width signs are read as the others where Chinese, Japanese or Korean is set.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/
const GUARDED = /^'+[=+\-@\t\r\n＝＋－＠]/

/** Prefixes an apostrophe to formulas, and to texts that look already guarded, so that reading is unambiguous. */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const unguarded = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text)

/** Searchable types are those that hold text. A decimal is a number, and was guarded by former versions. */
const isText = ({ type }: Field): boolean => type.searchable

const escaped = (item: string): string => item.replace(/[\\;]/g, '\\$&')

/** Splits at semicolons; one behind a backslash belongs to the item. */
export function splitList(text: string): string[] {
  const items: string[] = []
  let item = ''
  for (const [piece] of text.matchAll(/\\[\\;]|;|[^\\;]+|\\/g)) {
    if (piece === SEPARATOR) {
      items.push(item)
      item = ''
    } else item += piece.length === 2 && piece.startsWith('\\') ? piece.slice(1) : piece
  }
  return [...items, item]
}

/** People write spaces behind semicolons; a choice may contain spaces of its own. */
function readItem(field: Field, item: string): Json {
  const choices: readonly unknown[] = field.limits.choices ?? []
  return readValue(field, choices.includes(item) ? item : item.trim())
}

/** Spreadsheets and data frames write `15.0` for an integer in a column with an empty cell. */
const WHOLE: ReadonlySet<string> = new Set(['integer', 'foreignkey', 'one_to_one', 'many_to_many'])

/** Booleans as spreadsheets and data frames write them. */
const BOOLEAN = /^(?:TRUE|True|FALSE|False)$/

function readValue(field: Field, text: string): Json {
  const reading = field.type.parse(plainForm(field, text))
  return reading.ok ? reading.value : text
}

/** The text as the API writes it, for texts that other programs write differently. */
function plainForm({ type }: Field, text: string): string {
  if (type.name === 'boolean') return BOOLEAN.test(text) ? text.toLowerCase() : text
  return WHOLE.has(type.name) ? text.replace(/^([+-]?\d+)\.0+$/, '$1') : text
}

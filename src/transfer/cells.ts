import type { Field } from '../model/field.ts'
import type { Json } from '../util/json.ts'

/**
 * A value as a cell of a table: null for nothing, where an empty text is a cell of its own. `readCell` gives the value back, whatever
 * its type.
 */
export function writeCell(field: Field, value: Json): string | null {
  if (value === null) return null
  if (field.type.name === 'json') return JSON.stringify(value)
  if (typeof value === 'string') return guarded(value)
  if (!Array.isArray(value)) return String(value)
  return value.length === 0 ? null : guarded(value.map((item) => escaped(String(item))).join(SEPARATOR))
}

/**
 * The value of a cell. A cell without anything in it is null, and an empty list; one that holds an empty text is that text. What
 * cannot be read is left for validation to name.
 *
 * @param cell null when there is nothing between the separators, not even quotes
 */
export function readCell(field: Field | undefined, cell: string | null): Json {
  if (cell === null) return null
  if (field === undefined || field.type.secret) return cell
  if (field.type.name === 'json') return parseJson(cell)
  const text = isText(field) ? unguarded(cell) : cell
  return field.type.list ? split(text).map((item) => readItem(field, item)) : readValue(field, text)
}

const SEPARATOR = ';'

/** What spreadsheets take for a formula (https://owasp.org/www-community/attacks/CSV_Injection), guarded or not. */
const FORMULA = /^'*[=+\-@\t\r\n]/
const GUARDED = /^'+[=+\-@\t\r\n]/

/** Puts an apostrophe before what a spreadsheet would calculate, and before what looks as if that had been done already. */
const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const unguarded = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text)

/** Searchable types are those that hold text. */
const isText = ({ type }: Field): boolean => type.searchable

const escaped = (item: string): string => item.replace(/[\\;]/g, '\\$&')

/** Splits at semicolons; one behind a backslash belongs to the item. */
function split(text: string): string[] {
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

function readValue(field: Field, text: string): Json {
  const reading = field.type.parse(text)
  return reading.ok ? reading.value : text
}

function parseJson(cell: string): Json {
  try {
    return JSON.parse(cell) as Json
  } catch {
    return cell
  }
}

import type { FieldErrors } from '../../client/client.ts'

/** What is read: a text with columns, a workbook, or records as JSON. */
export type FileKind = 'csv' | 'xlsx' | 'json' | 'ndjson'

/** What becomes of records, for files of every kind. */
export interface RecordChoices {
  /** A unique field, by which existing records are updated. */
  readonly upsertBy: string | undefined
  /** A form whose rules hold. */
  readonly form: string | undefined
}

/** What a file is by its name; CSV for an unknown one. */
export function kindOf(name: string): FileKind {
  const ending = name.toLowerCase().split('.').at(-1)
  if (ending === 'json' || ending === 'xlsx') return ending
  return ending === 'ndjson' || ending === 'jsonl' ? 'ndjson' : 'csv'
}

/** A message about a value of a file. */
export interface RowError {
  /** Number of the record in the file, from 1; undefined for a message about a column. */
  readonly row: number | undefined
  /** Undefined for a message about the whole record. */
  readonly column: string | undefined
  readonly messages: readonly string[]
}

/** The member of an error that says how many messages the server has left out. */
const LEFT_OUT = 'more'

/** Sorts the messages of a rejected file, `<row>.<field>`, by row. */
export function rowErrors(errors: FieldErrors): readonly RowError[] {
  const all = Object.entries(errors).flatMap(([key, messages]): RowError[] => {
    const [, row, column] = /^(\d+)(?:\.(.+))?$/.exec(key) ?? []
    if (row !== undefined) return [{ row: Number(row), column, messages }]
    return key === LEFT_OUT ? [] : [{ row: undefined, column: key, messages }]
  })
  return all.sort((one, other) => (one.row ?? 0) - (other.row ?? 0))
}

/** Number of messages that the server has found and left out. */
export const leftOutErrors = (errors: FieldErrors): number => Number(/^\d+/.exec(errors[LEFT_OUT]?.[0] ?? '')?.[0] ?? 0)

/** The lines where the records of a file begin, from 1, as `admin import` names them. Records of JSON have no lines of their own. */
export function linesOfRecords(kind: 'json' | 'ndjson', content: Uint8Array): readonly number[] {
  if (kind === 'json') return []
  const text = new TextDecoder().decode(content)
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]))
}

/** A text that a spreadsheet would evaluate gets an apostrophe, as exports have it. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** Rows as a CSV file for spreadsheets: with a byte order mark, and with the delimiter that they expect where decimals have a comma. */
export function csvFile(rows: readonly (readonly (string | number)[])[], locale: string): string {
  const delimiter = spreadsheetDelimiter(locale)
  const cell = (value: string | number) =>
    typeof value === 'number' ? String(value) : `"${harmless(value).replaceAll('"', '""')}"`
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(delimiter)}\r\n`).join('')}`
}

const spreadsheetDelimiter = (locale: string): string =>
  new Intl.NumberFormat(locale).formatToParts(1.5).some(({ type, value }) => type === 'decimal' && value === ',') ? ';' : ','

import type { FieldErrors, FileFormat } from '../../client/client.ts'

/** Delimiters of CSV files that can be named. */
export const DELIMITER_CHOICES = ['comma', 'semicolon', 'tab'] as const
export type Delimiter = (typeof DELIMITER_CHOICES)[number]

/** How a file is imported. */
export interface ImportChoices {
  readonly format: FileFormat
  /** Undefined: found in the header of the file. */
  readonly delimiter: Delimiter | undefined
  /** A unique field, by which existing records are updated. */
  readonly upsertBy: string | undefined
  /** A form whose rules hold. */
  readonly form: string | undefined
}

/** A file as it was when it was chosen: what is imported is what was checked, even if the file has changed since. */
export interface ChosenFile {
  readonly name: string
  readonly content: Uint8Array<ArrayBuffer>
}

/** The format of a file by its name; CSV for an unknown one. */
export function formatOf(name: string): FileFormat {
  const ending = name.toLowerCase().split('.').at(-1)
  if (ending === 'json') return 'json'
  return ending === 'ndjson' || ending === 'jsonl' ? 'ndjson' : 'csv'
}

/** The options of the client's import. */
export const importOptions = ({ format, delimiter, upsertBy, form }: ImportChoices) => ({
  format,
  delimiter: format === 'csv' ? delimiter : undefined,
  upsert_by: upsertBy,
  form_id: form,
})

/** A message about a value of a file. */
interface RowError {
  /** Number of the record in the file, from 1; undefined for a message about a column. */
  readonly row: number | undefined
  /** Undefined for a message about the whole record. */
  readonly column: string | undefined
  readonly messages: readonly string[]
}

/** Sorts the messages of a rejected file, `<row>.<field>`, by row. */
export function rowErrors(errors: FieldErrors): readonly RowError[] {
  const all = Object.entries(errors).map(([key, messages]): RowError => {
    const [, row, column] = /^(\d+)(?:\.(.+))?$/.exec(key) ?? []
    return row === undefined ? { row: undefined, column: key, messages } : { row: Number(row), column, messages }
  })
  return all.sort((one, other) => (one.row ?? 0) - (other.row ?? 0))
}

/**
 * The lines where the rows of a file begin, from 1: that of row 1 first, as `admin import` names them. Records of JSON have no lines of their own.
 * A quote of CSV begins or ends a quoted cell wherever the server can read the file, so the delimiter need not be known.
 */
export function linesOfRows(format: FileFormat, content: Uint8Array): readonly number[] {
  if (format === 'json') return []
  const text = new TextDecoder().decode(content)
  if (format === 'ndjson') return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]))
  const lines: number[] = []
  let line = 1
  let row = { start: 0, line }
  let isQuoted = false
  for (const { 0: mark, index } of text.matchAll(/"|\r\n|\r|\n/g)) {
    if (mark === '"') isQuoted = !isQuoted
    else {
      line++
      if (isQuoted) continue
      // Empty lines are no rows.
      if (index > row.start) lines.push(row.line)
      row = { start: index + mark.length, line }
    }
  }
  if (row.start < text.length) lines.push(row.line)
  return lines.slice(1)
}

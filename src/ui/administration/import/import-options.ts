import type { FieldErrors, FileFormat } from '../../../client/client.ts'

/** Delimiters of CSV files that can be named. */
export const DELIMITERS = ['comma', 'semicolon', 'tab'] as const
export type Delimiter = (typeof DELIMITERS)[number]

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
export interface RowError {
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

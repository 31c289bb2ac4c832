import type { FieldMessages } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Json } from '../util/json.ts'
import type { RawColumn } from './map-guess.ts'
import type { FileMap } from './mapping.ts'
import type { ColumnReader, FileRow } from './row-reader.ts'

/** Number of rows that a guess is made from. */
export const GUESSED_ROWS = 1000
/** Number of rows that a preview shows. */
export const PREVIEWED_ROWS = 20
/** Number of texts that a preview shows of each column. */
export const SAMPLES = 5

/** How a file would be imported. */
export interface MappedPreview {
  /** The map, guessed where none is given. */
  readonly map: FileMap
  /** What must be named, since the values can be read in several ways. */
  readonly ambiguous: readonly ('dates' | 'numbers')[]
  readonly columns: readonly {
    readonly header: string
    /** The field as in `map.columns`; null for a column that is left out. */
    readonly field: string | null
    readonly samples: readonly string[]
  }[]
  readonly rows: readonly PreviewedRow[]
}

/** One of the first rows of a file. */
interface PreviewedRow {
  /** From 1. */
  readonly row: number
  readonly line: number | null
  /** The cells as they are in the file, by field. */
  readonly texts: Readonly<Record<string, string>>
  /** The values as they would be stored, by field; those that are faulty are left out. */
  readonly values: Readonly<Record<string, Json>>
  /** The messages by field; `row` for those about the whole row. */
  readonly errors: FieldMessages
}

/** Reads every column as it is in the file. */
export const RAW: ColumnReader = {
  column: (header) => ({ name: header, field: undefined, read: (value) => ({ value }) }),
}

/** The first rows. */
export async function firstRows(rows: AsyncIterable<FileRow>, max: number): Promise<readonly FileRow[]> {
  const first: FileRow[] = []
  for await (const row of rows) {
    first.push(row)
    if (first.length === max) break
  }
  return first
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : (JSON.stringify(value) ?? '')

/** The columns of rows that are read as they are in the file. */
export function rawColumns(rows: readonly FileRow[]): readonly RawColumn[] {
  const columns = new Map<string, { texts: string[]; written: string[] }>()
  for (const { data } of rows) {
    for (const [header, value] of Object.entries(data)) {
      const column = columns.get(header) ?? { texts: [], written: [] }
      columns.set(header, column)
      if (value === null || value === '') continue
      column.texts.push(textOf(value))
      if (typeof value === 'string') column.written.push(value)
    }
  }
  return Array.from(columns, ([header, column]) => ({ header, ...column }))
}

/** The cells of a raw row by field. */
export function textsOf(row: FileRow | undefined, columns: ColumnReader): Readonly<Record<string, string>> {
  const cells = Object.entries(row?.data ?? {}).flatMap(([header, value]) => {
    const column = columns.column(header)
    return column === null ? [] : [[column.name, textOf(value)] as const]
  })
  return Object.fromEntries(cells)
}

/** The values of a row in stored form. */
export function storedValues({ data }: FileRow, model: Model): Readonly<Record<string, Json>> {
  const values = Object.entries(data).flatMap(([name, value]) => {
    const field = model.fields.get(name)
    if (field === undefined || field.type.secret || value === undefined || value === null) return []
    const reading = field.type.read(value)
    return reading.ok ? [[name, reading.value] as const] : []
  })
  return Object.fromEntries(values)
}

/** Sorts messages by `<row>.<field>` by row. */
export function messagesByRow(details: FieldMessages): ReadonlyMap<number, FieldMessages> {
  const found = new Map<number, Record<string, readonly string[]>>()
  for (const [key, messages] of Object.entries(details)) {
    const [, row, field = 'row'] = /^(\d+)(?:\.(.+))?$/.exec(key) ?? []
    if (row === undefined) continue
    const known = found.get(Number(row)) ?? {}
    found.set(Number(row), { ...known, [field]: messages })
  }
  return found as ReadonlyMap<number, FieldMessages>
}

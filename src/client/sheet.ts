/** A cell of a spreadsheet. Days and times of spreadsheets have no time zone: a date holds what the cell shows, as if it were UTC. */
export type SheetCell = string | number | boolean | Date | null

/** The rows of a spreadsheet below its first row that is not empty, which names the columns. */
export interface SheetRows {
  /** The names of the columns, each once; columns without a name are called `Column C`. Empty columns are left out. */
  readonly names: readonly string[]
  /** The line in the text, from 1, of each row that is not empty. */
  readonly lines: readonly number[]
  /**
   * The rows as NDJSON for an import with a map. Lines of the text are rows of the sheet.
   *
   * @param keys names of the columns in the text, in place of their own
   * @param max maximum number of rows
   */
  text(keys?: readonly string[], max?: number): string
}

/** Reads the rows of a spreadsheet; undefined for an empty one. */
export function sheetRows(rows: readonly (readonly SheetCell[])[]): SheetRows | undefined {
  const first = rows.findIndex((row) => row.some((cell) => !isEmpty(cell)))
  if (first === -1) return undefined
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const used = Array.from({ length: width }, (_, index) => index).filter((index) => rows.some((row) => !isEmpty(row[index])))
  const head = rows[first] ?? []
  const names = headerNames(used.map((at) => ({ at, given: isEmpty(head[at]) ? '' : String(cellValue(head[at] ?? null)) })))
  const lines = rows.flatMap((row, index) => (index <= first || row.every(isEmpty) ? [] : [index + 1]))
  const rowText = (row: readonly SheetCell[], keys: readonly string[]) =>
    JSON.stringify(Object.fromEntries(used.map((at, index) => [keys[index] ?? '', cellValue(row[at] ?? null)])))
  return {
    names,
    lines,
    text(keys = names, max = lines.length) {
      const texts: string[] = []
      for (const line of lines.slice(0, max)) texts[line - 1] = rowText(rows[line - 1] ?? [], keys)
      // Without an entry for rows that are empty.
      return `${texts.join('\n')}\n`
    },
  }
}

/**
 * The sheet of a workbook that has its records. Before it there may be one with notes: it has one column, or no second row.
 *
 * @param sheets each with the names of its columns and the lines of its rows, none for an empty one
 * @returns undefined if all are empty
 */
export const sheetOfRecords = <Sheet extends { readonly headers: readonly string[]; readonly lines: readonly number[] }>(
  sheets: readonly Sheet[],
): Sheet | undefined =>
  sheets.find(({ headers, lines }) => headers.length > 1 && lines.length > 0) ??
  sheets.find(({ headers, lines }) => headers.length > 1 || lines.length > 0) ??
  sheets.find(({ headers }) => headers.length > 0)

/** Writes the rows of a spreadsheet as NDJSON for an import with a map. */
export const sheetText = (rows: readonly (readonly SheetCell[])[]): string => sheetRows(rows)?.text() ?? ''

const isEmpty = (cell: SheetCell | undefined): boolean =>
  cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')

/**
 * The names of columns, each once: `Column C` for one without a name, `Name (C)` for one whose name another has.
 *
 * @param columns number of each column, from 0, and its name in the file
 */
export function headerNames(columns: readonly { readonly at: number; readonly given: string }[]): readonly string[] {
  const names = new Set<string>()
  return columns.map(({ at, given }) => {
    const plain = given.trim() === '' ? `Column ${columnLetters(at)}` : given.trim()
    const name = names.has(plain) ? `${plain} (${columnLetters(at)})` : plain
    names.add(name)
    return name
  })
}

/** The letters of a column, from 0: `A`, `Z`, `AA`. */
export const columnLetters = (at: number): string =>
  (at < 26 ? '' : columnLetters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))

function cellValue(cell: SheetCell): string | number | boolean | null {
  if (!(cell instanceof Date)) return isEmpty(cell) ? null : cell
  if (Number.isNaN(cell.getTime())) return null
  // Times of day are fractions of days, so that their seconds are not exact.
  const time = new Date(Math.round(cell.getTime() / 1000) * 1000).toISOString()
  return time.endsWith('T00:00:00.000Z') ? time.slice(0, 10) : time.slice(0, 19).replace('T', ' ')
}

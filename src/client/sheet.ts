/** A cell of a spreadsheet. Days and times of spreadsheets have no time zone: a date holds what the cell shows, as if it were UTC. */
export type SheetCell = string | number | boolean | Date | null

/**
 * Writes the rows of a spreadsheet as NDJSON for an import with a map. The first row that is not empty names the columns; columns without a name
 * are called `Column C`. Lines of the text are rows of the sheet.
 */
export function sheetText(rows: readonly (readonly SheetCell[])[]): string {
  const first = rows.findIndex((row) => row.some((cell) => !isEmpty(cell)))
  if (first === -1) return ''
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const used = Array.from({ length: width }, (_, index) => index).filter((index) => rows.some((row) => !isEmpty(row[index])))
  const names = headersOf(rows[first] ?? [], used)
  const lines = rows.map((row, index) => {
    if (index <= first || row.every(isEmpty)) return ''
    return JSON.stringify(Object.fromEntries(names.map(([name, at]) => [name, cellValue(row[at] ?? null)])))
  })
  return `${lines.join('\n')}\n`
}

const isEmpty = (cell: SheetCell | undefined): boolean =>
  cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')

/** The names of the used columns, each once. */
function headersOf(row: readonly SheetCell[], used: readonly number[]): readonly (readonly [name: string, at: number])[] {
  const names = new Set<string>()
  return used.map((at) => {
    const cell = row[at] ?? null
    const given = isEmpty(cell) ? `Column ${letters(at)}` : String(cellValue(cell)).trim()
    const name = names.has(given) ? `${given} (${letters(at)})` : given
    names.add(name)
    return [name, at] as const
  })
}

/** The letters of a column, from 0: `A`, `Z`, `AA`. */
const letters = (at: number): string => (at < 26 ? '' : letters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))

function cellValue(cell: SheetCell): string | number | boolean | null {
  if (!(cell instanceof Date)) return isEmpty(cell) ? null : cell
  if (Number.isNaN(cell.getTime())) return null
  // Times of day are fractions of days, so that their seconds are not exact.
  const time = new Date(Math.round(cell.getTime() / 1000) * 1000).toISOString()
  return time.endsWith('T00:00:00.000Z') ? time.slice(0, 10) : time.slice(0, 19).replace('T', ' ')
}

import { headerNames } from '../../client/sheet.ts'

/** Delimiters of CSV files, the most common first. */
export const DELIMITER_NAMES = ['comma', 'semicolon', 'tab', 'pipe'] as const
type DelimiterName = (typeof DELIMITER_NAMES)[number]

const CHARACTERS: Readonly<Record<DelimiterName, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' }

/** The character of a delimiter by its name; another character stands for itself. */
export const delimiterCharacter = (given: string): string =>
  (CHARACTERS as Readonly<Record<string, string>>)[given] ?? given.slice(0, 1)

/** The delimiters that the server reads. */
type ServerDelimiter = Exclude<DelimiterName, 'pipe'>

/** A CSV text as the server reads it. */
export interface CsvContent {
  readonly delimiter: ServerDelimiter
  /** Names of the columns, each once. */
  readonly headers: readonly string[]
  /** The text in pieces. Its lines are those of the file. */
  readonly pieces: readonly string[]
  /** The head and the first rows. */
  readonly first: string
  /** The line where each row begins, from 1. */
  readonly lines: readonly number[]
}

interface CsvOptions {
  /** A single character. */
  readonly delimiter: string
  /** Cells of a spreadsheet, where a quote within a cell is not doubled unless the cell has several lines. */
  readonly isPasted?: boolean
  /** Number of rows of `first`. */
  readonly firstRows: number
  /** Waits until the page has had a turn. */
  readonly turn: () => Promise<void>
}

/** Rows that are read before the page has a turn. */
const ROWS_PER_TURN = 2000

/**
 * Makes a CSV text one that the server reads: columns have a name each, a delimiter that it does not know becomes a tab, rows of empty cells become
 * empty lines, and short rows are filled up, as spreadsheets leave them out.
 */
export async function readCsv(
  text: string,
  { delimiter, isPasted = false, firstRows, turn }: CsvOptions,
): Promise<CsvContent | undefined> {
  const server = (['comma', 'semicolon', 'tab'] as const).find((name) => CHARACTERS[name] === delimiter)
  const written = server ?? 'tab'
  const isRewritten = isPasted || server === undefined
  const mark = CHARACTERS[written]
  const lines: number[] = []
  const pieces: string[] = []
  let headers: readonly string[] | undefined
  let first: string | undefined
  let piece: string[] = []
  for (const { cells, raw, line, lineBreak } of csvRows(text, delimiter)) {
    if (cells.every((cell) => cell.trim() === '')) piece.push(lineBreak)
    else if (headers === undefined) {
      headers = headerNames(cells.map((cell, at) => ({ at, given: bare(cell) })))
      piece.push(headers.map(quoted).join(mark) + lineBreak)
    } else {
      const fitting = fitted(cells, headers.length)
      const isSame = !isRewritten && fitting === cells
      piece.push((isSame ? raw : fitting.map((cell) => (isRewritten ? rewritten(cell, mark) : cell)).join(mark)) + lineBreak)
      lines.push(line)
    }
    if (lines.length === firstRows && first === undefined) first = pieces.join('') + piece.join('')
    if (piece.length < ROWS_PER_TURN) continue
    pieces.push(piece.join(''))
    piece = []
    await turn()
  }
  if (headers === undefined) return undefined
  pieces.push(piece.join(''))
  return { delimiter: written, headers, pieces, first: first ?? pieces.join(''), lines }
}

/** Cells for each column: missing ones are empty, further ones are left out if they are empty. */
function fitted(cells: readonly string[], width: number): readonly string[] {
  if (cells.length === width) return cells
  if (cells.length < width) return [...cells, ...Array.from({ length: width - cells.length }, () => '')]
  return cells.slice(width).every((cell) => cell.trim() === '') ? cells.slice(0, width) : cells
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

const isQuoted = (cell: string): boolean => cell.length > 1 && cell.startsWith('"') && cell.endsWith('"')

/** The text of a cell as it is in the file. */
const bare = (cell: string): string => (isQuoted(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell)

/** A cell for another delimiter. A quoted one stays as it is. */
const rewritten = (cell: string, mark: string): string =>
  !(isQuoted(cell) && isClosed(cell)) && (cell.includes('"') || cell.includes(mark)) ? quoted(cell) : cell

/** True if the quotes within a quoted cell are doubled. */
const isClosed = (cell: string): boolean => !/(?:^|[^"])"(?:"")*(?:[^"]|$)/.test(cell.slice(1, -1))

/** A row of a CSV text. */
interface CsvRow {
  /** The cells as they are written, with their quotes. */
  readonly cells: readonly string[]
  readonly raw: string
  readonly line: number
  readonly lineBreak: string
}

/** The rows of a CSV text. A cell that begins with a quote ends with the quote that a delimiter or the end of the line follows. */
function* csvRows(text: string, delimiter: string): Generator<CsvRow> {
  let at = 0
  let line = 1
  while (at < text.length) {
    const start = at
    const begin = line
    const cells: string[] = []
    for (;;) {
      const end = cellEnd(text, at, delimiter)
      const cell = text.slice(at, end)
      cells.push(cell)
      if (cell.startsWith('"')) line += cell.match(/\r\n|\r|\n/g)?.length ?? 0
      at = end
      if (text[at] !== delimiter) break
      at++
    }
    const lineBreak = text.startsWith('\r\n', at) ? '\r\n' : text.slice(at, at + 1)
    const raw = text.slice(start, at)
    at += lineBreak.length
    line++
    yield { cells, raw, line: begin, lineBreak }
  }
}

function cellEnd(text: string, start: number, delimiter: string): number {
  if (text[start] === '"') {
    const close = closingQuote(text, start + 1, delimiter)
    if (close !== -1) return close + 1
  }
  let at = start
  for (; at < text.length; at++) if (isEnd(text[at], delimiter)) break
  return at
}

const isEnd = (character: string | undefined, delimiter: string): boolean =>
  character === undefined || character === delimiter || character === '\n' || character === '\r'

/** The place of the quote that ends a cell; -1 if the cell only begins with a quote. */
function closingQuote(text: string, start: number, delimiter: string): number {
  let at = text.indexOf('"', start)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at !== -1 && isEnd(text[at + 1], delimiter) ? at : -1
}

/**
 * Finds the delimiter of a CSV text in its first line: the one that splits it into the most known names, or into the most names where none is known.
 *
 * @param isKnown true for the name or the label of a field
 */
export function foundDelimiter(text: string, isKnown: (name: string) => boolean): DelimiterName {
  let best: { name: DelimiterName; known: number; columns: number } = { name: 'comma', known: 0, columns: 0 }
  for (const name of DELIMITER_NAMES) {
    const [row] = csvRows(text.trimStart(), CHARACTERS[name])
    const names = (row?.cells ?? []).map((cell) => bare(cell).trim())
    const known = names.filter(isKnown).length
    const isBetter = known > best.known || (known === best.known && names.length > best.columns)
    if (isBetter) best = { name, known, columns: names.length }
  }
  return best.name
}

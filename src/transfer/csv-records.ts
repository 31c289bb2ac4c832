import { DELIMITERS } from '../query/formats.ts'

/** A cell; null if it is empty and not quoted. */
export type CsvCell = string | null

/** A row of a CSV file, the header included. */
export interface CsvRecord {
  /** At most `MAX_CELLS` and one: a longer row ends the reading. */
  readonly cells: readonly CsvCell[]
  /** Line where it begins, from 1. */
  readonly line: number
  /** The fault that ends the reading; then there are no cells. */
  readonly fault?: string
}

/** Maximum number of cells of a row. */
export const MAX_CELLS = 1000

/** The message about a row of a file that is too long. */
export const rowTooLong = (maxLength: number): string =>
  `The row is longer than ${maxLength} characters (setting max_record_bytes)`

const QUOTE = '"'

/**
 * Where the reader stands: before a cell, in a cell without quotes, within quotes, or behind a quote that ends the cell unless a second one
 * follows.
 */
type Place = 'start' | 'plain' | 'quoted' | 'closed'

/**
 * Reads the rows of a CSV file (RFC 4180) from its pieces, in time linear in the text. Rows end with CRLF, LF or CR. Empty lines are no
 * rows. A syntax error, and a row with more than `MAX_CELLS` cells, end the reading.
 */
class CsvReader {
  /** The next end of a cell without quotes, or a quote within it. */
  readonly #special: RegExp
  readonly #delimiter: string
  readonly #maxLength: number
  #rows: CsvRecord[] = []
  #cells: CsvCell[] = []
  #cell = ''
  /** Number of characters of the present row. */
  #length = 0
  #place: Place = 'start'
  /** True behind a CR, with which a LF is one line break. */
  #afterCr = false
  #line = 1
  /** Line where the present row begins. */
  #begin = 1
  #isOver = false

  /** @param maxLength maximum number of characters of a row; a longer one is a fault */
  constructor(delimiter: string, maxLength: number) {
    this.#delimiter = delimiter
    this.#maxLength = maxLength
    this.#special = new RegExp(`[${delimiter}"\r\n]`, 'g')
  }

  /** True once the reading has ended early: no more pieces are read. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Reads the next piece, and returns the rows that it completes. */
  read(piece: string): readonly CsvRecord[] {
    for (let at = 0; at < piece.length && !this.#isOver; ) {
      const start = at
      if (this.#place === 'quoted') at = this.#readQuoted(piece, at)
      else if (this.#place === 'closed') at = this.#readBehindQuote(piece, at)
      else at = this.#readPlain(piece, at)
      this.#length += at - start
      if (this.#length > this.#maxLength) this.#fail(rowTooLong(this.#maxLength))
    }
    return this.#taken()
  }

  /** Returns the last row, if no line break ends it. */
  end(): readonly CsvRecord[] {
    if (this.#isOver) return []
    if (this.#place === 'quoted') this.#fail('Not valid CSV: a quote is not closed')
    else this.#endLine()
    return this.#taken()
  }

  #taken(): readonly CsvRecord[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** Reads to the next quote that is not doubled, or to the end of the piece. */
  #readQuoted(piece: string, start: number): number {
    const parts: string[] = []
    let from = start
    let quote = piece.indexOf(QUOTE, from)
    while (quote !== -1 && piece[quote + 1] === QUOTE) {
      parts.push(piece.slice(from, quote + 1))
      from = quote + 2
      quote = piece.indexOf(QUOTE, from)
    }
    const end = quote === -1 ? piece.length : quote
    parts.push(piece.slice(from, end))
    const text = parts.join('')
    this.#cell += text
    this.#countLines(text)
    if (quote === -1) return end
    this.#place = 'closed'
    return end + 1
  }

  #countLines(text: string): void {
    if (text === '') return
    this.#line += text.match(/\r\n|\r|\n/g)?.length ?? 0
    if (this.#afterCr && text.startsWith('\n')) this.#line--
    this.#afterCr = text.endsWith('\r')
  }

  #readBehindQuote(piece: string, at: number): number {
    const character = piece[at] ?? ''
    this.#afterCr = false
    if (character === QUOTE) {
      this.#cell += QUOTE
      this.#place = 'quoted'
    } else if (character === this.#delimiter) this.#endCell()
    else if (isLineBreak(character)) this.#breakLine(character)
    else this.#fail(`Not valid CSV: ${JSON.stringify(character)} follows a closing quote; double a quote within a cell`)
    return at + 1
  }

  #readPlain(piece: string, start: number): number {
    this.#special.lastIndex = start
    const at = this.#special.exec(piece)?.index ?? piece.length
    if (at > start) {
      this.#cell += piece.slice(start, at)
      this.#place = 'plain'
      this.#afterCr = false
    }
    const character = piece[at]
    if (character === undefined) return at
    if (isLineBreak(character)) this.#breakLine(character)
    else {
      this.#afterCr = false
      if (character === this.#delimiter) this.#endCell()
      else if (this.#place === 'start') this.#place = 'quoted'
      else this.#fail('Not valid CSV: a quote is within a cell without quotes; quote the cell and double the quote')
    }
    return at + 1
  }

  #breakLine(character: string): void {
    const isSecond = this.#afterCr && character === '\n'
    this.#afterCr = character === '\r'
    if (!isSecond) {
      this.#endLine()
      this.#line++
    }
    this.#begin = this.#line
    this.#length = 0
  }

  #endCell(): void {
    this.#cells.push(this.#cell === '' && this.#place !== 'closed' ? null : this.#cell)
    this.#cell = ''
    this.#place = 'start'
    if (this.#cells.length > MAX_CELLS) {
      this.#isOver = true
      this.#endRow()
    }
  }

  #endLine(): void {
    if (this.#place === 'start' && this.#cells.length === 0) return
    this.#endCell()
    if (!this.#isOver) this.#endRow()
  }

  #endRow(): void {
    this.#rows.push({ cells: this.#cells, line: this.#begin })
    this.#cells = []
  }

  #fail(fault: string): void {
    this.#isOver = true
    this.#rows.push({ cells: [], line: this.#begin, fault })
  }
}

const isLineBreak = (character: string): boolean => character === '\n' || character === '\r'

/**
 * Reads the rows of a CSV file.
 *
 * @param delimiterFor returns the delimiter of a file with this header
 * @param maxLength maximum number of characters of a row
 */
export async function* readCsvRecords(
  text: AsyncIterable<string>,
  delimiterFor: (header: string) => string,
  maxLength: number,
): AsyncGenerator<CsvRecord> {
  const { header, whole } = await withHeader(text)
  const reader = new CsvReader(delimiterFor(header), maxLength)
  for await (const piece of whole) {
    yield* reader.read(piece)
    if (reader.isOver) return
  }
  yield* reader.end()
}

/** Maximum length of a header that is searched for a delimiter. */
const MAX_HEADER = 65_536

/**
 * Finds the delimiter of a CSV file in its header: the one that splits it into the most known columns, or into the most columns where no
 * column is known; a comma when in doubt. Spreadsheets write semicolons in countries with a decimal comma, and tabs to the clipboard.
 *
 * @param isKnown true for the name or the label of a field
 */
export function delimiterOf(header: string, isKnown: (name: string) => boolean): string {
  let best: { delimiter: string; known: number; columns: number } = { delimiter: DELIMITERS.comma, known: 0, columns: 0 }
  for (const delimiter of Object.values(DELIMITERS)) {
    const names = namesIn(header, delimiter)
    const known = names.filter((name) => isKnown(name)).length
    if (known > best.known || (known === best.known && names.length > best.columns))
      best = { delimiter, known, columns: names.length }
  }
  return best.delimiter
}

/** The names in a header. A delimiter within quotes belongs to the name. */
function namesIn(header: string, delimiter: string): string[] {
  const names: string[] = []
  let name = ''
  let isQuoted = false
  for (const piece of header.split(delimiter)) {
    name = isQuoted ? name + delimiter + piece : piece
    if (piece.split('"').length % 2 === 0) isQuoted = !isQuoted
    if (!isQuoted) names.push(bare(name))
  }
  return isQuoted ? [...names, bare(name)] : names
}

const bare = (name: string): string =>
  name
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replaceAll('""', '"')
    .trim()

/** Reads the first line of a text that is not empty, and returns it with the whole text. */
export async function withHeader(
  text: AsyncIterable<string> | Iterable<string>,
): Promise<{ readonly header: string; readonly whole: AsyncGenerator<string> }> {
  const rest = toAsync(text)
  let start = ''
  while (start.length < MAX_HEADER && !/[^\r\n][\r\n]/.test(start)) {
    const { value, done } = await rest.next()
    if (done === true) break
    start += value
  }
  async function* whole() {
    yield start
    yield* rest
  }
  return { header: /[^\r\n]+/.exec(start.replace(/^\uFEFF/, ''))?.[0].slice(0, MAX_HEADER) ?? '', whole: whole() }
}

async function* toAsync(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, undefined> {
  yield* text
  return undefined
}

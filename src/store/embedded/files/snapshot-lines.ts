import { isAscii } from 'node:buffer'
import { tryJson } from '../../../util/json.ts'
import { hasDuplicateKey } from '../../../util/strict-json.ts'
import type { StoredRecord } from '../../store.ts'
import { type ReadFile, ReadWindow } from './disk.ts'

/**
 * The layout of `db.json`: a few lines that are the same in every file, and one record a line in the order of ids, which
 * begins with its id. The checksum covers all bytes before its line. `journal` is there while a journal with later transactions belongs to the
 * file.
 *
 *     {
 *     "format": 1,
 *     "sequence": 7,
 *     "journal": "journal.8.log",
 *     "tables": {
 *     "genre": {"next_id": 3, "records": [
 *     {"id":1,"name":"a"},
 *     {"id":2,"name":"b"}
 *     ]}
 *     },
 *     "checksum": "0123abcd"
 *     }
 */
export const FORMAT = 1

/**
 * A part of a snapshot: the start of a table, or some of its records, either as lines of the file (joined by `,\n`; valid until
 * the next part is read) or, from a file of another layout, parsed. `line` counts from 1.
 */
export type SnapshotPart =
  | { readonly kind: 'table'; readonly name: string; readonly nextId: number; readonly line?: number }
  | { readonly kind: 'lines'; readonly lines: Buffer; readonly line: number }
  | { readonly kind: 'records'; readonly records: readonly unknown[] }

export function headOf(sequence: number, journal: string | undefined): string {
  const named = journal === undefined ? '' : `"journal": ${JSON.stringify(journal)},\n`
  return `{\n"format": ${FORMAT},\n"sequence": ${sequence},\n${named}"tables": {`
}
export const tableHeadOf = (name: string, nextId: number): string =>
  `\n${JSON.stringify(name)}: {"next_id": ${nextId}, "records": [`
export const TABLE_END = '\n]}'
export const TABLES_END = '\n},\n'
export const tailOf = (checksum: number): string => `"checksum": "${checksum.toString(16).padStart(8, '0')}"\n}\n`
export const TAIL_LENGTH = tailOf(0).length

const TAIL = /^"checksum": "([0-9a-f]{8})"\n\}\n$/

/** The checksum stated at the end of a file, if any. */
export function statedChecksum(tail: string): number | undefined {
  const stated = TAIL.exec(tail)?.[1]
  return stated === undefined ? undefined : Number.parseInt(stated, 16)
}

/** A record as a line of the file, its id first. */
export function lineOf(record: StoredRecord): string {
  const text = JSON.stringify(record)
  const start = `{"id":${record.id}`
  if (text.startsWith(`${start},`) || text === `${start}}`) return text
  const { id: _, ...others } = record
  return `${start},${JSON.stringify(others).slice(1)}`
}

const OPEN = Buffer.from('{"id":')
const ZERO = 0x30
const NINE = 0x39
const COMMA = 0x2c
const CLOSE = 0x7d
export const NEWLINE = 0x0a

/** The id of the record whose line begins at `offset`; undefined if the line does not begin with an id. */
export function idAt(lines: Buffer, offset: number): number | undefined {
  for (let index = 0; index < OPEN.length; index++) if (lines[offset + index] !== OPEN[index]) return undefined
  let id = 0
  for (let index = offset + OPEN.length; ; index++) {
    const byte = lines[index] ?? 0
    if (byte >= ZERO && byte <= NINE) id = id * 10 + (byte - ZERO)
    else return (byte === COMMA || byte === CLOSE) && Number.isSafeInteger(id) && id >= 1 ? id : undefined
  }
}

/** Start and end of each line, without the comma. */
export function* linesIn(lines: Buffer): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = 0; start < lines.length; ) {
    const newline = lines.indexOf(NEWLINE, start)
    yield { start, end: newline === -1 ? lines.length : newline - 1 }
    start = newline === -1 ? lines.length : newline + 1
  }
}

export function countLines(lines: Buffer): number {
  let count = 1
  for (let newline = lines.indexOf(NEWLINE); newline !== -1; newline = lines.indexOf(NEWLINE, newline + 1)) count++
  return count
}

/** Serialises records in id order as lines. */
export const linesOf = (records: readonly unknown[]): string =>
  records.map((record) => lineOf(record as StoredRecord)).join(',\n')

/** A file does not have the layout that the server writes, from this line at the latest. */
export class LayoutError extends Error {
  /** @param line counts from 1 */
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`)
    this.name = 'LayoutError'
  }
}

const SEQUENCE = /^"sequence": (\d+),$/
export const JOURNAL = /^"journal": "([\w.]+)",$/
const TABLE = /^("(?:[^"\\]|\\.)*"): \{"next_id": (\d+), "records": \[$/

/** The table that starts on a line, if any. */
export function tableOf(line: string): { readonly name: string; readonly nextId: number } | undefined {
  const [, name, nextId] = TABLE.exec(line) ?? []
  const key = name === undefined ? undefined : tryJson(name)
  return typeof key === 'string' ? { name: key, nextId: Number(nextId) } : undefined
}

/** The head of a file. */
interface Head {
  readonly sequence: number
  readonly journal: string | undefined
  /** Number of its lines. */
  readonly lines: number
}

/**
 * Reads sequence and journal from the head of a file.
 *
 * @throws {LayoutError} if it has another layout
 */
export const readHeadOf = (file: ReadFile): Promise<Head> => readHead(new ReadWindow(file))

async function readHead(window: ReadWindow): Promise<Head> {
  await expectLine(window, 1, '{')
  await expectLine(window, 2, `"format": ${FORMAT},`)
  const sequence = Number(SEQUENCE.exec(await window.line())?.[1])
  if (!Number.isSafeInteger(sequence)) throw new LayoutError(3, `it must be '"sequence": <number>,'`)
  const fourth = await window.line()
  const journal = JOURNAL.exec(fourth)?.[1]
  const lines = journal === undefined ? 4 : 5
  if ((journal === undefined ? fourth : await window.line()) !== TABLES) throw new LayoutError(lines, `it must be '${TABLES}'`)
  return { sequence, journal, lines }
}

const TABLES = '"tables": {'

async function expectLine(window: ReadWindow, line: number, expected: string): Promise<void> {
  if ((await window.line()) !== expected) throw new LayoutError(line, `it must be '${expected}'`)
}

/**
 * Reads a file line by line. The bytes of a part are overwritten by the next part.
 *
 * @throws {LayoutError} if it has another layout
 */
export async function* readLines(file: ReadFile): AsyncGenerator<SnapshotPart> {
  const window = new ReadWindow(file)
  let line = (await readHead(window)).lines + 1
  let isLast: boolean | undefined
  for (; ; line++) {
    const head = await window.line()
    const table = tableOf(head)
    if (table === undefined || isLast === true) {
      if (isLast !== false) return await readEnd(window, line, head)
      throw new LayoutError(line, 'it is not the start of a table')
    }
    yield { kind: 'table', ...table, line }
    line++
    for await (const lines of recordLines(window, () => line)) {
      yield { kind: 'lines', lines, line }
      line += countLines(lines)
    }
    const end = await window.line()
    if (end !== ']}' && end !== ']},') throw new LayoutError(line, 'it is not the end of a table')
    isLast = end === ']}'
  }
}

/** @param head the line behind the tables */
async function readEnd(window: ReadWindow, line: number, head: string): Promise<void> {
  if (head !== '},' && head !== '}') throw new LayoutError(line, 'it is not the end of the tables')
  if (head === '},' && !/^"checksum": "\w*"$/.test(await window.line())) {
    throw new LayoutError(line + 1, 'it is not the checksum')
  }
  if ((await window.line()) !== '}') throw new LayoutError(line + 1, 'it is not the end of the file')
  if (window.view.length > 0 || (await window.fill())) throw new LayoutError(line + 2, 'text follows the end of the file')
}

/** Number of lines before the first one without a comma. */
function linesWithComma(lines: Buffer): number {
  let count = 0
  for (const { end } of linesIn(lines)) {
    if (lines[end] !== COMMA) return count
    count++
  }
  return count
}

/**
 * Parses the records on some lines.
 *
 * @param firstLine number of the first line, unless the checksum of the file matches
 * @throws {LayoutError} if a line does not hold exactly one record
 */
export function parseLines(lines: Buffer, firstLine?: number): unknown[] {
  if (firstLine === undefined) return JSON.parse(arrayOf(lines)) as unknown[]
  const records = parseFully(lines)
  if (records !== undefined && matchesLines(lines, records)) return records
  let line = firstLine
  for (const { start, end } of linesIn(lines)) {
    const alone = lines.subarray(start, end)
    if (!isLineEnd(lines, end) || !matchesLines(alone, parseFully(alone) ?? [])) break
    line++
  }
  throw new LayoutError(line, 'each line must hold one record, as valid JSON without duplicate keys')
}

const isLineEnd = (lines: Buffer, end: number): boolean => end === lines.length || lines[end] === COMMA

/** True if each line holds one of the records, and its leading id equals the parsed one. */
function matchesLines(lines: Buffer, records: readonly unknown[]): boolean {
  let index = 0
  for (const { start, end } of linesIn(lines)) {
    const id = idAt(lines, start)
    if (id !== undefined && (records[index] as { id?: unknown } | null | undefined)?.id !== id) return false
    if (!isLineEnd(lines, end)) return false
    index++
  }
  return index === records.length
}

/** Parses some lines; undefined for invalid JSON or duplicate keys. */
function parseFully(lines: Buffer): unknown[] | undefined {
  const text = arrayOf(lines)
  const records = tryJson(text) as unknown[] | undefined
  return records === undefined || hasDuplicateKey(text, records) ? undefined : records
}

/** Joins lines into a JSON array. Most are ASCII, which needs no UTF-8 decoding. */
const arrayOf = (lines: Buffer): string => `[${lines.toString(isAscii(lines) ? 'latin1' : 'utf8')}]`

/** The lines of one table in chunks, each without the comma and newline behind its last line. */
async function* recordLines(window: ReadWindow, line: () => number): AsyncGenerator<Buffer> {
  for (;;) {
    const { view } = window
    if (view.length >= 2 && view.toString('latin1', 0, 2) === TABLE_END.slice(1)) return
    const end = view.indexOf(TABLE_END)
    if (end > 0) {
      yield view.subarray(0, end)
      window.consume(end + 1)
      return
    }
    // The last line of a table has no comma; the bytes behind a line tell whether it is the last.
    const newline = view.length < 3 ? -1 : view.lastIndexOf(NEWLINE, view.length - 3)
    if (newline > 0) {
      if (view[newline - 1] !== COMMA) throw new LayoutError(line() + linesWithComma(view) + 1, 'it is not the end of a table')
      yield view.subarray(0, newline - 1)
      window.consume(newline + 1)
    } else if (view.length > 0 && view[0] === NEWLINE) throw new LayoutError(line(), 'it is empty')
    if (!(await window.fill())) throw new LayoutError(line(), 'the file ends within a table')
  }
}

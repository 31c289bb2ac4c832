import type { StoredRecord } from '../../store.ts'

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

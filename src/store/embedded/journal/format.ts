import { crc32 } from 'node:zlib'
import type { Change, StoredRecord } from '../../store.ts'
import { writtenTextOf } from '../snapshot/record-text.ts'

/** What one transaction did: the records it left behind (null: removed), and the next id of each table it touched. */
export interface JournalEntry {
  readonly sequence: number
  readonly changes: readonly (readonly [table: string, id: number, after: StoredRecord | null])[]
  readonly nextIds: Readonly<Record<string, number>>
}

/** A journal as read: its good entries, and what stands behind them if anything does. */
export interface JournalReading {
  readonly entries: readonly JournalEntry[]
  /** Where the good entries end, in bytes. */
  readonly goodLength: number
  /** Behind the good entries: nothing, the torn rest of a last write, or damage with good entries behind it. */
  readonly rest: 'none' | 'torn' | 'damaged'
}

const NEWLINE = 0x0a
const SPACE = 0x20
/** `<length> <crc32> `, eight hexadecimal digits each: of the text that follows, up to the newline. */
const HEADER_LENGTH = 18

/** One line: length, checksum, sequence, JSON. */
export function encodeEntry(sequence: number, changes: readonly Change[], nextIds: ReadonlyMap<string, number>): string {
  let changed = ''
  for (const { table, id, after } of changes) {
    const record = after === undefined ? 'null' : writtenTextOf(after)
    changed += `${changed === '' ? '' : ','}[${JSON.stringify(table)},${id},${record}]`
  }
  let next = ''
  for (const [table, id] of nextIds) next += `${next === '' ? '' : ','}${JSON.stringify(table)}:${id}`
  const text = `${sequence} {"changes":[${changed}],"next_ids":{${next}}}`
  return `${hex(Buffer.byteLength(text))} ${hex(crc32(text))} ${text}\n`
}

/** @param firstSequence the sequence that the first entry must have; each further one has the next */
export function readEntries(bytes: Buffer, firstSequence: number): JournalReading {
  const entries: JournalEntry[] = []
  let offset = 0
  while (offset < bytes.length) {
    const line = readLine(bytes, offset)
    if (line === undefined || line.entry.sequence !== firstSequence + entries.length) break
    entries.push(line.entry)
    offset = line.end
  }
  if (offset === bytes.length) return { entries, goodLength: offset, rest: 'none' }
  return { entries, goodLength: offset, rest: entryFrom(bytes, offset) === undefined ? 'torn' : 'damaged' }
}

function readLine(bytes: Buffer, offset: number): { entry: JournalEntry; end: number } | undefined {
  const header = bytes.toString('latin1', offset, offset + HEADER_LENGTH)
  const [, length = '', checksum = ''] = /^([0-9a-f]{8}) ([0-9a-f]{8}) $/.exec(header) ?? []
  if (length === '') return undefined
  const start = offset + HEADER_LENGTH
  const end = start + Number.parseInt(length, 16)
  if (bytes[end] !== NEWLINE) return undefined
  const text = bytes.subarray(start, end)
  if (crc32(text) !== Number.parseInt(checksum, 16)) return undefined
  const space = text.indexOf(' ')
  const body = parseBody(text.toString('utf8', space + 1))
  // Eight zeroes are the checksum of nothing.
  if (space === -1 || body === undefined) return undefined
  return {
    entry: { sequence: Number(text.toString('latin1', 0, space)), changes: body.changes, nextIds: body.next_ids },
    end: end + 1,
  }
}

/** How many good lines there are behind a bad one. */
export function countEntriesAfter(bytes: Buffer, offset: number): number {
  let count = 0
  for (let at = entryFrom(bytes, offset); at !== undefined; count++) {
    const end = readLine(bytes, at)?.end ?? bytes.length
    at = readLine(bytes, end) === undefined ? entryFrom(bytes, end) : end
  }
  return count
}

/**
 * Where the first good line begins at or behind a bad one's offset, if any does: then something was damaged, rather than never
 * finished. Any byte may be its first, since the damage may be in a newline; the bad line itself may be good but for its place.
 */
function entryFrom(bytes: Buffer, offset: number): number | undefined {
  for (let at = bytes.indexOf(SPACE, offset + 8); at !== -1; at = bytes.indexOf(SPACE, at + 1)) {
    if (bytes[at + 9] === SPACE && readLine(bytes, at - 8) !== undefined) return at - 8
  }
  return undefined
}

function parseBody(text: string): { changes: JournalEntry['changes']; next_ids: Record<string, number> } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Eight digits of 32 bits. (`toString(16)` of so large a number takes seven times as long.) */
const hex = (value: number): string =>
  `${BYTES[value >>> 24]}${BYTES[(value >>> 16) & 0xff]}${BYTES[(value >>> 8) & 0xff]}${BYTES[value & 0xff]}`

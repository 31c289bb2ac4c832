import { crc32 } from 'node:zlib'
import { tryJson } from '../../../util/json.ts'
import type { Change, StoredRecord } from '../../store.ts'

/** A transaction: the changed records (null if removed), and the next id of each table it touched. */
export interface JournalEntry {
  readonly sequence: number
  readonly changes: readonly (readonly [table: string, id: number, after: StoredRecord | null])[]
  readonly nextIds: Readonly<Record<string, number>>
}

/** The result of reading a journal: its valid entries, and what follows them. */
export interface JournalReading {
  readonly entries: readonly JournalEntry[]
  /** End of the valid entries, in bytes. */
  readonly validLength: number
  /** The data after the valid entries: none, the torn last write, or damage with valid entries behind it. */
  readonly rest: 'none' | 'torn' | 'damaged'
}

const NEWLINE = 0x0a
const SPACE = 0x20
/** `<length> <crc32> `, eight hexadecimal digits each, for the text that follows up to the newline. */
const HEADER_LENGTH = 18

/** A transaction is written in several lines when its changes have more characters than this. A string of V8 holds 2^29. */
const MAX_CHANGES_LENGTH = 1 << 20

/**
 * Encodes the lines of a transaction, one after the other, so that a long one need not be in memory as text. Each has its length, checksum, sequence and JSON. Most transactions have one line; the lines
 * of a longer one are numbered from 0 by `part`, and all but the last have `more`.
 */
export function* encodeEntry(
  sequence: number,
  changes: readonly Change[],
  nextIds: ReadonlyMap<string, number>,
  maxLength = MAX_CHANGES_LENGTH,
): Generator<string> {
  let part = 0
  let changed = ''
  for (const { table, id, after } of changes) {
    if (changed.length > maxLength) {
      yield encodeLine(`${sequence} {"part":${part++},"more":true,"changes":[${changed}]}`)
      changed = ''
    }
    const record = after === undefined ? 'null' : JSON.stringify(after)
    changed += `${changed === '' ? '' : ','}[${JSON.stringify(table)},${id},${record}]`
  }
  let next = ''
  for (const [table, id] of nextIds) next += `${next === '' ? '' : ','}${JSON.stringify(table)}:${id}`
  yield encodeLine(`${sequence} {${part === 0 ? '' : `"part":${part},`}"changes":[${changed}],"next_ids":{${next}}}`)
}

const encodeLine = (text: string): string => `${hex(Buffer.byteLength(text))} ${hex(crc32(text))} ${text}\n`

/** @param firstSequence the expected sequence of the first entry; sequences are consecutive */
export function readEntries(bytes: Buffer, firstSequence: number): JournalReading {
  const entries: JournalEntry[] = []
  let validLength = 0
  /** The changes of a transaction whose last line has not been read. */
  let parts: JournalEntry['changes'][] = []
  let offset = 0
  while (offset < bytes.length) {
    const line = readLine(bytes, offset)
    if (line?.sequence !== firstSequence + entries.length || line.part !== parts.length) break
    offset = line.end
    parts.push(line.changes)
    if (line.more) continue
    const { sequence, changes, nextIds } = line
    entries.push({ sequence, changes: parts.length === 1 ? changes : parts.flat(), nextIds })
    parts = []
    validLength = offset
  }
  if (validLength === bytes.length) return { entries, validLength, rest: 'none' }
  return { entries, validLength, rest: entryFrom(bytes, offset) === undefined ? 'torn' : 'damaged' }
}

/** A line of the journal. */
interface JournalLine extends JournalEntry {
  readonly part: number
  /** True if the transaction continues in the next line. */
  readonly more: boolean
  /** Offset behind the line. */
  readonly end: number
}

function readLine(bytes: Buffer, offset: number): JournalLine | undefined {
  const header = bytes.toString('latin1', offset, offset + HEADER_LENGTH)
  const [, length = '', checksum = ''] = /^([0-9a-f]{8}) ([0-9a-f]{8}) $/.exec(header) ?? []
  if (length === '') return undefined
  const start = offset + HEADER_LENGTH
  const end = start + Number.parseInt(length, 16)
  if (bytes[end] !== NEWLINE) return undefined
  const text = bytes.subarray(start, end)
  if (crc32(text) !== Number.parseInt(checksum, 16)) return undefined
  const space = text.indexOf(' ')
  const body = tryJson(text.toString('utf8', space + 1)) as LineBody | undefined
  // Eight zeros are a valid checksum of an empty text, which is not an entry.
  if (space === -1 || body === undefined) return undefined
  const { changes, next_ids: nextIds = {}, part = 0, more = false } = body
  return { sequence: Number(text.toString('latin1', 0, space)), changes, nextIds, part, more, end: end + 1 }
}

/** Number of valid lines behind an invalid one. */
export function countEntriesAfter(bytes: Buffer, offset: number): number {
  let count = 0
  for (let at = entryFrom(bytes, offset); at !== undefined; count++) {
    const end = readLine(bytes, at)?.end ?? bytes.length
    at = readLine(bytes, end) === undefined ? entryFrom(bytes, end) : end
  }
  return count
}

/**
 * Offset of the first valid line at or behind an invalid one. If there is one, the data was damaged rather than torn. Any byte
 * may start it, since the damage may be in a newline; the invalid line may itself be valid except for its sequence.
 */
function entryFrom(bytes: Buffer, offset: number): number | undefined {
  for (let at = bytes.indexOf(SPACE, offset + 8); at !== -1; at = bytes.indexOf(SPACE, at + 1)) {
    if (bytes[at + 9] === SPACE && readLine(bytes, at - 8) !== undefined) return at - 8
  }
  return undefined
}

/** The JSON of a line. */
interface LineBody {
  readonly changes: JournalEntry['changes']
  readonly next_ids?: Record<string, number>
  readonly part?: number
  readonly more?: boolean
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Eight hexadecimal digits of a 32-bit number. `toString(16)` takes seven times as long for large numbers. */
const hex = (value: number): string =>
  `${BYTES[value >>> 24]}${BYTES[(value >>> 16) & 0xff]}${BYTES[(value >>> 8) & 0xff]}${BYTES[value & 0xff]}`

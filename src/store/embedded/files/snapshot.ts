import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { AppError } from '../../../errors.ts'
import { isObject } from '../../../util/json.ts'
import { duplicateKey } from '../../../util/strict-json.ts'
import { type AppendFile, chunksOf, type Disk, type ReadFile, writeBytes } from './disk.ts'
import * as layout from './snapshot-lines.ts'
import { FORMAT, LayoutError, readHeadOf, readLines, type SnapshotPart } from './snapshot-lines.ts'

/** Larger files are only read line by line, since their text may exceed the maximum string length. In bytes. */
const MAX_DOCUMENT_BYTES = 256 << 20

/** Origin of a data file: `ours` if its checksum matches, `edited` if it does not, `foreign` without one. */
export type Origin = 'ours' | 'edited' | 'foreign'

/** The content of `db.json`, never in memory as a whole. */
export interface Snapshot {
  /** The last transaction contained; the journal holds later ones. */
  readonly sequence: number
  /** Name of the first journal file with later transactions, which must exist; undefined if no such file exists or is known. */
  readonly journal?: string | undefined
  /** Can be iterated repeatedly until the file is closed. */
  readonly parts: AsyncIterable<SnapshotPart>
  /** The open file. */
  readonly file?: SnapshotFile
}

/** An open data file. It keeps its content even if its path is replaced. */
export interface SnapshotFile {
  readonly origin: Origin
  readonly bytes: number
  /**
   * Reads the snapshot as a whole, for files of another layout.
   *
   * @throws {AppError} DATA_CORRUPT if it is not a snapshot or too large
   */
  document(error: LayoutError): Promise<Snapshot>
  close(): Promise<void>
}

/** Path of the next file until it replaces the present one. */
export const draftOf = (path: string): string => `${path}.new`

/** The snapshot of a new folder. */
export const EMPTY_SNAPSHOT: Snapshot = { sequence: 0, parts: partsOf({}) }

/**
 * Stores a snapshot in one JSON file with one record per line in id order, so that people and `git diff` can read it. The file is
 * replaced atomically: after a crash there is the old one or the new one.
 */
export class SnapshotAdapter implements Adapter<Snapshot> {
  readonly #path: string
  readonly #disk: Disk
  readonly #maxDocumentBytes: number

  constructor(path: string, disk: Disk, maxDocumentBytes = MAX_DOCUMENT_BYTES) {
    this.#path = path
    this.#disk = disk
    this.#maxDocumentBytes = maxDocumentBytes
  }

  /**
   * Opens the file; the caller must close it.
   *
   * @returns null if there is no file yet
   * @throws {AppError} DATA_CORRUPT if the file is not a snapshot
   */
  async read(): Promise<Snapshot | null> {
    const file = await this.#disk.openRead(this.#path).catch((cause: Error) => {
      throw new AppError('TASK_FAILED', `${this.#path} cannot be opened: ${cause.message}`, { cause })
    })
    if (file === undefined) return null
    try {
      const about = {
        origin: await originOf(file),
        bytes: file.size,
        document: (error: LayoutError) => this.#readDocument(file, about, error),
        close: () => file.close(),
      }
      const parts = { [Symbol.asyncIterator]: () => readLines(file) }
      return await readHeadOf(file).then(
        ({ sequence, journal }) => ({ sequence, journal, parts, file: about }),
        (error: unknown) => {
          if (error instanceof LayoutError) return about.document(error)
          throw error
        },
      )
    } catch (error) {
      await file.close()
      if (error instanceof AppError) throw error
      const what = `${this.#path} cannot be read: ${error instanceof Error ? error.message : String(error)}`
      throw new AppError('TASK_FAILED', `${what}; it must be a readable file`, { cause: error })
    }
  }

  async #readDocument(file: ReadFile, about: SnapshotFile, { message }: LayoutError): Promise<Snapshot> {
    if (file.size > this.#maxDocumentBytes || about.origin === 'ours') {
      const remedy = 'Restore it from a backup; a file of this size must keep one record on each line'
      throw new AppError('DATA_CORRUPT', `${this.#path} cannot be read: ${message}. ${remedy}`)
    }
    const { sequence, journal, tables } = await parseDocument(await textOf(file), this.#path)
    return { sequence, journal, parts: partsOf(tables), file: about }
  }

  async write(snapshot: Snapshot): Promise<void> {
    const temporary = draftOf(this.#path)
    try {
      const file = await this.#disk.openNew(temporary)
      try {
        await writeParts(file, snapshot)
        await file.sync()
      } finally {
        await file.close()
      }
      await this.#disk.rename(temporary, this.#path)
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => {})
      throw error
    }
    await this.#disk.syncFolder(dirname(this.#path))
  }
}

async function originOf(file: ReadFile): Promise<Origin> {
  const length = Math.max(0, file.size - layout.TAIL_LENGTH)
  let checksum = 0
  for await (const chunk of chunksOf(file, length)) checksum = crc32(chunk, checksum)
  const buffer = Buffer.alloc(layout.TAIL_LENGTH)
  const count = await file.read(buffer, length)
  const tail = buffer.toString('latin1', 0, count)
  if (layout.statedChecksum(tail) === checksum) return 'ours'
  return tail.includes('"checksum"') ? 'edited' : 'foreign'
}

async function textOf(file: ReadFile): Promise<string> {
  const bytes = Buffer.allocUnsafe(file.size)
  let length = 0
  while (length < bytes.length) {
    const count = await file.read(bytes.subarray(length), length)
    if (count === 0) break
    length += count
  }
  return bytes.toString('utf8', 0, length)
}

/** Writes the file in pieces, so that it is never in memory as a whole. */
async function writeParts(file: AppendFile, { sequence, journal, parts }: Snapshot): Promise<void> {
  let checksum = 0
  let length = 0
  let pending: Buffer[] = []
  let pendingBytes = 0
  const flush = async () => {
    const bytes = Buffer.concat(pending, pendingBytes)
    pending = []
    pendingBytes = 0
    checksum = crc32(bytes, checksum)
    await writeBytes(file, bytes, length)
    length += bytes.length
  }
  const put = (bytes: Buffer) => {
    pending.push(bytes)
    pendingBytes += bytes.length
  }
  put(Buffer.from(layout.headOf(sequence, journal)))
  let tables = 0
  let chunks = 0
  for await (const part of parts) {
    if (part.kind === 'table') {
      put(Buffer.from(`${tables === 0 ? '' : `${layout.TABLE_END},`}${layout.tableHeadOf(part.name, part.nextId)}`))
      tables++
      chunks = 0
    } else {
      put(Buffer.from(chunks === 0 ? '\n' : ',\n'))
      put(part.kind === 'lines' ? part.lines : Buffer.from(layout.linesOf(part.records)))
      chunks++
      // The buffer is reused for the next lines.
      await flush()
    }
  }
  put(Buffer.from(`${tables === 0 ? '' : layout.TABLE_END}${layout.TABLES_END}`))
  await flush()
  await writeBytes(file, Buffer.from(layout.tailOf(checksum)), length)
}

/** The items of a table in a file of any layout, not validated yet. */
export interface DocumentTable {
  readonly nextId: number
  readonly records: readonly unknown[]
}

/** A data file parsed as a whole. */
export interface SnapshotDocument {
  readonly sequence: number
  readonly journal: string | undefined
  readonly tables: Readonly<Record<string, DocumentTable>>
}

const MEMBERS = ['format', 'sequence', 'journal', 'tables', 'checksum']
const TABLE_MEMBERS = ['next_id', 'records']

/**
 * Parses a data file of any layout. Members that a rewrite would lose are errors.
 *
 * @throws {AppError} DATA_CORRUPT naming the place
 */
export async function parseDocument(text: string, path: string): Promise<SnapshotDocument> {
  const corrupt = (reason: string) =>
    new AppError('DATA_CORRUPT', `${path} cannot be read: ${reason}. Restore it from a backup, or correct it by hand`)
  const document = await parseJson(text.replace(/^\uFEFF/, ''), corrupt)
  if (!isObject(document) || document.format !== FORMAT || !isObject(document.tables)) {
    throw corrupt(`it is not a data file of format ${FORMAT}`)
  }
  const twice = await duplicateKey(text, document)
  if (twice !== undefined) throw corrupt(`line ${twice.line}: the key ${JSON.stringify(twice.key)} occurs twice`)
  rejectUnknownMembers(document, MEMBERS, '', corrupt)
  const tables = Object.entries(document.tables).map(([name, table]): [string, DocumentTable] => {
    if (!isObject(table) || !Array.isArray(table.records)) throw corrupt(`tables.${name}.records is not an array`)
    rejectUnknownMembers(table, TABLE_MEMBERS, `tables.${name}.`, corrupt)
    return [name, { nextId: numberOr(table.next_id, 1), records: table.records }]
  })
  const { sequence, journal } = document
  return {
    sequence: numberOr(sequence, 0),
    journal: typeof journal === 'string' ? journal : undefined,
    tables: Object.fromEntries(tables),
  }
}

/** Maximum number of records in a part, so that their text does not exceed the maximum string length. */
const RECORDS_PER_PART = 1000

/** Tables as parts of a snapshot, which can be iterated repeatedly. */
export function partsOf(tables: SnapshotDocument['tables']): AsyncIterable<SnapshotPart> {
  return {
    async *[Symbol.asyncIterator]() {
      for (const [name, { nextId, records }] of Object.entries(tables)) {
        yield { kind: 'table', name, nextId }
        for (let from = 0; from < records.length; from += RECORDS_PER_PART) {
          yield { kind: 'records', records: records.slice(from, from + RECORDS_PER_PART) }
        }
      }
    },
  }
}

function rejectUnknownMembers(
  value: object,
  known: readonly string[],
  path: string,
  corrupt: (reason: string) => AppError,
): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw corrupt(`${path}${unknown} is not a member of a data file, so it would be lost`)
}

const numberOr = (value: unknown, otherwise: number): number =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : otherwise

async function parseJson(text: string, corrupt: (reason: string) => AppError): Promise<unknown> {
  if (text.trim() === '') throw corrupt('it is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw corrupt((await describeSyntaxError(text)) ?? (error instanceof Error ? error.message : String(error)))
  }
}

/** Messages for the error codes of jsonc-parser. */
const SYNTAX_ERRORS: Readonly<Record<number, string>> = {
  1: 'this is not JSON',
  2: 'a number is not valid JSON',
  3: 'a key in double quotes is missing',
  4: 'a value is missing',
  5: 'a colon is missing',
  6: 'a comma is missing',
  7: 'a closing brace is missing',
  8: 'a closing bracket is missing',
  9: 'text follows the end of the document',
  10: 'JSON does not allow comments',
  11: 'a comment is not closed',
  12: 'a string lacks its closing double quote',
  13: 'a number is incomplete',
  14: 'a \\u must be followed by four hexadecimal digits',
  15: 'a backslash is followed by a character that JSON does not allow there',
  16: 'a string contains a control character that must be escaped',
}

/** Describes the first JSON syntax error, with its position. */
async function describeSyntaxError(text: string): Promise<string | undefined> {
  // Rarely needed, so it is not loaded at start.
  const { visit } = await import('jsonc-parser')
  let fault: string | undefined
  visit(
    text,
    {
      onError(code, _offset, _length, line, character) {
        fault ??= `line ${line + 1}, column ${character + 1}: ${SYNTAX_ERRORS[code] ?? 'it is not valid JSON'}`
      },
    },
    { disallowComments: true },
  )
  return fault
}

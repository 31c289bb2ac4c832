import { basename, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { type AppendFile, type Disk, writeAll } from '../files/disk.ts'
import { type JournalEntry, readEntries } from './format.ts'

const NAME = /^journal\.(\d+)\.log$/

/** The disk did not confirm a write, so it is unknown whether the data is durable. */
export class SyncFailure extends Error {
  constructor(cause: unknown) {
    super('The disk did not confirm a write', { cause })
    this.name = 'SyncFailure'
  }
}

/** The transactions in a folder's journal files after the snapshot. */
export interface JournalContents {
  readonly entries: readonly JournalEntry[]
  /** The last transaction, including those of the snapshot. */
  readonly last: number
  /** Journal files, oldest first. */
  readonly paths: readonly string[]
  /** The torn end of the last file, if any: `goodLength` is the length of its valid part. */
  readonly torn: { readonly path: string; readonly goodLength: number; readonly length: number } | undefined
}

/**
 * Reads the transactions after `sequence`. Files are named by their first sequence.
 *
 * @param before files that start with this transaction or a later one are ignored
 * @throws {AppError} DATA_CORRUPT naming file and offset if anything before the end is missing or damaged
 */
export async function readJournal(
  folder: string,
  disk: Disk,
  sequence: number,
  before = Number.POSITIVE_INFINITY,
): Promise<JournalContents> {
  const paths = (await journalFiles(folder, disk)).filter((path) => firstOf(path) < before)
  const entries: JournalEntry[] = []
  let last = sequence
  let torn: JournalContents['torn']
  let end: JournalEnd | undefined
  for (const path of paths) {
    const bytes = await disk.readBytes(path)
    const reading = readEntries(bytes, firstOf(path))
    // A torn line must be the end of the journal.
    if (torn !== undefined && bytes.length > 0) throw damaged(torn.path, torn.goodLength)
    if (reading.rest === 'damaged') throw damaged(path, reading.validLength)
    if (reading.rest === 'torn') torn = { path, goodLength: reading.validLength, length: bytes.length }
    if (firstOf(path) > last + 1) throw missing(path, last, firstOf(path))
    end = endOf(path, reading.entries) ?? end
    for (const entry of reading.entries) {
      if (entry.sequence <= last) continue
      entries.push(entry)
      last = entry.sequence
    }
  }
  const stray = strayEnd(end, sequence)
  if (stray !== undefined && end !== undefined) throw new AppError('DATA_CORRUPT', `${end.path} ${stray}`)
  return { entries, last, paths, torn }
}

/** The last readable transaction of a journal, with its file. */
export interface JournalEnd {
  readonly path: string
  readonly sequence: number
}

export function endOf(path: string, entries: readonly JournalEntry[]): JournalEnd | undefined {
  const last = entries.at(-1)
  return last && { path, sequence: last.sequence }
}

/**
 * The problem of a journal that ends before its snapshot. Compaction cannot cause it, since it removes the newest file last:
 * `db.json` was replaced by one of other data.
 */
export function strayEnd(end: JournalEnd | undefined, sequence: number): string | undefined {
  if (end === undefined || end.sequence >= sequence) return undefined
  const what = `ends with transaction ${end.sequence}, but db.json is at ${sequence}: it is not the file that this journal continues`
  return `${what}; restore the db.json that belongs to it, or remove the journal and lose what is in it`
}

/** True for the name of a journal file. */
export const isJournal = (name: string): boolean => NAME.test(name)

/** Journal files of a folder, sealed or not, oldest first. */
export async function journalFiles(folder: string, disk: Disk): Promise<string[]> {
  const names = (await disk.list(folder)).filter(isJournal)
  return names.sort((a, b) => firstOf(a) - firstOf(b)).map((name) => join(folder, name))
}

/** The first transaction of a journal file, from its name. */
export const firstOf = (path: string): number => Number(NAME.exec(basename(path))?.[1])

/** The journal being written: an append-only file with one line for each transaction. */
export class Journal {
  readonly #folder: string
  readonly #disk: Disk
  #path: string
  #file: AppendFile
  #length = 0

  private constructor(folder: string, disk: Disk, path: string, file: AppendFile) {
    this.#folder = folder
    this.#disk = disk
    this.#path = path
    this.#file = file
  }

  /** Starts a new file whose first transaction will be `sequence`. */
  static async create(folder: string, disk: Disk, sequence: number): Promise<Journal> {
    const { path, file } = await createFile(folder, disk, sequence)
    return new Journal(folder, disk, path, file)
  }

  /** The first transaction of the file being written. */
  get first(): number {
    return firstOf(this.#path)
  }

  /** In bytes. */
  get length(): number {
    return this.#length
  }

  /**
   * Appends lines; resolves when they are durable.
   *
   * @throws {SyncFailure} if it is unknown whether they are
   * @throws {Error} if they could not be written; then the file is unchanged
   */
  async append(lines: Uint8Array): Promise<void> {
    try {
      await writeAll(this.#file, lines, this.#length)
    } catch (error) {
      await this.#file.truncate(this.#length).catch((cause: unknown) => {
        throw new SyncFailure(cause)
      })
      throw error
    }
    await this.#file.sync().catch((cause: unknown) => {
      throw new SyncFailure(cause)
    })
    this.#length += lines.length
  }

  /** Seals the file and starts the next one, whose first transaction will be `sequence`. If that fails nothing has changed. */
  async rotate(sequence: number): Promise<void> {
    const { path, file } = await createFile(this.#folder, this.#disk, sequence)
    const sealed = this.#file
    this.#path = path
    this.#file = file
    this.#length = 0
    // Its content is already durable.
    await sealed.close().catch(() => {})
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Creates a journal file whose name is as durable as its content; removes it on failure. */
async function createFile(folder: string, disk: Disk, sequence: number): Promise<{ path: string; file: AppendFile }> {
  const path = join(folder, `journal.${sequence}.log`)
  const file = await disk.openAppend(path)
  try {
    await disk.syncFolder(folder)
    return { path, file }
  } catch (error) {
    await file.close().catch(() => {})
    await disk.remove(path).catch(() => {})
    throw error
  }
}

const ADVICE = '`admin doctor` tells more, and can save what is good into a new folder'

const damaged = (path: string, offset: number): AppError =>
  new AppError('DATA_CORRUPT', `${path} is damaged at byte ${offset}, with good transactions behind it. ${ADVICE}`)

const missing = (path: string, last: number, found: number): AppError =>
  new AppError('DATA_CORRUPT', `${path} begins with transaction ${found}, but the last one before it is ${last}. ${ADVICE}`)

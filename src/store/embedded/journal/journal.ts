import { basename, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { type AppendFile, type Disk, writeAll } from '../files/disk.ts'
import { type JournalEntry, readEntries } from './format.ts'

const NAME = /^journal\.(\d+)\.log$/

/** The disk would not say that what was written is kept; nobody knows what is. */
export class SyncFailure extends Error {
  constructor(cause: unknown) {
    super('The disk did not confirm a write', { cause })
    this.name = 'SyncFailure'
  }
}

/** What a folder's journal files hold beyond a snapshot. */
export interface JournalContents {
  readonly entries: readonly JournalEntry[]
  /** The last transaction of all, those of the snapshot included. */
  readonly last: number
  /** The files, oldest first. */
  readonly paths: readonly string[]
  /** The torn end of the last file, if it has one: where its good part ends. */
  readonly torn: { readonly path: string; readonly goodLength: number; readonly length: number } | undefined
}

/**
 * Reads the transactions after `sequence`. The files are named by the first sequence that they hold.
 *
 * @param before files that begin with this transaction or a later one are left alone
 * @throws {AppError} DATA_CORRUPT naming file and offset, when anything is missing or damaged before the end
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
    // What was torn is the end of all, unless something was written behind it.
    if (torn !== undefined && bytes.length > 0) throw damaged(torn.path, torn.goodLength)
    if (reading.rest === 'damaged') throw damaged(path, reading.goodLength)
    if (reading.rest === 'torn') torn = { path, goodLength: reading.goodLength, length: bytes.length }
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

/** The last transaction that can be read of a journal, and its file. */
export interface JournalEnd {
  readonly path: string
  readonly sequence: number
}

export function endOf(path: string, entries: readonly JournalEntry[]): JournalEnd | undefined {
  const last = entries.at(-1)
  return last && { path, sequence: last.sequence }
}

/**
 * What is wrong with a journal that ends before its snapshot. Folding leaves none behind, since it removes the newest file last:
 * one of another history was put in the place of `db.json`.
 */
export function strayEnd(end: JournalEnd | undefined, sequence: number): string | undefined {
  if (end === undefined || end.sequence >= sequence) return undefined
  const what = `ends with transaction ${end.sequence}, but db.json is at ${sequence}: it is not the file that this journal continues`
  return `${what}; restore the db.json that belongs to it, or remove the journal and lose what is in it`
}

/** True for the name of a journal file. */
export const isJournal = (name: string): boolean => NAME.test(name)

/** The journal files of a folder, sealed or not, oldest first. */
export async function journalFiles(folder: string, disk: Disk): Promise<string[]> {
  const names = (await disk.list(folder)).filter(isJournal)
  return names.sort((a, b) => firstOf(a) - firstOf(b)).map((name) => join(folder, name))
}

/** The first transaction of a journal file, by its name. */
export const firstOf = (path: string): number => Number(NAME.exec(basename(path))?.[1])

/** The journal that is being written: an append-only file, one line a transaction. */
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

  /** Begins a new file, whose first transaction will be `sequence`. */
  static async begin(folder: string, disk: Disk, sequence: number): Promise<Journal> {
    const { path, file } = await beginFile(folder, disk, sequence)
    return new Journal(folder, disk, path, file)
  }

  /** The first transaction of the file that is being written. */
  get first(): number {
    return firstOf(this.#path)
  }

  /** In bytes. */
  get length(): number {
    return this.#length
  }

  /**
   * Adds lines; resolves when they would survive a power cut.
   *
   * @throws {SyncFailure} when nobody knows whether they would
   * @throws {Error} when they could not be written; then the file is as before
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

  /** Seals the file and begins the next one, whose first transaction will be `sequence`. When that fails, all is as before. */
  async rotate(sequence: number): Promise<void> {
    const { path, file } = await beginFile(this.#folder, this.#disk, sequence)
    const sealed = this.#file
    this.#path = path
    this.#file = file
    this.#length = 0
    // Everything in it is on disk already.
    await sealed.close().catch(() => {})
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Makes a journal file whose name is as durable as what will be in it; leaves none behind when that fails. */
async function beginFile(folder: string, disk: Disk, sequence: number): Promise<{ path: string; file: AppendFile }> {
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

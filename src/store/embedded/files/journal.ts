import { basename, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { type AppendFile, type Disk, writeBytes } from './disk.ts'
import { countEntriesAfter, type JournalEntry, readEntries } from './journal-format.ts'

const NAME = /^journal\.(\d+)\.log$/

/** The disk did not confirm a write, so it is unknown whether the data is durable. */
export class SyncFailure extends Error {
  constructor(cause: unknown) {
    super('The disk sync failed', { cause })
    this.name = 'SyncFailure'
  }
}

/** True for the name of a journal file. */
export const isJournal = (name: string): boolean => NAME.test(name)

/** Journal files of a folder, sealed or not, oldest first. */
export async function journalFiles(folder: string, disk: Disk): Promise<string[]> {
  const names = (await disk.list(folder)).filter(isJournal)
  return names.sort((a, b) => firstOf(a) - firstOf(b)).map((name) => join(folder, name))
}

/** The first transaction of a journal file, from its name. */
const firstOf = (path: string): number => Number(NAME.exec(basename(path))?.[1])

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

  get name(): string {
    return basename(this.#path)
  }

  /** In bytes. */
  get length(): number {
    return this.#length
  }

  /**
   * Appends chunks of lines; resolves when they are durable. Each chunk is synced before the next is written, so that after a power
   * failure no line is on disk without those before it.
   *
   * @throws {SyncFailure} if it is unknown whether they are
   * @throws {Error} if they could not be written; then the file is unchanged
   */
  async append(chunks: Iterable<Uint8Array>): Promise<void> {
    let end = this.#length
    for (const chunk of chunks) {
      await this.#write(chunk, end)
      end += chunk.length
    }
    this.#length = end
  }

  async #write(chunk: Uint8Array, at: number): Promise<void> {
    try {
      await writeBytes(this.#file, chunk, at)
    } catch (error) {
      await this.#file.truncate(this.#length).catch((cause: unknown) => {
        throw new SyncFailure(cause)
      })
      throw error
    }
    await this.#file.sync().catch((cause: unknown) => {
      throw new SyncFailure(cause)
    })
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

/** A problem of a data folder. An error prevents a start; a warning is repaired by the next start. */
export interface FolderProblem {
  readonly level: 'error' | 'warning'
  readonly file: string
  /** Continues a sentence that begins with the file. */
  readonly message: string
}

/** The readable part of a journal file. */
export interface JournalFile {
  readonly file: string
  readonly bytes: number
  /** Number of transactions before the first damage. */
  readonly transactions: number
}

/** The torn end of the last journal file: `validLength` is the length of its valid part. Lengths in bytes. */
interface TornWrite {
  readonly path: string
  readonly validLength: number
  readonly length: number
}

/** The transactions in a folder's journal after the snapshot. */
export interface JournalContents {
  /** The transactions up to the first damage. */
  readonly entries: readonly JournalEntry[]
  /** The last transaction, including the transactions in the snapshot. */
  readonly last: number
  /** Journal files, oldest first. */
  readonly paths: readonly string[]
  readonly torn: TornWrite | undefined
}

/** All journal files of a folder, damaged or not. */
export interface JournalSurvey extends JournalContents {
  readonly files: readonly JournalFile[]
  readonly findings: readonly FolderProblem[]
}

/** The journal files to read. */
interface JournalRange {
  /** The last transaction of the snapshot; undefined if unknown. */
  readonly sequence: number | undefined
  /** Files that start with this transaction or a later one are ignored. */
  readonly before?: number | undefined
  /** Name of the file with the first transactions after the snapshot, if `db.json` names one. */
  readonly expected?: string | undefined
}

/**
 * Reads an undamaged journal. Only its last file may end with a torn write.
 *
 * @throws {AppError} DATA_CORRUPT naming file and offset if anything before the end is missing or damaged
 */
export async function readJournal(folder: string, disk: Disk, range: JournalRange): Promise<JournalContents> {
  const survey = await surveyJournal(folder, disk, range)
  const damage = survey.findings.find(({ level }) => level === 'error')
  if (damage === undefined) return survey
  throw new AppError('DATA_CORRUPT', `${join(folder, damage.file)} ${damage.message}. ${ADVICE}`)
}

const ADVICE = '`admin doctor` shows details; its option --repair saves the readable records into a new folder'

/** Reads the valid part of a journal and reports the damage as findings. */
export async function surveyJournal(
  folder: string,
  disk: Disk,
  { sequence, before = Number.POSITIVE_INFINITY, expected }: JournalRange,
): Promise<JournalSurvey> {
  const paths = (await journalFiles(folder, disk)).filter((path) => firstOf(path) < before)
  const files: JournalFile[] = []
  const entries: JournalEntry[] = []
  const findings: FolderProblem[] = []
  let last = sequence ?? firstOf(paths[0] ?? 'journal.1.log') - 1
  let end: { readonly path: string; readonly sequence: number } | undefined
  let torn: TornWrite | undefined
  const report = (path: string, message: string) => findings.push({ level: 'error', file: basename(path), message })
  if (expected !== undefined && firstOf(expected) < before && !paths.some((path) => basename(path) === expected)) {
    const lost = `names ${expected}, which is missing, so the changes after transaction ${sequence} are lost`
    const remedy = 'put the file back, or accept the loss by `admin compact --accept`'
    findings.push({ level: 'error', file: 'db.json', message: `${lost}; ${remedy}` })
  }
  for (const path of paths) {
    const bytes = await disk.readBytes(path)
    const { entries: valid, validLength, rest } = readEntries(bytes, firstOf(path))
    files.push({ file: basename(path), bytes: bytes.length, transactions: valid.length })
    const final = valid.at(-1)
    if (final !== undefined) end = { path, sequence: final.sequence }
    // A torn write must be the end of the journal.
    if (torn !== undefined && bytes.length > 0) {
      report(torn.path, `is damaged at byte ${torn.validLength}, and ${basename(path)} continues the journal`)
      torn = undefined
    }
    if (firstOf(path) > last + 1 && findings.length === 0) {
      report(path, `starts with transaction ${firstOf(path)}, but the last one before it is ${last}`)
    }
    for (const entry of findings.length === 0 ? valid : []) {
      if (entry.sequence <= last) continue
      entries.push(entry)
      last = entry.sequence
    }
    if (rest === 'torn') torn = { path, validLength, length: bytes.length }
    else if (rest === 'damaged') {
      report(
        path,
        `is damaged at byte ${validLength}, with ${countEntriesAfter(bytes, validLength)} valid transactions behind it`,
      )
    }
  }
  if (torn !== undefined) {
    const what = `ends with an unfinished write, ${torn.length - torn.validLength} bytes from byte ${torn.validLength}`
    findings.push({ level: 'warning', file: basename(torn.path), message: `${what}; the next start removes it` })
  }
  // Compaction cannot cause this, since it removes the newest file last: db.json was replaced by one of other data.
  if (sequence !== undefined && end !== undefined && end.sequence < sequence) {
    const what = `ends with transaction ${end.sequence}, but db.json is at ${sequence}, so they do not belong together`
    report(end.path, `${what}; restore the db.json that belongs to it, or remove the journal and lose its transactions`)
  }
  return { files, entries, last, paths, torn, findings }
}

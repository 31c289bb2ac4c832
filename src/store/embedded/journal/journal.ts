import { basename, join } from 'node:path'
import { type AppendFile, type Disk, writeAll } from '../files/disk.ts'

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
      await writeAll(this.#file, chunk, at)
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

import { createReadStream, open as openFile } from 'node:fs'
import { mkdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { type Clock, systemClock } from '../../util/clock.ts'
import { isAbsent, undefinedIfAbsent } from '../../util/files.ts'
import { type Disk, nodeDisk } from '../embedded/files/disk.ts'
import { type BlobStore, type ByteRange, isSha256, type KeptBlob, type ReceivedFile } from './blob-store.ts'
import type { HashLocks } from './hash-locks.ts'
import { removeOldFiles } from './receive.ts'
import { explainedFull } from './storage-full.ts'

/** Parts of a `FolderBlobs` that tests replace. */
export interface FolderBlobsOptions {
  readonly disk?: Disk
  readonly clock?: Clock
}

const openDescriptor = promisify(openFile)

/** Bytes of a read. Half of it takes a fifth longer for a large file, twice as much is no faster. */
const READ_BYTES = 512 << 10

/**
 * Keeps bytes in a folder: the file `ab/<hash>` for each hash that begins with `ab`, only for the owner of the process. Received bytes are
 * renamed, so that a file is whole or not there, also after the process was killed.
 */
export class FolderBlobs implements BlobStore {
  readonly incoming: string
  readonly #folder: string
  readonly #locks: HashLocks
  readonly #disk: Disk
  readonly #clock: Clock
  /** The folders `ab` whose names are durable, or are being made so. */
  readonly #parts = new Map<string, Promise<void>>()

  /** @param folder absolute; it is created with the first file */
  constructor(folder: string, locks: HashLocks, { disk = nodeDisk, clock = systemClock }: FolderBlobsOptions = {}) {
    this.incoming = join(folder, 'incoming')
    this.#folder = folder
    this.#locks = locks
    this.#disk = disk
    this.#clock = clock
  }

  async keep({ path, sha256 }: ReceivedFile): Promise<void> {
    const place = this.#pathOf(sha256)
    try {
      await this.#prepare(sha256)
      // Also over a file that is there, which may be damaged. Those that read it keep what they have opened.
      await this.#disk.rename(path, place)
      await this.#disk.syncFolder(dirname(place))
    } catch (error) {
      await this.#disk.remove(path).catch(() => {})
      throw explainedFull(error)
    }
  }

  /** Creates the folder of a hash. It may be there, and its name not durable yet, where another process has made it. */
  #prepare(sha256: string): Promise<void> {
    const part = sha256.slice(0, 2)
    const known = this.#parts.get(part)
    if (known !== undefined) return known
    const made = makeDurable(join(this.#folder, part), this.#disk)
    this.#parts.set(part, made)
    made.catch(() => this.#parts.delete(part))
    return made
  }

  async open(sha256: string, range?: ByteRange): Promise<Readable | undefined> {
    const path = this.#pathOf(sha256)
    const fd = await openDescriptor(path, 'r').catch(undefinedIfAbsent)
    if (fd === undefined) return undefined
    const highWaterMark = range === undefined ? READ_BYTES : Math.min(READ_BYTES, range.end - range.start + 1)
    return createReadStream(path, { fd, highWaterMark, ...range })
  }

  async size(sha256: string): Promise<number | undefined> {
    return (await stat(this.#pathOf(sha256)).catch(undefinedIfAbsent))?.size
  }

  async *list(): AsyncGenerator<KeptBlob> {
    for (const part of (await this.#disk.list(this.#folder)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
      const names = await this.#disk.list(join(this.#folder, part))
      for (const sha256 of names.filter((name) => isSha256(name) && name.startsWith(part)).sort()) {
        const found = await stat(this.#pathOf(sha256)).catch(undefinedIfAbsent)
        if (found?.isFile() === true) yield { sha256, size: found.size, keptAt: found.mtimeMs }
      }
    }
  }

  async remove(sha256: string): Promise<void> {
    const path = this.#pathOf(sha256)
    await this.#locks.confirm(sha256)
    await this.#disk.remove(path)
  }

  free(): Promise<number> {
    return freeBytes(this.#folder)
  }

  exclusively<T>(hashes: string | readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#locks.exclusively(hashes, work)
  }

  clean(olderThanMs: number): Promise<void> {
    return removeOldFiles(this.incoming, olderThanMs, this.#disk, this.#clock)
  }

  #pathOf(sha256: string): string {
    // A path is never made of another text.
    if (!isSha256(sha256)) throw new Error(`'${sha256}' is no SHA-256 in hexadecimal`)
    return join(this.#folder, sha256.slice(0, 2), sha256)
  }
}

/** Creates a folder and those above it that are missing, for the owner only, and makes their names durable. */
async function makeDurable(folder: string, disk: Disk): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  await disk.syncFolder(dirname(folder))
  if (first === undefined) return
  for (let made = folder; made !== first; made = dirname(made)) await disk.syncFolder(dirname(dirname(made)))
}

/** Free bytes on the disk of a folder, which need not exist yet. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    if (!isAbsent(error) || dirname(folder) === folder) throw error
    return freeBytes(dirname(folder))
  }
}

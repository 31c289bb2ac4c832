import { createHash } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../util/clock.ts'
import { isAbsent } from '../../util/files.ts'
import { type Random, systemRandom, uniqueId } from '../../util/ids.ts'
import { type AppendFile, type Disk, nodeDisk, writeBytes } from '../embedded/files/disk.ts'
import type { ReceivedFile } from './blob-store.ts'
import { explainedFull } from './storage-full.ts'

/** A body has more bytes than are allowed. */
export class BodyTooLarge extends Error {
  /** In bytes. */
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The body has more than ${maxBytes} bytes`)
    this.name = 'BodyTooLarge'
    this.maxBytes = maxBytes
  }
}

/** Options of `receive`. */
export interface ReceiveOptions {
  readonly maxBytes: number
  /** Replaced by a failing disk in tests. */
  readonly disk?: Disk | undefined
  readonly random?: Random
}

/** Bytes of a write. At most two blocks of this size are in memory for a body. */
const BLOCK_BYTES = 256 << 10
/** Number of blocks that are kept for bodies to come: new memory for each would cost most of the time of a small body. */
const KEPT_BLOCKS = 16

const keptBlocks: Buffer[] = []

const takeBlock = (): Buffer => keptBlocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)

function giveBack(block: Buffer | undefined): void {
  if (block !== undefined && keptBlocks.length < KEPT_BLOCKS) keptBlocks.push(block)
}

/**
 * Receives a body into a new file of a folder, and hashes it. The file is durable when it resolves. After a failure there is no file.
 *
 * @param source is read as fast as the disk writes. If it throws, so does this function; one that ends early must throw. It is
 * closed after a failure, so that a request which is to be answered needs an iterator that does not destroy it
 * @param incoming the folder, which is created if it does not exist
 * @throws {BodyTooLarge}
 * @throws {AppError} STORAGE_FULL
 */
export async function receive(
  source: AsyncIterable<Uint8Array>,
  incoming: string,
  { maxBytes, disk = nodeDisk, random = systemRandom }: ReceiveOptions,
): Promise<ReceivedFile> {
  const path = join(incoming, uniqueId(random))
  const iterator = source[Symbol.asyncIterator]()
  // A stream is listened to from the beginning: an error before that would end the process.
  const first = iterator.next()
  first.catch(() => {})
  let file: AppendFile | undefined
  let writer: BlockWriter | undefined
  try {
    file = await openIn(incoming, path, disk)
    writer = new BlockWriter(file)
    const hash = createHash('sha256')
    let size = 0
    for (let part = await first; part.done !== true; part = await iterator.next()) {
      const bytes = part.value
      size += bytes.length
      if (size > maxBytes) throw new BodyTooLarge(maxBytes)
      hash.update(bytes)
      const full = writer.add(bytes)
      if (full !== undefined) await full
    }
    await writer.end()
    await file.sync()
    await writer.settled()
    const open = file
    file = undefined
    await open.close()
    return { path, size, sha256: hash.digest('hex') }
  } catch (error) {
    // It is not waited for: a source may never give the part that it was asked for.
    iterator.return?.().catch(() => {})
    await writer?.settled()
    await file?.close().catch(() => {})
    await disk.remove(path).catch(() => {})
    throw explainedFull(error)
  }
}

/** Opens a new file, and creates its folder if that is missing. */
async function openIn(folder: string, path: string, disk: Disk): Promise<AppendFile> {
  try {
    return await disk.openNew(path)
  } catch (error) {
    if (!isAbsent(error)) throw error
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return disk.openNew(path)
  }
}

/** Writes bytes in blocks: one is written while the next is filled. */
class BlockWriter {
  readonly #file: AppendFile
  #block: Buffer | undefined
  #spare: Buffer | undefined
  #filled = 0
  #position = 0
  #writing: Promise<void> | undefined

  constructor(file: AppendFile) {
    this.#file = file
  }

  /** Takes bytes. The promise, if there is one, is waited for before the next call. */
  add(bytes: Uint8Array): Promise<void> | undefined {
    return bytes.length < BLOCK_BYTES - this.#filled ? this.#copy(bytes) : this.#addMany(bytes)
  }

  async #addMany(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + BLOCK_BYTES - this.#filled)
      this.#copy(part)
      from += part.length
      if (this.#filled === BLOCK_BYTES) await this.#flush()
    }
  }

  #copy(bytes: Uint8Array): undefined {
    this.#block ??= takeBlock()
    this.#block.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  /** Begins to write the block when the one before it is written. */
  async #flush(): Promise<void> {
    await this.#writing
    const block = this.#block
    if (block === undefined || this.#filled === 0) return
    this.#writing = writeBytes(this.#file, block.subarray(0, this.#filled), this.#position)
    // The rejection is handled where the promise is awaited.
    this.#writing.catch(() => {})
    this.#position += this.#filled
    this.#filled = 0
    this.#block = this.#spare
    this.#spare = block
  }

  /** Resolves when all bytes are written. */
  async end(): Promise<void> {
    await this.#flush()
    await this.#writing
  }

  /** Resolves when nothing is being written any more, also after a failure. Nothing is added after that. */
  async settled(): Promise<void> {
    await this.#writing?.catch(() => {})
    giveBack(this.#block)
    giveBack(this.#spare)
    this.#block = this.#spare = undefined
  }
}

/** Removes the files of a folder of received ones that were last written at least so long ago. */
export async function removeOldFiles(incoming: string, olderThanMs: number, disk: Disk, clock: Clock): Promise<void> {
  for (const name of await disk.list(incoming)) {
    const path = join(incoming, name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() === true && clock() - found.mtimeMs >= olderThanMs) await disk.remove(path)
  }
}

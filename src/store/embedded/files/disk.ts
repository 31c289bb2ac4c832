import { fdatasync, write } from 'node:fs'
import { type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { undefinedIfAbsent } from '../../../util/files.ts'

/** A file open for appending. */
export interface AppendFile {
  /** Writes bytes at a position and returns how many were written. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Resolves when the written data is durable (fdatasync). */
  sync(): Promise<void>
  truncate(length: number): Promise<void>
  close(): Promise<void>
}

/** A file open for reading. It keeps its content even if its path is replaced. */
export interface ReadFile {
  /** In bytes. */
  readonly size: number
  /** Reads into a buffer from a position and returns the number of bytes; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>
  close(): Promise<void>
}

/** The file system operations of the store, which tests replace by failing ones. */
export interface Disk {
  /** Opens a file for appending; creates it if it does not exist. */
  openAppend(path: string): Promise<AppendFile>
  /** Creates an empty file readable by its owner only, replacing an existing one. */
  openNew(path: string): Promise<AppendFile>
  /** @returns undefined if the file does not exist */
  openRead(path: string): Promise<ReadFile | undefined>
  readBytes(path: string): Promise<Buffer>
  /** The names in a folder; none if the folder does not exist. */
  list(folder: string): Promise<string[]>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes created, renamed and removed names durable (fsync of the folder). */
  syncFolder(folder: string): Promise<void>
}

/**
 * Writes all bytes, repeating short writes.
 *
 * @throws {Error} if no byte is written; the file may then hold some of them
 */
export async function writeBytes(file: AppendFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const count = await file.write(bytes.subarray(written), position + written)
    if (count === 0) throw new Error('The disk accepted no bytes')
    written += count
  }
}

/** Creates a file, only for the owner of the process. One that a crash has left loses its content, and the mode that it had. */
async function createEmpty(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const handle = await open(path, 'w')
    await closingOnError(handle, handle.chmod(0o600))
    return handle
  }
}

const toAppend = (handle: FileHandle): AppendFile => {
  let pending = 0
  let whenIdle = () => {}
  // Uses the file descriptor, since the promises of a FileHandle cost each write and sync several microseconds. The handle does
  // not track these operations, so it must not be closed before they end: its descriptor could be reused.
  const byDescriptor = <T>(begin: (done: (error: Error | null, result: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      begin((error, result) => {
        if (--pending === 0) whenIdle()
        if (error === null) resolve(result)
        else reject(error)
      })
      pending++
    })
  return {
    write: (bytes) => byDescriptor((done) => write(handle.fd, bytes, done)),
    sync: () => byDescriptor<void>((done) => fdatasync(handle.fd, (error) => done(error))),
    truncate: (length) => handle.truncate(length),
    async close() {
      if (pending > 0) {
        await new Promise<void>((resolve) => {
          whenIdle = resolve
        })
      }
      await handle.close()
    },
  }
}

/** Closes a file whose preparation failed: Node.js 26 ends the process for a handle that is collected open. */
const closingOnError = <T>(handle: FileHandle, preparation: Promise<T>): Promise<T> =>
  preparation.catch(async (error) => {
    await handle.close().catch(() => {})
    throw error
  })

/** The file system of Node.js. */
export const nodeDisk: Disk = {
  openAppend: async (path) => toAppend(await open(path, 'a', 0o600)),
  openNew: async (path) => toAppend(await createEmpty(path)),
  async openRead(path) {
    const handle = await open(path, 'r').catch(undefinedIfAbsent)
    if (handle === undefined) return undefined
    const { size } = await closingOnError(handle, handle.stat())
    return {
      size,
      read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
      close: () => handle.close(),
    }
  },
  readBytes: (path) => readFile(path),
  list: async (folder) => (await readdir(folder).catch(undefinedIfAbsent)) ?? [],
  rename,
  remove: (path) => rm(path, { force: true }),
  async syncFolder(folder) {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

const NEWLINE = 0x0a

/** A sliding window over a file: the bytes that were read and not yet consumed. */
export class ReadWindow {
  readonly #chunks: AsyncGenerator<Buffer>
  #bytes = Buffer.allocUnsafe(2 * CHUNK_BYTES)
  #from = 0
  #to = 0

  constructor(file: ReadFile) {
    this.#chunks = chunksOf(file)
  }

  /** The unconsumed bytes. */
  get view(): Buffer {
    return this.#bytes.subarray(this.#from, this.#to)
  }

  /** Consumes bytes. */
  consume(count: number): void {
    this.#from += count
  }

  /** Reads on; false at the end of the file. Overwrites what `view` returned before. */
  async fill(): Promise<boolean> {
    this.#bytes.copyWithin(0, this.#from, this.#to)
    this.#to -= this.#from
    this.#from = 0
    // A line longer than the window.
    if (this.#to + CHUNK_BYTES > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes.subarray(0, this.#to), Buffer.allocUnsafe(this.#bytes.length)])
    }
    const { value, done } = await this.#chunks.next()
    if (done === true) return false
    this.#to += value.copy(this.#bytes, this.#to)
    return true
  }

  /** The next line, without its end. */
  async line(): Promise<string> {
    for (;;) {
      const { view } = this
      const end = view.indexOf(NEWLINE)
      if (end !== -1) {
        this.consume(end + 1)
        return view.toString('utf8', 0, end)
      }
      // No line of the layout itself is this long.
      if (view.length > CHUNK_BYTES || !(await this.fill())) {
        this.consume(view.length)
        return view.toString('utf8', 0, CHUNK_BYTES)
      }
    }
  }
}

/** Size of a chunk, in bytes. */
export const CHUNK_BYTES = 1 << 20

/**
 * Reads a file in chunks, one chunk ahead of the consumer. A chunk is overwritten when the next but one is requested.
 *
 * @param end offset to stop at, in bytes; the end of the file when absent
 */
export async function* chunksOf(file: ReadFile, end = file.size): AsyncGenerator<Buffer> {
  const buffers = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)] as const
  const readInto = (buffer: Buffer, position: number) => {
    const count = file.read(buffer.subarray(0, Math.min(CHUNK_BYTES, end - position)), position)
    // The rejection is handled where the promise is awaited.
    count.catch(() => {})
    return count
  }
  let [buffer, other] = buffers
  let next = readInto(buffer, 0)
  for (let position = 0; position < end; ) {
    const count = await next
    if (count === 0) return
    const chunk = buffer.subarray(0, count)
    position += count
    ;[buffer, other] = [other, buffer]
    if (position < end) next = readInto(buffer, position)
    yield chunk
  }
}

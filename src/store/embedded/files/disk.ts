import { fdatasync, write } from 'node:fs'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'

/** A file that is only ever added to. */
export interface AppendFile {
  /** Writes some of the bytes at a position, and says how many. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Resolves when what was written would survive a power cut (fdatasync). */
  sync(): Promise<void>
  truncate(length: number): Promise<void>
  close(): Promise<void>
}

/** A file that is open for reading: it stays what it was, though another may be put in its place. */
export interface ReadFile {
  /** In bytes. */
  readonly size: number
  /** Fills some of `into` from a position, and says how many bytes; none at the end. */
  read(into: Uint8Array, position: number): Promise<number>
  close(): Promise<void>
}

/** What the store needs of a file system, so that a test can put a failing one in its place. */
export interface Disk {
  /** Opens a file for adding to; it is made if it is not there. */
  openAppend(path: string): Promise<AppendFile>
  /** Opens an empty file for its owner alone, in the place of one that may be there. */
  openNew(path: string): Promise<AppendFile>
  /** @returns undefined when there is no such file */
  openRead(path: string): Promise<ReadFile | undefined>
  readBytes(path: string): Promise<Buffer>
  /** The names in a folder; none when there is no such folder. */
  list(folder: string): Promise<string[]>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes created, renamed and removed names as durable as the files themselves. */
  syncFolder(folder: string): Promise<void>
}

/**
 * Writes all of the bytes, however few the disk takes at a time.
 *
 * @throws {Error} when it takes none; then some of them may be in the file
 */
export async function writeAll(file: AppendFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const count = await file.write(bytes.subarray(written), position + written)
    if (count === 0) throw new Error('The disk takes no more bytes')
    written += count
  }
}

const appendTo = async (path: string, flags: 'a' | 'w'): Promise<AppendFile> => {
  const handle = await open(path, flags, 0o600)
  // A file left behind by a crash keeps its mode.
  if (flags === 'w') await handle.chmod(0o600)
  let underWay = 0
  let whenIdle = () => {}
  // By its number: the handle's own promises cost each write and each sync several microseconds. Nor does the handle know of what
  // is done by its number, and another file may have it once this one is closed.
  const byNumber = <T>(begin: (done: (error: Error | null, result: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      begin((error, result) => {
        if (--underWay === 0) whenIdle()
        if (error === null) resolve(result)
        else reject(error)
      })
      underWay++
    })
  return {
    write: (bytes) => byNumber((done) => write(handle.fd, bytes, done)),
    sync: () => byNumber<void>((done) => fdatasync(handle.fd, (error) => done(error))),
    truncate: (length) => handle.truncate(length),
    async close() {
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          whenIdle = resolve
        })
      }
      await handle.close()
    },
  }
}

const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

export const nodeDisk: Disk = {
  openAppend: (path) => appendTo(path, 'a'),
  openNew: (path) => appendTo(path, 'w'),
  async openRead(path) {
    const handle = await open(path, 'r').catch(absent)
    if (handle === undefined) return undefined
    const { size } = await handle.stat()
    return {
      size,
      read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
      close: () => handle.close(),
    }
  },
  readBytes: (path) => readFile(path),
  list: async (folder) => (await readdir(folder).catch(absent)) ?? [],
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

import { open, readdir, readFile, rm } from 'node:fs/promises'

/** A file that is only ever added to. */
export interface AppendFile {
  /** Writes some of the bytes at a position, and says how many. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Resolves when what was written would survive a power cut (fdatasync). */
  sync(): Promise<void>
  truncate(length: number): Promise<void>
  close(): Promise<void>
}

/** What the journal needs of a file system, so that a test can put a failing one in its place. */
export interface Disk {
  /** Opens a file for adding to; it is made if it is not there. */
  openAppend(path: string): Promise<AppendFile>
  readBytes(path: string): Promise<Buffer>
  /** The names in a folder; none when there is no such folder. */
  list(folder: string): Promise<string[]>
  remove(path: string): Promise<void>
  /** Makes created, renamed and removed names as durable as the files themselves. */
  syncFolder(folder: string): Promise<void>
}

export const nodeDisk: Disk = {
  async openAppend(path) {
    const handle = await open(path, 'a', 0o600)
    return {
      write: async (bytes) => (await handle.write(bytes)).bytesWritten,
      sync: () => handle.datasync(),
      truncate: (length) => handle.truncate(length),
      close: () => handle.close(),
    }
  },
  readBytes: (path) => readFile(path),
  list: (folder) =>
    readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    }),
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

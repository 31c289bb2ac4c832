import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Io } from '../../terminal/io.ts'

/** Stands for standard input in place of a file name. */
export const STDIN = '-'

/** A file that is read by a command, maybe several times. */
export interface InputFile {
  /** Begins to read it. */
  open(): AsyncIterable<Uint8Array | string>
  /** Removes the copy of standard input. */
  close(): Promise<void>
}

/** A file by its name, or a copy of standard input in a folder that only its owner may read. */
export async function inputFile(name: string, io: Io): Promise<InputFile> {
  if (name !== STDIN) return { open: () => createReadStream(resolve(io.cwd, name)), async close() {} }
  const folder = await mkdtemp(join(tmpdir(), 'admin-import-'))
  const close = () => rm(folder, { recursive: true, force: true })
  const copy = join(folder, 'stdin')
  try {
    await writeFile(copy, io.stdin, { mode: 0o600 })
  } catch (error) {
    await close()
    throw error
  }
  return { open: () => createReadStream(copy), close }
}

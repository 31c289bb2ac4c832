import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '../errors.ts'
import type { Io } from './io.ts'

/** Writes what a command made to stdout, or into the file that `-o` names. @throws {AppError} TASK_FAILED */
export async function writeOutput(io: Io, text: string, file: string | undefined, { keep = false } = {}): Promise<void> {
  if (file === undefined) {
    io.stdout.write(text)
    return
  }
  await writeFile(resolve(io.cwd, file), text, { flag: keep ? 'wx' : 'w' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new AppError('TASK_FAILED', `${file} is there already; --force writes over it`)
    throw new AppError('TASK_FAILED', `${file} cannot be written: ${error.message}`)
  })
  io.stderr.write(`Wrote ${file}\n`)
}

import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '../../errors.ts'
import { isNoFile } from '../../util/no-file.ts'
import type { Io } from './io.ts'
import { writeWholeFile } from './whole-file.ts'

/**
 * Writes the output of a command to stdout or to the file of `-o`, completely or not at all. Follows a symbolic link to its target.
 *
 * @param options.keep refuses to replace an existing file
 * @throws {AppError} TASK_FAILED when the file cannot be written
 */
export async function writeOutput(io: Io, text: string, file: string | undefined, { keep = false } = {}): Promise<void> {
  if (file === undefined) {
    io.stdout.write(text)
    return
  }
  const path = resolve(io.cwd, file)
  // A device or pipe such as `/dev/stdout` cannot be replaced, so it is written directly; a folder fails with its own error.
  if (!keep && (await isNoFile(path))) await writeInto(path, text, file)
  else {
    const target = keep ? path : await realpath(path).catch(() => path)
    await io.interruptibly((signal) => writeWholeFile(target, once(text), { shown: file, force: !keep, signal }))
  }
  io.stderr.write(`Wrote ${file}\n`)
}

/** Names of files that commands write; a folder of `-o` has none of them. */
const FILE_NAME = /\.(?:csv|js|json|ndjson|ts|yaml|yml)$/i

/** @throws {AppError} USAGE if the folder of `-o` for several files has the name of a file */
export function refuseFileName(folder: string): void {
  if (FILE_NAME.test(folder)) throw new AppError('USAGE', `With --all, -o names a folder, and '${folder}' is the name of a file`)
}

/**
 * Makes the folder of `-o` for a command that writes several files.
 *
 * @returns its absolute path
 * @throws {AppError} TASK_FAILED
 */
export async function makeOutputFolder(io: Io, folder: string): Promise<string> {
  const path = resolve(io.cwd, folder)
  await mkdir(path, { recursive: true }).catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${folder} cannot be created: ${error.message}`)
  })
  return path
}

async function writeInto(path: string, text: string, shown: string): Promise<void> {
  await writeFile(path, text).catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${shown} cannot be written: ${error.message}`)
  })
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

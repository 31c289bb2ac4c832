import { realpath, writeFile } from 'node:fs/promises'
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

async function writeInto(path: string, text: string, shown: string): Promise<void> {
  await writeFile(path, text).catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${shown} cannot be written: ${error.message}`)
  })
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

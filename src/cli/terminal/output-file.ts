import { realpath, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '../../errors.ts'
import { isNoFile } from '../../util/no-file.ts'
import type { Io } from './io.ts'
import { writeWholeFile } from './whole-file.ts'

/**
 * Writes what a command made to stdout, or into the file that `-o` names: whole, or not at all. A symbolic link stays one, and what
 * it leads to is written.
 *
 * @throws {AppError} TASK_FAILED
 */
export async function writeOutput(io: Io, text: string, file: string | undefined, { keep = false } = {}): Promise<void> {
  if (file === undefined) {
    io.stdout.write(text)
    return
  }
  const path = resolve(io.cwd, file)
  // In the place of a device or a pipe, such as `/dev/stdout`, nothing can be put; a folder says so itself.
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

import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import type { StoredFile } from '../model/files.ts'

/** What is written, and how it is named in messages. */
interface WrittenFile {
  readonly file: Pick<StoredFile, 'name' | 'size' | 'sha256'>
  /** The place of the file, such as `post 17, cover`. */
  readonly shown: string
  readonly signal: AbortSignal
}

/**
 * Writes bytes into a new file, durable, and compares them with the size and the hash of the stored file.
 *
 * @throws {AppError} TASK_FAILED if they differ, or the file cannot be written; then it is gone
 */
export async function writeBytesTo(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { file, shown, signal }: WrittenFile,
): Promise<void> {
  const hash = createHash('sha256')
  let size = 0
  const target = await open(path, 'wx').catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${path} cannot be written: ${error.message}`)
  })
  try {
    for await (const piece of content) {
      signal.throwIfAborted()
      hash.update(piece)
      size += piece.length
      await target.writeFile(piece)
    }
    if (size !== file.size || hash.digest('hex') !== file.sha256) {
      throw new AppError('TASK_FAILED', `'${file.name}' (${shown}) is damaged: its bytes are not those that were uploaded`)
    }
    await target.sync()
  } catch (error) {
    await target.close()
    await rm(path, { force: true })
    const { syscall, message } = error as NodeJS.ErrnoException
    throw syscall === undefined ? error : new AppError('TASK_FAILED', `${path} cannot be written: ${message}`)
  }
  await target.close()
}

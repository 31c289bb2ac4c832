import { randomBytes } from 'node:crypto'
import { link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../errors.ts'

export interface WholeFileOptions {
  /** The name that the file is spoken of by. */
  readonly shown: string
  /** Replaces what is there. */
  readonly force: boolean
  /** Gives up when it is aborted. */
  readonly signal?: AbortSignal
}

/**
 * Writes a file that is there whole or not at all: under another name beside it, which becomes its own at the end. What stands under
 * its name, a symbolic link too, is replaced or left alone, and never written through.
 *
 * @throws {AppError} TASK_FAILED when there is something already, or it cannot be written
 */
export async function writeWholeFile(path: string, text: AsyncIterable<string>, options: WholeFileOptions): Promise<void> {
  await refuseExisting(path, options)
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeDraft(draft, text, options.signal)
    if (options.force) await rename(draft, path)
    else await settle(draft, path)
  } catch (error) {
    throw problemWith(options, error)
  } finally {
    await rm(draft, { force: true })
  }
}

/** @throws {AppError} TASK_FAILED when something stands under this name, and is not to be replaced */
export async function refuseExisting(path: string, { shown, force }: WholeFileOptions): Promise<void> {
  if (!force && (await isThere(path))) throw isThereAlready(shown)
}

async function writeDraft(draft: string, text: AsyncIterable<string>, signal: AbortSignal | undefined): Promise<void> {
  const file = await open(draft, 'wx')
  try {
    for await (const piece of text) {
      signal?.throwIfAborted()
      await file.writeFile(piece)
    }
    await file.sync()
    signal?.throwIfAborted()
  } finally {
    await file.close()
  }
}

const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Gives a draft its name, unless somebody took it meanwhile. */
async function settle(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
  } catch (error) {
    // Not every file system has links.
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code) || (await isThere(path))) throw error
    await rename(draft, path)
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const isThereAlready = (shown: string): AppError =>
  new AppError('TASK_FAILED', `${shown} is there already; --force writes over it`)

function problemWith({ shown, signal }: WholeFileOptions, error: unknown): unknown {
  if (signal?.aborted === true)
    return new AppError('TASK_FAILED', `${(signal.reason as Error).message}; ${shown} was not written`)
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return isThereAlready(shown)
  return syscall === undefined ? error : new AppError('TASK_FAILED', `${shown} cannot be written: ${message}`)
}

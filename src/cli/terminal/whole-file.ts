import { randomBytes } from 'node:crypto'
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../errors.ts'

export interface WholeFileOptions {
  /** The name that the file is spoken of by. */
  readonly shown: string
  /** Replaces what is there. */
  readonly force: boolean
  /** Gives up when it is aborted. */
  readonly signal?: AbortSignal
}

/**
 * Writes a file that is there whole or not at all: under another name beside it, which becomes its own at the end. The file that
 * stands under its name, or the symbolic link to one, is replaced or left alone, and never written through; who may read it stays.
 *
 * @throws {AppError} TASK_FAILED when there is something already, or it cannot be written
 */
export async function writeWholeFile(path: string, text: AsyncIterable<string>, options: WholeFileOptions): Promise<void> {
  await refuseExisting(path, options)
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const mode = options.force ? await modeOf(path) : undefined
    await writeDraft(draft, text, { mode, signal: options.signal })
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
  if (!(await isThere(path))) return
  if (!force) throw isThereAlready(shown)
  // A link that leads nowhere is replaced itself, like any other link.
  const file = await stat(path).catch(() => undefined)
  if (file === undefined || file.isFile()) return
  throw new AppError('TASK_FAILED', `${shown} is no regular file, and --force replaces none but those; name another`)
}

/** Who may read and write what is there; undefined when nothing is. */
const modeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  )

interface Drafting {
  readonly mode: number | undefined
  readonly signal: AbortSignal | undefined
}

async function writeDraft(draft: string, text: AsyncIterable<string>, { mode, signal }: Drafting): Promise<void> {
  const file = await open(draft, 'wx', mode)
  try {
    // A mask may have taken some of it away.
    if (mode !== undefined) await file.chmod(mode)
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
  if (syscall === undefined) return error
  // The draft, which the system names, says nothing to anybody.
  const reason = code === 'ENOENT' ? 'its folder is not there; make it, or name another' : message.replace(/, \w+ '.*$/s, '')
  return new AppError('TASK_FAILED', `${shown} cannot be written: ${reason}`)
}

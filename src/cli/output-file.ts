import { randomBytes } from 'node:crypto'
import { link, lstat, mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { callSucceeds, isNoFile } from '../util/files.ts'
import type { Io } from './io.ts'

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
const FILE_NAME = /\.(?:csv|js|json|ndjson|ts|xlsx|yaml|yml)$/i

/** True for a name that a file of a command has, rather than a folder. */
export const isFileName = (output: string): boolean => FILE_NAME.test(output)

/** @throws {AppError} USAGE if the folder of `-o` for several files has the name of a file */
export function refuseFileName(folder: string): void {
  if (isFileName(folder)) throw new AppError('USAGE', `With --all, -o names a folder, and '${folder}' is the name of a file`)
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

/** Options of `writeWholeFile`. */
interface WholeFileOptions {
  /** The name of the file in error messages. */
  readonly shown: string
  /** Replaces an existing file. */
  readonly force: boolean
  /** Cancels the write when it is aborted; the file stays as it was. */
  readonly signal?: AbortSignal
}

/**
 * Writes a file atomically: into a temporary file in the same folder, which is synced and then renamed.
 *
 * An existing file or symbolic link is replaced, never written through. A replaced file keeps its permissions.
 *
 * @throws {AppError} TASK_FAILED when the file exists and `force` is false, or it cannot be written
 */
export async function writeWholeFile(
  path: string,
  content: AsyncIterable<string | Uint8Array>,
  options: WholeFileOptions,
): Promise<void> {
  await refuseExisting(path, options)
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const mode = options.force ? await modeOf(path) : undefined
    await writeDraft(draft, content, { mode, signal: options.signal })
    if (options.force) await rename(draft, path)
    else await linkNew(draft, path)
  } catch (error) {
    throw writeError(options, error)
  } finally {
    await rm(draft, { force: true })
  }
}

/** @throws {AppError} TASK_FAILED when the path exists and may not be replaced: `force` is false, or it is not a regular file */
export async function refuseExisting(path: string, { shown, force }: WholeFileOptions): Promise<void> {
  if (!(await callSucceeds(lstat(path)))) return
  if (!force) throw existsError(shown)
  // A dangling symbolic link is replaced, like any other link.
  const file = await stat(path).catch(() => undefined)
  if (file === undefined || file.isFile()) return
  throw new AppError('TASK_FAILED', `${shown} is not a regular file, so --force does not replace it; use another name`)
}

/** The permission bits of a file; undefined when it does not exist. */
const modeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  )

interface Drafting {
  readonly mode: number | undefined
  readonly signal: AbortSignal | undefined
}

async function writeDraft(draft: string, content: AsyncIterable<string | Uint8Array>, { mode, signal }: Drafting): Promise<void> {
  const file = await open(draft, 'wx', mode)
  try {
    // The umask may have cleared some bits.
    if (mode !== undefined) await file.chmod(mode)
    for await (const piece of content) {
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

/** Gives the draft its final name; fails with EEXIST if a file of that name was created meanwhile. */
async function linkNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
  } catch (error) {
    // Not every file system supports hard links.
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code) || (await callSucceeds(lstat(path)))) throw error
    await rename(draft, path)
  }
}

const existsError = (shown: string): AppError => new AppError('TASK_FAILED', `${shown} already exists; --force overwrites it`)

function writeError({ shown, signal }: WholeFileOptions, error: unknown): unknown {
  if (signal?.aborted === true)
    return new AppError('TASK_FAILED', `${(signal.reason as Error).message}; ${shown} was not written`)
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return existsError(shown)
  if (syscall === undefined) return error
  // The system's message ends with the name of the draft, which means nothing to the user.
  const reason = code === 'ENOENT' ? 'its folder does not exist; create it, or use another' : message.replace(/, \w+ '.*$/s, '')
  return new AppError('TASK_FAILED', `${shown} cannot be written: ${reason}`)
}

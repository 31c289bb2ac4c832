import { createHash } from 'node:crypto'
import { lstat, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AppError } from '../../errors.ts'
import { acquireLock, lockPath } from '../../store/embedded/files/lock.ts'
import type { Io } from '../terminal/io.ts'

/**
 * The folder by which commands find an ephemeral server of a project: its lock file and its secret, outside of the project, in
 * `XDG_RUNTIME_DIR` or the folder for temporary files. Only this user may read it.
 */
export function runtimeFolder({ env }: Pick<Io, 'env'>, project: string): string {
  const base = env.XDG_RUNTIME_DIR || join(tmpdir(), `admin-folder-${process.getuid?.() ?? 'user'}`)
  return join(base, `admin-folder-${createHash('sha256').update(project).digest('hex').slice(0, 16)}`)
}

/** A runtime folder that this process holds. */
export interface RuntimeFolder {
  readonly folder: string
  /** Removes the folder. */
  close(): Promise<void>
}

/**
 * Creates the runtime folder of a project and locks it; undefined if another ephemeral server of the project has it.
 *
 * @throws {AppError} TASK_FAILED if another user owns the folder or may read it
 */
export async function openRuntimeFolder(io: Pick<Io, 'env'>, project: string): Promise<RuntimeFolder | undefined> {
  const folder = runtimeFolder(io, project)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const path of [dirname(folder), folder]) await requirePrivate(path)
  try {
    await acquireLock(lockPath(folder))
  } catch (error) {
    if (error instanceof AppError && error.code === 'DATA_IN_USE') return undefined
    throw error
  }
  return { folder, close: () => rm(folder, { recursive: true, force: true }) }
}

async function requirePrivate(path: string): Promise<void> {
  const { uid, mode } = await lstat(path)
  if (process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)) return
  const remedy = 'remove it, or set XDG_RUNTIME_DIR to a folder that only you may read'
  throw new AppError(
    'TASK_FAILED',
    `Other users may read or own ${path}, where the secret of an ephemeral server is kept; ${remedy}`,
  )
}

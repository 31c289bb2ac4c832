import { createHash, randomBytes } from 'node:crypto'
import { lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { AppError } from '../errors.ts'
import { isAlive, parseHolder, thisProcess } from '../store/embedded/files/lock.ts'
import type { Io } from './io.ts'

/** A running ephemeral server. It has no data folder, so its address and secret are in a file of the user's runtime folder. */
export interface EphemeralServer {
  /** Root URL of its API. */
  readonly api: string
  /** Signs its tokens. */
  readonly secret: string
}

/**
 * Publishes an ephemeral server, so that local commands find it. The file is readable by its owner only, as `data/secret` is.
 *
 * @param folder the project folder
 * @throws {AppError} TASK_FAILED if the runtime folder belongs to another user or is open to others
 */
export async function publishEphemeral(env: Io['env'], folder: string, server: EphemeralServer): Promise<void> {
  const parent = runtimeFolder(env)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await checkPrivate(parent)
  const path = await filePath(env, folder)
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const content = { ...(await thisProcess(server.api)), secret: server.secret }
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(draft, path)
}

/** Removes the file of this process. The file of a server that was started later stays. */
export async function withdrawEphemeral(env: Io['env'], folder: string): Promise<void> {
  const path = await filePath(env, folder)
  const holder = parseHolder(await readFile(path, 'utf8').catch(() => ''))
  if (holder?.pid === process.pid) await rm(path, { force: true })
}

/** The ephemeral server of a project; undefined if none runs. Files of other users are not trusted. */
export async function ephemeralServerOf(env: Io['env'], folder: string): Promise<EphemeralServer | undefined> {
  try {
    await checkPrivate(runtimeFolder(env))
    const text = await readFile(await filePath(env, folder), 'utf8')
    const holder = parseHolder(text)
    const { secret } = JSON.parse(text) as { secret?: unknown }
    if (holder?.api === undefined || typeof secret !== 'string' || !(await isAlive(holder))) return undefined
    return { api: holder.api, secret }
  } catch {
    return undefined
  }
}

/** The folder of the XDG Base Directory Specification for runtime files, otherwise one of this user in the temporary folder. */
function runtimeFolder({ XDG_RUNTIME_DIR: runtime = '' }: Io['env']): string {
  return isAbsolute(runtime) ? join(runtime, 'admin-folder') : join(tmpdir(), `admin-folder-${process.getuid?.() ?? 'user'}`)
}

/** The file of a project; its name is a hash of the real path of the project folder. */
async function filePath(env: Io['env'], folder: string): Promise<string> {
  const key = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 32)
  return join(runtimeFolder(env), `${key}.json`)
}

/**
 * Another user may have created a folder of this name in the temporary folder, to read secrets or to plant false ones.
 *
 * @throws {AppError} TASK_FAILED unless the folder belongs to this user alone
 */
async function checkPrivate(folder: string): Promise<void> {
  const found = await lstat(folder)
  const isOwn = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
  if (found.isDirectory() && isOwn) return
  throw new AppError('TASK_FAILED', `${folder} is not a private folder of this user; remove it, or set XDG_RUNTIME_DIR`)
}

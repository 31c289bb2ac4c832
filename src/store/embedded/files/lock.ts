import { randomBytes } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../errors.ts'

/** Releases the lock. Calling it again has no effect. */
export type Release = () => Promise<void>

const MAX_ATTEMPTS = 200
const RETRY_MS = 10

/** The lock file of a data folder. */
export const lockPath = (folder: string): string => join(folder, 'lock')

/**
 * Locks a data folder for this process. Takes over the lock of a process that no longer runs.
 *
 * @param path the lock file
 * @returns releases the lock
 * @throws {AppError} DATA_IN_USE naming the holder, TASK_FAILED if the folder is not writable
 */
export async function acquireLock(path: string): Promise<Release> {
  const draft = await writeLockDraft(path).catch((cause: Error) => {
    const what = `The data folder ${dirname(path)} cannot be written to: ${cause.message}`
    throw new AppError('TASK_FAILED', `${what}; change its owner, or name another folder with --data`, { cause })
  })
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if ((await createLock(draft, path)) || (await takeOver(draft, path))) {
        await removeDrafts(path).catch(() => {})
        return releaser(path)
      }
      await delay(RETRY_MS)
    }
    throw new AppError('DATA_IN_USE', `The holder of ${path} keeps changing; try again`)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Holds the lock of a data folder while `work` runs.
 *
 * @throws {AppError} DATA_IN_USE naming the holder
 */
export async function whileLocked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const release = await acquireLock(lockPath(folder))
  try {
    return await work()
  } finally {
    await release()
  }
}

/**
 * Publishes the API's URL in a lock held by this process, so that local commands find the server.
 *
 * @param api undefined when the server stops, since another program may listen there afterwards
 */
export async function publishApi(path: string, api: string | undefined): Promise<void> {
  await rename(await writeLockDraft(path, api), path)
}

/** The API's URL of the process that holds a lock; undefined without such a process, or if it does not serve. */
export const apiOf = async (path: string): Promise<string | undefined> => (await holderOf(path))?.api

/** The process that holds a data folder, since when (milliseconds since the Unix epoch), and its API; undefined if none does. */
export async function holderOf(path: string): Promise<{ pid: number; since: number; api: string | undefined } | undefined> {
  try {
    const holder = parseHolder(await readFile(path, 'utf8'))
    if (holder === undefined || !(await isAlive(holder))) return undefined
    return { pid: holder.pid, since: (await stat(path)).mtimeMs, api: holder.api }
  } catch {
    return undefined
  }
}

/**
 * Checks that no process holds a data folder, without locking it.
 *
 * @throws {AppError} DATA_IN_USE naming the holder
 */
export async function assertUnheld(path: string): Promise<void> {
  await isStale(path)
}

/** Removes draft files left behind by killed processes. */
async function removeDrafts(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const draft = join(dirname(path), name)
    const pid = pidOfDraft(path, draft)
    if (pid === undefined) continue
    const holder: LockHolder = parseHolder(await readFile(draft, 'utf8').catch(() => '')) ?? { pid, started: null }
    if (!(await isAlive(holder))) await rm(draft, { force: true })
  }
}

function releaser(path: string): Release {
  let held = true
  return async () => {
    // After the release the file belongs to another process.
    if (held) await rm(path, { force: true })
    held = false
  }
}

/** Links the draft to the lock path if that does not exist: of several processes, one succeeds. */
function createLock(draft: string, path: string): Promise<boolean> {
  return link(draft, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}

/**
 * Replaces a stale lock by the draft. Several processes may find the same stale lock, so a guard file serialises them, and the
 * lock is checked again under it.
 *
 * @throws {AppError} DATA_IN_USE if the lock is not stale
 */
async function takeOver(draft: string, path: string): Promise<boolean> {
  if (!(await isStale(path))) return false
  const guard = `${path}.takeover`
  if (!(await createLock(draft, guard))) {
    // Its owner died between two system calls.
    if (await isStale(guard).catch(() => false)) await rm(guard, { force: true })
    return false
  }
  let moved = false
  try {
    if (await isStale(path)) {
      await rename(guard, path)
      moved = true
    }
  } finally {
    if (!moved) await rm(guard, { force: true })
  }
  return moved
}

/**
 * True if the process that wrote the lock no longer runs; false if there is no lock.
 *
 * @throws {AppError} DATA_IN_USE naming the process if it runs
 */
async function isStale(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new AppError('TASK_FAILED', `The lock ${path} cannot be read: ${cause.message}; remove it if no server runs`, { cause })
  })
  if (text === undefined) return false
  const holder = parseHolder(text)
  if (holder === undefined || !(await isAlive(holder))) return true
  throw new AppError(
    'DATA_IN_USE',
    `The data folder is in use by process ${holder.pid} (lock file ${path}); stop that process, or name another folder with --data`,
  )
}

/** Creates a data folder readable by its owner only, if it does not exist. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw new AppError('TASK_FAILED', `The data folder ${path} cannot be created: ${cause.message}`, { cause })
  })
}

/** The process that wrote a lock file. The start time is included, since process ids are reused. */
interface LockHolder {
  readonly pid: number
  /** In clock ticks since the boot of the machine; null if unknown. */
  readonly started: string | null
  /** Root URL of the API, while the process serves the data. */
  readonly api?: string
}

/**
 * Writes a complete lock file of this process beside a path, to be linked or renamed to it.
 *
 * @returns path of the draft
 */
async function writeLockDraft(path: string, api?: string): Promise<string> {
  const holder = await thisProcess(api)
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  return draft
}

/** This process as the holder of a lock. */
export async function thisProcess(api?: string): Promise<LockHolder> {
  return { pid: process.pid, started: await startOf(process.pid), ...(api === undefined ? {} : { api }) }
}

/** The process that wrote a draft, from its file name; undefined for other files. */
function pidOfDraft(path: string, draft: string): number | undefined {
  const pid = draft.startsWith(`${path}.`) ? /^(\d+)\.[0-9a-f]{8}$/.exec(draft.slice(path.length + 1))?.[1] : undefined
  return pid === undefined ? undefined : Number(pid)
}

/** Parses a lock file; undefined if it names no process. */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, started, api } = JSON.parse(text) as Partial<LockHolder>
    if (typeof pid !== 'number' || pid <= 0) return undefined
    return { pid, started: started ?? null, ...(typeof api === 'string' ? { api } : {}) }
  } catch {
    return undefined
  }
}

/** True if the process still runs. Without a start time, any process with its id counts. */
export async function isAlive({ pid, started }: LockHolder): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const fields = await fieldsOf(pid)
  // A zombie or dead process still has an id and holds nothing.
  if (fields[STATE] === 'Z' || fields[STATE] === 'X') return false
  return started === null || fields[START] === started
}

const startOf = async (pid: number): Promise<string | null> => (await fieldsOf(pid))[START] ?? null

/** Indexes of the fields that proc(5) numbers 3 and 22. */
const STATE = 0
const START = 19

/** Fields of /proc/PID/stat behind the command, which is in parentheses and may contain anything; empty on other systems. */
async function fieldsOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
}

import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { AppError } from '../errors.ts'

/** Who holds a data folder. A process is known by its id and when it started, since ids are used again. */
interface Holder {
  readonly pid: number
  readonly started: string | null
}

/**
 * Takes a data folder for this process alone. A lock left behind by a process that is gone is taken over.
 *
 * @param path the lock file
 * @returns gives the folder back
 * @throws {AppError} DATA_IN_USE naming the holder
 */
export async function acquireLock(path: string): Promise<() => Promise<void>> {
  const own: Holder = { pid: process.pid, started: await startOf(process.pid) }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${JSON.stringify(own)}\n`)
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (await claim(draft, path)) return () => rm(path, { force: true })
      const found = await readFile(path, 'utf8').catch(() => undefined)
      if (found === undefined) continue
      const holder = parseHolder(found)
      if (holder !== undefined && (await isAlive(holder))) throw inUse(path, holder)
      await setAside(path, found, `${draft}.stale`)
    }
    throw new AppError('DATA_IN_USE', `${path} changes hands all the time; try again`)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Links the draft into place: the one step that only one of several processes can succeed in. */
async function claim(draft: string, path: string): Promise<boolean> {
  return link(draft, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}

/** Moves a stale lock out of the way, and puts it back if it turns out to be somebody's new one. */
async function setAside(path: string, stale: string, aside: string): Promise<void> {
  await rename(path, aside).catch(() => {})
  const moved = await readFile(aside, 'utf8').catch(() => undefined)
  if (moved !== undefined && moved !== stale) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

function inUse(path: string, { pid }: Holder): AppError {
  return new AppError(
    'DATA_IN_USE',
    `The data folder is in use by process ${pid} (lock file ${path}); stop that process, or name another folder with --data`,
  )
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(text) as Partial<Holder>
    return typeof pid === 'number' ? { pid, started: started ?? null } : undefined
  } catch {
    return undefined
  }
}

async function isAlive({ pid, started }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === null || (await startOf(pid)) === started
}

/** When a process started, in the kernel's own count (Linux); null where that is not told. */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The second field is the command in parentheses and may hold anything; field 22 is the start time.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

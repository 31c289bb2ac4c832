import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/** The process that wrote a lock file. The start time is included, since process ids are reused. */
export interface LockHolder {
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
export async function writeLockDraft(path: string, api?: string): Promise<string> {
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
export function pidOfDraft(path: string, draft: string): number | undefined {
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

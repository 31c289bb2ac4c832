import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { nodeDisk } from '../../../store/embedded/files/disk.ts'
import { holderOf, lockPath } from '../../../store/embedded/files/lock.ts'
import { type JournalSurvey, surveyJournal } from '../../../store/embedded/journal/reader.ts'
import { holdsData } from '../../../store/embedded/recovery/recovery.ts'
import { isoTime } from '../../../util/clock.ts'
import { counted } from '../../terminal/counted.ts'
import type { CheckResult, CheckResults } from './check.ts'

const MEBIBYTE = 2 ** 20
/** Below this, a check warns: compaction writes a new `db.json` beside the old one. */
const LOW_SPACE = 1024 * MEBIBYTE
/** Below this, a check fails. */
const NO_SPACE = 16 * MEBIBYTE

/** Checks the lock, the disk and the journal of a data folder. Works while a server runs. */
export async function dataFolderHealth(folder: string): Promise<{ results: CheckResults; isHeld: boolean }> {
  const holder = await holderOf(lockPath(folder))
  const isHeld = holder !== undefined
  const results = { lock: checkLock(holder), disk: await checkDisk(folder), journal: await checkJournal(folder, isHeld) }
  return { results, isHeld }
}

function checkLock(holder: Awaited<ReturnType<typeof holderOf>>): CheckResult {
  if (holder === undefined) return { level: 'ok', message: 'no process holds the data' }
  const { pid, since, api } = holder
  return {
    level: 'ok',
    message: `process ${pid} since ${isoTime(since)}, ${api === undefined ? 'which is not a server' : `serving ${api}`}`,
  }
}

async function checkDisk(folder: string): Promise<CheckResult> {
  const place = await nearestFolder(folder)
  const isWritable = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  )
  const { bavail, bsize } = await statfs(place)
  return checkSpace(folder, bavail * bsize, isWritable)
}

/** Rates the data folder: `fail` if it is not writable or below 16 MiB, `warn` below 1 GiB. @param free in bytes */
export function checkSpace(folder: string, free: number, isWritable: boolean): CheckResult {
  if (!isWritable)
    return { level: 'fail', message: `${folder} is not writable; change its owner, or name another folder with --data` }
  const message = `${Math.floor(free / MEBIBYTE)} MiB free`
  if (free < NO_SPACE) return { level: 'fail', message: `${message}, which is too little to write` }
  return { level: free < LOW_SPACE ? 'warn' : 'ok', message }
}

/** The folder, or its nearest existing parent. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

async function checkJournal(folder: string, isHeld: boolean): Promise<CheckResult> {
  if (!(await holdsData(folder))) return { level: 'ok', message: 'there is no data yet' }
  const { files, findings } = await surveyed(folder)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const transactions = files.reduce((sum, file) => sum + file.transactions, 0)
  const size = `${bytes} bytes, ${counted(transactions, 'transaction')}`
  const error = findings.find(({ level }) => level === 'error')
  if (error !== undefined) return { level: 'fail', message: `${size}; ${error.file} ${error.message}` }
  // A server may be in the middle of writing an entry, which looks like an incomplete end.
  const warning = isHeld ? undefined : findings[0]
  if (warning !== undefined) return { level: 'warn', message: `${size}; ${warning.file} ${warning.message}` }
  return { level: 'ok', message: `${size}, complete` }
}

/** Reads the journal; repeats it when a server compacts the journal meanwhile and removes files. */
async function surveyed(folder: string, attempts = 3): Promise<JournalSurvey> {
  try {
    return await surveyJournal(folder, nodeDisk, { sequence: undefined })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempts === 0) throw error
    return surveyed(folder, attempts - 1)
  }
}

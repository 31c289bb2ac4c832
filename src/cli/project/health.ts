import { constants } from 'node:fs'
import { access, readFile, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { lintProject } from '../../service/project/lint.ts'
import { type Examined, examineProject, type ProjectSource } from '../../service/project/project.ts'
import { nodeDisk } from '../../store/embedded/files/disk.ts'
import { holderOf, lockPath } from '../../store/embedded/files/lock.ts'
import { type JournalSurvey, surveyJournal } from '../../store/embedded/journal/survey.ts'
import { holdsData } from '../../store/embedded/recovery/recovery.ts'
import { isoTime } from '../../util/clock.ts'
import { dataFolderOf } from './project-options.ts'

/** One thing that was looked at. `fail` keeps a server from starting or from writing. */
export interface Check {
  readonly name: 'node' | 'config' | 'lock' | 'disk' | 'journal' | 'lint'
  readonly level: 'ok' | 'warn' | 'fail'
  readonly message: string
}

type Verdict = Omit<Check, 'name'>

const MEBIBYTE = 2 ** 20
/** Folding the journal writes `db.json` anew beside the old one. */
const LITTLE_SPACE = 1024 * MEBIBYTE
const NO_SPACE = 16 * MEBIBYTE

/** Looks at everything that a server needs, and changes nothing. Works beside a server. */
export async function healthOf(source: ProjectSource): Promise<{ checks: Check[]; examined: Examined; isHeld: boolean }> {
  const examined = await examineProject(source)
  const folder = dataFolderOf(examined.project)
  const holder = await holderOf(lockPath(folder))
  const verdicts: Readonly<Record<Check['name'], Verdict>> = {
    node: nodeVerdict(process.versions.node, await neededNode()),
    config: configVerdict(examined),
    lock: lockVerdict(holder),
    disk: await diskVerdict(folder),
    journal: await journalVerdict(folder, holder !== undefined),
    lint: await lintVerdict(source),
  }
  const checks = Object.entries(verdicts).map(([name, verdict]) => ({ name: name as Check['name'], ...verdict }))
  return { checks, examined, isHeld: holder !== undefined }
}

async function neededNode(): Promise<string> {
  const { engines } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
  return engines.node
}

/** @param needed `>=20.19` */
export function nodeVerdict(version: string, needed: string): Verdict {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = needed.replace('>=', '').split('.').map(Number)
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  if (isEnough) return { level: 'ok', message: version }
  return { level: 'fail', message: `${version} is too old; install ${leastMajor}.${leastMinor} or newer` }
}

function configVerdict({ project, faults }: Examined): Verdict {
  const { registry, views, warnings } = project
  const count = faults.list.length
  if (count > 0) return { level: 'fail', message: `${counted(count, 'fault')} in the project's files; run admin lint` }
  if (warnings.length > 0) return { level: 'warn', message: warnings.join('; ') }
  const viewCount = views.grouped.reduce((sum, [, list]) => sum + list.length, 0)
  return { level: 'ok', message: `${counted(registry.public.length, 'model')}, ${counted(viewCount, 'view')}` }
}

function lockVerdict(holder: Awaited<ReturnType<typeof holderOf>>): Verdict {
  if (holder === undefined) return { level: 'ok', message: 'nobody holds the data' }
  const { pid, since, api } = holder
  return {
    level: 'ok',
    message: `process ${pid} since ${isoTime(since)}, ${api === undefined ? 'which does not serve' : `serving ${api}`}`,
  }
}

async function diskVerdict(folder: string): Promise<Verdict> {
  const place = await nearestFolder(folder)
  const isWritable = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  )
  const { bavail, bsize } = await statfs(place)
  return spaceVerdict(folder, bavail * bsize, isWritable)
}

/** @param free in bytes */
export function spaceVerdict(folder: string, free: number, isWritable: boolean): Verdict {
  if (!isWritable)
    return { level: 'fail', message: `${folder} cannot be written to; change its owner, or name another with --data` }
  const message = `${Math.floor(free / MEBIBYTE)} MiB free`
  if (free < NO_SPACE) return { level: 'fail', message: `${message}, which is as good as none` }
  return { level: free < LITTLE_SPACE ? 'warn' : 'ok', message }
}

/** The folder, or where it is to be made. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

async function journalVerdict(folder: string, isHeld: boolean): Promise<Verdict> {
  if (!(await holdsData(folder))) return { level: 'ok', message: 'there is no data yet' }
  const { files, findings } = await surveyed(folder)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const transactions = files.reduce((sum, file) => sum + file.transactions, 0)
  const size = `${bytes} bytes, ${counted(transactions, 'transaction')}`
  const error = findings.find(({ level }) => level === 'error')
  if (error !== undefined) return { level: 'fail', message: `${size}; ${error.file} ${error.message}` }
  // What a server is about to write is not at its end yet.
  const warning = isHeld ? undefined : findings[0]
  if (warning !== undefined) return { level: 'warn', message: `${size}; ${warning.file} ${warning.message}` }
  return { level: 'ok', message: `${size}, whole` }
}

/** A server may fold its journal while it is looked at; then it is looked at again. */
async function surveyed(folder: string, attempts = 3): Promise<JournalSurvey> {
  try {
    return await surveyJournal(folder, nodeDisk, undefined)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempts === 0) throw error
    return surveyed(folder, attempts - 1)
  }
}

async function lintVerdict(source: ProjectSource): Promise<Verdict> {
  try {
    const { findings } = await lintProject(source, { cwd: source.folder })
    const errors = findings.filter(({ severity }) => severity === 'error').length
    const warnings = findings.length - errors
    if (findings.length === 0) return { level: 'ok', message: 'no findings' }
    const message = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}; run admin lint`
    return { level: errors > 0 ? 'fail' : 'warn', message }
  } catch (error) {
    // A folder without files is served all the same.
    return { level: 'warn', message: (error as Error).message }
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

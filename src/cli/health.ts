import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { dataFolderOf, hasData } from '../app/open-store.ts'
import { hasNativeArgon2 } from '../auth/password.ts'
import { AppError } from '../errors.ts'
import { checkFiles, describeFileFaults, type FileTotals } from '../files/file-check.ts'
import { hasImages } from '../images/images.ts'
import type { Model } from '../model/model.ts'
import { lintProject } from '../project/lint.ts'
import { type ExaminedProject, examineProject, expectProject, type ProjectSource } from '../project/project.ts'
import type { RemovedModel } from '../project/stored-models.ts'
import { nodeDisk } from '../store/embedded/files/disk.ts'
import { type JournalSurvey, surveyJournal } from '../store/embedded/files/journal.ts'
import { holderOf, lockPath } from '../store/embedded/files/lock.ts'
import { holdsData } from '../store/embedded/files/recovery.ts'
import { seedFaults } from '../transfer/seed.ts'
import { formatBytes } from '../util/bytes.ts'
import { isoTime } from '../util/clock.ts'
import { callSucceeds, NODE_VERSIONS } from '../util/files.ts'
import type { Check, CheckName, CheckResult, CheckResults } from './health-check.ts'
import { counted } from './style.ts'

/** The checks of a project. */
export interface Health {
  readonly checks: readonly Check[]
  readonly examined: ExaminedProject
  /** True if a process holds the data folder. */
  readonly isHeld: boolean
}

/** Checks everything that a server needs and changes nothing. Works while a server runs. */
export async function healthOf(source: ProjectSource): Promise<Health> {
  const examined = await examineProject(source)
  expectProject(examined)
  const { registry, settings } = examined.project
  const { results: ofStore, isHeld } =
    settings.store === 'embedded'
      ? await dataFolderHealth(dataFolderOf(examined.project))
      : {
          results: await (await import('./health-database.ts')).databaseHealth(registry, settings, settings.store),
          isHeld: false,
        }
  const results: CheckResults = {
    node: checkNode(process.versions.node, NODE_VERSIONS),
    ...checkPasswords(await hasNativeArgon2()),
    config: checkConfig(examined),
    ...ofStore,
    ...(await checkRemoved(examined)),
    ...checkImages(registry.public, hasImages()),
    ...(await storedFilesHealth(examined)),
    lint: await checkLint(source),
  }
  const checks = Object.entries(results).map(([name, result]) => ({ name: name as CheckName, ...result }))
  return { checks, examined, isHeld }
}

/** Compares the version of Node with the required one. @param required `>=20.19` */
export function checkNode(version: string, required: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = required.replace('>=', '').split('.').map(Number)
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  if (isEnough) return { level: 'ok', message: version }
  return { level: 'fail', message: `${version} is too old; install ${leastMajor}.${leastMinor} or newer` }
}

/** Warns where passwords are hashed without the native library. Left out where it runs. */
export function checkPasswords(isNative: boolean): CheckResults {
  if (isNative) return {}
  const message =
    'the binary of @node-rs/argon2 is not installed or does not run here: each hash takes about ten times as long; install without --omit=optional'
  return { passwords: { level: 'warn', message } }
}

function checkConfig({ project, faults }: ExaminedProject): CheckResult {
  const { registry, views, warnings } = project
  const count = faults.list.length
  if (count > 0) return { level: 'fail', message: `${counted(count, 'fault')} in the project's files; run admin lint` }
  if (warnings.length > 0) return { level: 'warn', message: warnings.join('; ') }
  const viewCount = views.grouped.reduce((sum, [, list]) => sum + list.length, 0)
  return { level: 'ok', message: `${counted(registry.public.length, 'model')}, ${counted(viewCount, 'view')}` }
}

/** Looks for the optional dependency that reads images. Left out for projects without fields of images. */
export function checkImages(models: readonly Model[], isInstalled: boolean): CheckResults {
  const fields = models.flatMap(({ fileFields }) => fileFields).filter(({ file }) => file.isImage)
  if (fields.length === 0) return {}
  if (isInstalled) return { images: { level: 'ok', message: `sharp is installed, for ${counted(fields.length, 'field')}` } }
  const message = `${counted(fields.length, 'field')} of images without sharp: uploads are refused; run npm install sharp`
  return { images: { level: 'warn', message } }
}

/** Names what the data holds of removed models. Left out without data, with faulty models, and if the data cannot be read. */
async function checkRemoved({ project, faults }: ExaminedProject): Promise<CheckResults> {
  try {
    if (faults.any || !(await hasData(project))) return {}
    const { removedModels } = await import('../app/stored-models.ts')
    const removed = await removedModels(project)
    if (removed.length === 0) return { models: { level: 'ok', message: 'no records or permissions of removed models' } }
    const message = `${removed.map(leftBehind).join('; ')}: admin doctor --purge removes them`
    return { models: { level: 'warn', message } }
  } catch (error) {
    if (error instanceof AppError) return {}
    throw error
  }
}

/** `'note' is no model any more, and has 3 records and 4 permissions` */
export function leftBehind({ key, records, permissions }: RemovedModel): string {
  const parts = [
    ...(records === 0 && permissions.length > 0 ? [] : [counted(records, 'record')]),
    ...(permissions.length === 0 ? [] : [counted(permissions.length, 'permission')]),
  ]
  return `'${key}' is no model any more, and has ${parts.join(' and ')}`
}

/** Checks the bytes of files. Left out without fields of files, without data, with faulty models, and if the records cannot be read. */
async function storedFilesHealth({ project, faults }: ExaminedProject): Promise<CheckResults> {
  try {
    if (faults.any || project.registry.withFiles.length === 0 || !(await hasData(project))) return {}
    const { withStoredFiles } = await import('../app/stored-files.ts')
    const totals = await withStoredFiles(project, (parts) => checkFiles(parts, () => {}))
    return { files: rateFiles(totals, project.settings.files.min_free) }
  } catch (error) {
    if (error instanceof AppError) return {}
    throw error
  }
}

/** Rates the stored files: `fail` for files that are not as their records say, `warn` for what a sweep removes and for a full disk. */
function rateFiles(totals: FileTotals, minFree: number): CheckResult {
  const { files, bytes, free, found } = totals
  const message = `${counted(files, 'file')}, ${formatBytes(bytes)}, ${formatBytes(free)} free`
  const faults = describeFileFaults(totals)
  if (faults !== undefined) return { level: 'fail', message: `${message}; ${faults}: admin files check names them` }
  if (free < minFree) return { level: 'warn', message: `${message}: uploads are refused below ${formatBytes(minFree)}` }
  if (found.unreferenced > 0) {
    const waste = `${counted(found.unreferenced, 'content')} that no record has`
    return { level: 'warn', message: `${message}; ${waste}: a server or admin files gc removes them` }
  }
  return { level: 'ok', message }
}

async function checkLint(source: ProjectSource): Promise<CheckResult> {
  const { findings } = await lintProject(source, { cwd: source.folder, seedFaults })
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  if (findings.length === 0) return { level: 'ok', message: 'no findings' }
  const message = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}; run admin lint`
  return { level: errors > 0 ? 'fail' : 'warn', message }
}

const MEBIBYTE = 2 ** 20
/** Below this, a check warns: compaction writes a new `db.json` beside the old one. */
const LOW_SPACE = 1024 * MEBIBYTE
/** Below this, a check fails. */
const NO_SPACE = 16 * MEBIBYTE

/** Checks the lock, the disk and the journal of a data folder. Works while a server runs. */
async function dataFolderHealth(folder: string): Promise<{ results: CheckResults; isHeld: boolean }> {
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
  const isWritable = await callSucceeds(access(place, constants.W_OK))
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
  return (await callSucceeds(access(folder))) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
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

import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { dataFolderOf, hasData, placeOf } from '../../app/open-store.ts'
import { SHELL } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { noData } from '../../project/broken-records.ts'
import { loadProject } from '../../project/project.ts'
import { MAX_BULK_RECORDS } from '../../records/write-requests.ts'
import { examine, type FolderReport, type Repair, repairInto } from '../../store/embedded/files/doctor.ts'
import { holdsData } from '../../store/embedded/files/recovery.ts'
import { printable, printableJson } from '../../util/text.ts'
import { type Health, healthOf, leftBehind } from '../health.ts'
import type { Check } from '../health-check.ts'
import type { Io } from '../io.ts'
import { type ProjectOptions, sourceOf, withAppOf, withProjectOptions } from '../project-options.ts'
import { confirm } from '../prompts.ts'
import { counted, painter, shellWord, table } from '../style.ts'

type DoctorOptions = ProjectOptions & { repair?: string | true; purge?: boolean; yes?: boolean; json?: boolean }

const NOTES = `
Checks the version of Node, the project's files, the lock of the data folder, the disk, the journal and the findings of admin lint.
For a project with fields of images, checks that sharp is installed. Warns where passwords are hashed without the native library.
While no process holds the data, also checks every stored record. With PostgreSQL, checks the secret key, the connection, the version,
settings, rights, the tables and indexes against the models, the totals, words and next ids against the rows, pg_trgm, the clock and the notifications of
changes in place of the data folder. --repair without a folder then enables triggers, counts the rows, moves the ids and lets the words be
stored again, also while servers run: after rows were written without triggers, as by pg_restore --disable-triggers. Exits 1
when a check fails, a server would not start on the data, or --repair could not save all records.

Names the records and permissions of models that the project does not have any more. --purge removes them after a question, while no
server runs on the data folder: the records, and the permissions with the users' and groups' links to them. A renamed model is not
removed: \`was\` in its file keeps its records. Snapshots and the history keep what they have.`

/** `admin doctor`: checks the project, the machine and the data folder; changes nothing without `--purge`. */
export function doctorCommand(io: Io): Command {
  return withProjectOptions(
    new Command('doctor').description('check the project, the machine and the data; changes nothing by itself'),
  )
    .option(
      '--repair [dir]',
      'save all readable records into a new folder, while no server runs; with PostgreSQL, without a folder: correct totals, words and ids',
    )
    .addOption(new Option('--purge', 'remove records and permissions of removed models').conflicts(['repair', 'json']))
    .option('--yes', 'with --purge: do not ask; needed without a terminal')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', NOTES)
    .addHelpText('after', '\nExamples:\n  $ admin doctor\n  $ admin doctor --repair saved && admin serve --data saved\n')
    .action(async (options: DoctorOptions) => {
      if (options.purge === true) return purge(io, options)
      if (options.repair === true) await repairStore(io, options)
      const { checks, examined, isHeld } = await healthOf(sourceOf(io, options, {}))
      const isInFiles = examined.project.settings.store === 'embedded'
      if (!isInFiles && typeof options.repair === 'string') throw nothingToRepair(placeOf(examined.project))
      if (options.json !== true) showChecks(checks, io)
      if (isInFiles) await examineFolder(io, options, { checks, examined, isHeld })
      else if (options.json === true) io.stdout.write(`${printableJson({ checks })}\n`)
      if (typeof options.repair === 'string') return
      refuseFailed(checks)
      if (isInFiles && !(await hasData(examined.project))) throw noData(dataFolderOf(examined.project))
    })
}

/** Removes the permissions and then the tables of removed models. The permissions are deleted by a write like those of requests. */
async function purge(io: Io, options: DoctorOptions): Promise<void> {
  const project = await loadProject(sourceOf(io, options, {}))
  if (!(await hasData(project))) throw noData(placeOf(project))
  const { removedModels, removeTables } = await import('../../app/stored-models.ts')
  const removed = await removedModels(project)
  if (removed.length === 0) return void io.stderr.write('Nothing to remove: every table and permission has its model\n')
  for (const model of removed) {
    const names = model.permissions.map(({ codename }) => codename).join(', ')
    io.stderr.write(`${leftBehind(model)}${names === '' ? '' : `: ${names}`}\n`)
  }
  io.stderr.write('This deletes them. If a model was renamed, keep its records by `was` in its file instead\n')
  if (options.yes !== true) await confirm(io, 'Delete?')
  const ids = removed.flatMap(({ permissions }) => permissions.map(({ id }) => id))
  await withAppOf(io, project, 'write', async (app) => {
    for (let start = 0; start < ids.length; start += MAX_BULK_RECORDS) {
      await app.records.removeMany(SHELL, 'permission', { ids: ids.slice(start, start + MAX_BULK_RECORDS) })
    }
  })
  await removeTables(project, removed)
  const records = removed.reduce((sum, model) => sum + model.records, 0)
  io.stderr.write(`Deleted ${counted(records, 'record')} and ${counted(ids.length, 'permission')}\n`)
}

const nothingToRepair = (place: string): AppError =>
  new AppError(
    'USAGE',
    `--repair DIR saves the records of a data folder; the records are in ${place}: restore them by pg_restore, and use --repair without a folder`,
  )

/** Corrects a database. @throws {AppError} USAGE for a data folder */
async function repairStore(io: Io, options: DoctorOptions): Promise<void> {
  const { settings, registry } = await loadProject(sourceOf(io, options, {}))
  if (settings.store === 'embedded')
    throw new AppError('USAGE', '--repair needs a new folder to save the records of a data folder in')
  const { repairDatabase } = await import('../health-database.ts')
  await repairDatabase(registry, settings.store)
  io.stderr.write(
    'Enabled triggers, counted rows and moved ids; the words of all records are stored again by a running server, or the next one\n',
  )
}

/**
 * Examines the records of a data folder, prints the report, and repairs the folder if that is asked for.
 *
 * @throws {AppError} DATA_CORRUPT
 */
async function examineFolder(io: Io, options: DoctorOptions, { checks, examined, isHeld }: Health): Promise<void> {
  const folder = dataFolderOf(examined.project)
  const folderToSaveIn = typeof options.repair === 'string' ? options.repair : undefined
  const isServed = isHeld && folderToSaveIn === undefined
  // Without valid models, stored records cannot be checked.
  const isExamined = (await holdsData(folder)) && !isServed && !examined.faults.any
  const report = isExamined ? await examine(folder, examined.project.registry) : undefined
  const repair = folderToSaveIn === undefined ? undefined : await repairInto(folder, resolve(io.cwd, folderToSaveIn))
  if (options.json === true) io.stdout.write(`${printableJson({ checks, ...report, ...(repair && { repair }) })}\n`)
  else if (report !== undefined) show(report, repair, io)
  if (repair !== undefined) return refuseLoss(repair)
  if (report?.sound === false) {
    throw new AppError('DATA_CORRUPT', `${folder} is damaged; --repair DIR saves all readable records into a new folder`)
  }
}

/** @throws {AppError} TASK_FAILED naming the failed checks */
function refuseFailed(checks: readonly Check[]): void {
  const failed = checks.filter(({ level }) => level === 'fail').map(({ name }) => name)
  if (failed.length > 0) throw new AppError('TASK_FAILED', `Failed checks: ${failed.join(', ')}`)
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function showChecks(checks: readonly Check[], io: Io): void {
  const paint = painter(io.stdout, io.env)
  const width = Math.max(...checks.map(({ name }) => name.length))
  for (const { name, level, message } of checks) {
    io.stdout.write(`${paint(COLOURS[level], level.padEnd(4))}  ${name.padEnd(width)}  ${printable(message)}\n`)
  }
}

/** @throws {AppError} DATA_CORRUPT when a repair did not save everything */
function refuseLoss({ folder, records, leftOut }: Repair): void {
  if (records === 0) throw new AppError('DATA_CORRUPT', 'No record was saved; restore the data from a backup')
  if (leftOut.length === 0) return
  throw new AppError('DATA_CORRUPT', `Not all records could be saved in ${folder}; review the omitted ones before you use it`)
}

/** Maximum number of findings printed. */
const MAX_LINES = 50

function printFirst(lines: readonly string[], io: Io): void {
  for (const line of lines.slice(0, MAX_LINES)) io.stdout.write(`${printable(line)}\n`)
  if (lines.length > MAX_LINES) io.stdout.write(`… and ${lines.length - MAX_LINES} more\n`)
}

function show({ snapshot, journal, tables, findings, sound }: FolderReport, repair: Repair | undefined, io: Io): void {
  const rows = [
    ...(snapshot === undefined ? [] : [['db.json', `${snapshot.bytes}`, `up to transaction ${snapshot.sequence}`]]),
    ...journal.map(({ file, bytes, transactions }) => [file, `${bytes}`, counted(transactions, 'transaction')]),
  ]
  io.stdout.write(`\n${table(['FILE', 'BYTES', 'CONTENT'], rows)}`)
  const counts = Object.entries(tables).map(([name, records]) => [name, `${records}`])
  io.stdout.write(`\n${table(['TABLE', 'RECORDS'], counts)}\n`)
  printFirst(
    findings.map(({ level, file, message }) => `${level} ${message.startsWith('/') ? message : `${file}: ${message}`}`),
    io,
  )
  io.stdout.write(sound ? 'The data is intact.\n' : 'The data is damaged.\n')
  if (repair === undefined) return
  const saved = `${counted(repair.records, 'record')}, with ${counted(repair.transactions, 'transaction')} of the journal,`
  io.stdout.write(`\nSaved ${saved} in ${repair.folder}\n`)
  printFirst(
    repair.leftOut.map((place) => `omitted: ${place}`),
    io,
  )
  if (repair.records > 0) io.stdout.write(`To use it: admin serve --data ${shellWord(repair.folder)}\n`)
}

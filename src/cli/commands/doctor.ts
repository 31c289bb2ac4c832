import { resolve } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { noData } from '../../service/project/broken-records.ts'
import { examine, type Repair, type Report, repairInto } from '../../store/embedded/recovery/doctor.ts'
import { holdsData } from '../../store/embedded/recovery/recovery.ts'
import { type Check, healthOf } from '../project/health.ts'
import { dataFolderOf, type ProjectOptions, sourceOf, withProjectOptions } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { painter, table } from '../terminal/style.ts'

type DoctorOptions = ProjectOptions & { repair?: string; json?: boolean }

const NOTES = `
Looks at node, the project's files, who holds the data, the disk, the journal and what admin lint finds; where nobody holds the data,
at all of it. Exits 1 when something fails, a server would not start on the data, or --repair could not save all of it.
`

/** `admin doctor`: says whether all is well, what is in the data folder and what is wrong with it; changes nothing. */
export function doctorCommand(io: Io): Command {
  return withProjectOptions(new Command('doctor').description('check the project, the machine and the data; changes nothing'))
    .option('--repair <dir>', 'write what can be saved into a new folder, while no server runs')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', NOTES)
    .addHelpText('after', '\nExamples:\n  $ admin doctor\n  $ admin doctor --repair saved && admin serve --data saved\n')
    .action(async (options: DoctorOptions) => {
      const { checks, examined, isHeld } = await healthOf(sourceOf(io, options, {}))
      const folder = dataFolderOf(examined.project)
      const isThere = await holdsData(folder)
      const isServed = isHeld && options.repair === undefined
      // Files that cannot be understood say nothing of what is stored.
      const isLookedAt = isThere && !isServed && !examined.faults.any
      if (options.json !== true) showChecks(checks, io)
      const report = isLookedAt ? await examine(folder, examined.project.registry) : undefined
      const repair = options.repair === undefined ? undefined : await repairInto(folder, resolve(io.cwd, options.repair))
      if (options.json === true) io.stdout.write(`${printableJson({ checks, ...report, ...(repair && { repair }) })}\n`)
      else if (report !== undefined) show(report, repair, io)
      if (repair !== undefined) return refuseLoss(repair)
      if (report?.sound === false) {
        throw new AppError('DATA_CORRUPT', `${folder} is not sound; --repair DIR saves what can be read into a new folder`)
      }
      const failed = checks.filter(({ level }) => level === 'fail').map(({ name }) => name)
      if (failed.length > 0) throw new AppError('TASK_FAILED', `Not all is well: ${failed.join(', ')}`)
      if (!isThere) throw noData(folder)
    })
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function showChecks(checks: readonly Check[], io: Io): void {
  const paint = painter(io.stdout, io.env)
  for (const { name, level, message } of checks) {
    io.stdout.write(`${paint(COLOURS[level], level.padEnd(4))}  ${name.padEnd(7)}  ${printable(message)}\n`)
  }
}

/** @throws {AppError} DATA_CORRUPT when a repair did not save everything */
function refuseLoss({ folder, records, leftOut }: Repair): void {
  if (records === 0) throw new AppError('DATA_CORRUPT', 'No record was saved; restore the data from a copy')
  if (leftOut.length === 0) return
  throw new AppError('DATA_CORRUPT', `Not everything could be saved in ${folder}; look at what was left out before you use it`)
}

/** Nobody reads more. */
const MAX_LINES = 50

function showSome(lines: readonly string[], io: Io): void {
  for (const line of lines.slice(0, MAX_LINES)) io.stdout.write(`${line}\n`)
  if (lines.length > MAX_LINES) io.stdout.write(`… and ${lines.length - MAX_LINES} more\n`)
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function show({ snapshot, journal, tables, findings, sound }: Report, repair: Repair | undefined, io: Io): void {
  const rows = [
    ...(snapshot === undefined ? [] : [['db.json', `${snapshot.bytes}`, `up to transaction ${snapshot.sequence}`]]),
    ...journal.map(({ file, bytes, transactions }) => [file, `${bytes}`, counted(transactions, 'transaction')]),
  ]
  io.stdout.write(`\n${table(['FILE', 'BYTES', 'HOLDS'], rows)}`)
  const counts = Object.entries(tables).map(([name, records]) => [name, `${records}`])
  io.stdout.write(`\n${table(['TABLE', 'RECORDS'], counts)}\n`)
  showSome(
    findings.map(({ level, file, message }) => `${level} ${message.startsWith('/') ? message : `${file}: ${message}`}`),
    io,
  )
  io.stdout.write(sound ? 'The data is sound.\n' : 'The data is not sound.\n')
  if (repair === undefined) return
  const saved = `${counted(repair.records, 'record')}, with ${counted(repair.transactions, 'transaction')} of the journal,`
  io.stdout.write(`\nSaved ${saved} in ${repair.folder}\n`)
  showSome(
    repair.leftOut.map((place) => `left out: ${place}`),
    io,
  )
  if (repair.records > 0) io.stdout.write(`To start on it: admin serve --data ${repair.folder}\n`)
}

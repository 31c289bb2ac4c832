import { resolve } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { examine, type Repair, type Report, repairInto } from '../../store/doctor.ts'
import type { Io } from '../io.ts'
import { type ProjectOptions, withDataFolder, withProjectOptions } from '../project-options.ts'
import { table } from '../style.ts'

type DoctorOptions = ProjectOptions & { repair?: string; json?: boolean }

/** `admin doctor`: says what is in the data folder and what is wrong with it; changes nothing. */
export function doctorCommand(io: Io): Command {
  return withProjectOptions(new Command('doctor').description('check the data folder while no server runs; changes nothing'))
    .option('--repair <dir>', 'write what can be saved into a new folder')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', '\nExits 1 when a server would not start on the data, or when --repair could not save all of it.\n')
    .addHelpText('after', '\nExample:\n  $ admin doctor --repair saved && admin serve --data saved\n')
    .action((options: DoctorOptions) =>
      withDataFolder(io, options, async (folder, registry) => {
        const report = await examine(folder, registry)
        const repair = options.repair === undefined ? undefined : await repairInto(folder, resolve(io.cwd, options.repair))
        if (options.json === true) io.stdout.write(`${JSON.stringify({ ...report, ...(repair && { repair }) })}\n`)
        else show(report, repair, io)
        if (repair !== undefined) refuseLoss(repair)
        if (!report.sound && repair === undefined) {
          throw new AppError('DATA_CORRUPT', `${folder} is not sound; --repair DIR saves what can be read into a new folder`)
        }
      }),
    )
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
  io.stdout.write(table(['FILE', 'BYTES', 'HOLDS'], rows))
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

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
    .addHelpText('after', '\nExits 1 when a server would not start on the data.\n')
    .addHelpText('after', '\nExample:\n  $ admin doctor --repair saved && admin serve --data saved\n')
    .action((options: DoctorOptions) =>
      withDataFolder(io, options, async (folder, registry) => {
        const report = await examine(folder, registry)
        const repair = options.repair === undefined ? undefined : await repairInto(folder, resolve(io.cwd, options.repair))
        if (options.json === true) io.stdout.write(`${JSON.stringify({ ...report, ...(repair && { repair }) })}\n`)
        else show(report, repair, io)
        if (!report.sound && repair === undefined) {
          throw new AppError('DATA_CORRUPT', `${folder} is not sound; --repair DIR saves what can be read into a new folder`)
        }
      }),
    )
}

function show({ snapshot, journal, tables, findings, sound }: Report, repair: Repair | undefined, io: Io): void {
  const rows = [
    ...(snapshot === undefined ? [] : [['db.json', `${snapshot.bytes}`, `up to transaction ${snapshot.sequence}`]]),
    ...journal.map(({ file, bytes, transactions }) => [file, `${bytes}`, `${transactions} transactions`]),
  ]
  io.stdout.write(table(['FILE', 'BYTES', 'HOLDS'], rows))
  const counts = Object.entries(tables).map(([name, records]) => [name, `${records}`])
  io.stdout.write(`\n${table(['TABLE', 'RECORDS'], counts)}\n`)
  for (const { level, file, message } of findings) {
    const text = message.startsWith('/') ? message : `${file}: ${message}`
    io.stdout.write(`${level} ${text}\n`)
  }
  io.stdout.write(sound ? 'The data is sound.\n' : 'The data is not sound.\n')
  if (repair === undefined) return
  io.stdout.write(`\nSaved ${repair.records} records in ${repair.folder}\n`)
  for (const place of repair.leftOut) io.stdout.write(`left out: ${place}\n`)
}

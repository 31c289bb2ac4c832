import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { compactFolder } from '../../store/embedded/files/data-folder.ts'
import type { Io } from '../io.ts'
import { type ProjectOptions, withDataFolder, withProject, withProjectOptions } from '../project-options.ts'
import { counted } from '../style.ts'

type CompactOptions = ProjectOptions & { accept?: boolean; json?: boolean }

const nothingToCompact = (place: string): AppError =>
  new AppError('USAGE', `Only a data folder has a journal; the records are in ${place}, which needs no compaction`)

/** `admin compact`: merges the journal into `db.json` while no server runs. */
export function compactCommand(io: Io): Command {
  return withProjectOptions(new Command('compact').description('merge the journal into db.json while no server runs'))
    .option(
      '--accept',
      'accept a db.json that was edited by hand, even if it does not match the models, and the loss of a journal that it names',
    )
    .option('--json', 'print sizes and the number of records as JSON')
    .addHelpText('after', '\nExample:\n  $ admin compact && git add data/db.json\n')
    .action((options: CompactOptions) =>
      withProject(io, options, (project) =>
        withDataFolder(project, nothingToCompact, async (folder, registry) => {
          const warn = (message: string) => io.stderr.write(`Warning: ${message}\n`)
          const { before, after, records } = await compactFolder(folder, registry, { accept: options.accept === true, warn })
          if (options.json === true) io.stdout.write(`${JSON.stringify({ before, after, records })}\n`)
          else {
            const sizes = `db.json ${before.snapshot} bytes, journal ${before.journal} bytes`
            io.stdout.write(`Before: ${sizes}\nAfter:  db.json ${after} bytes, ${counted(records, 'record')}\n`)
          }
        }),
      ),
    )
}

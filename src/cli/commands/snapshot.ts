import { Command } from 'commander'
import { loadCopy, saveCopy, savedCopies } from '../../store/saved-copies.ts'
import { isoTime } from '../../util/clock.ts'
import type { Io } from '../io.ts'
import { dataFolderOf, type ProjectOptions, withDataFolder, withProject, withProjectOptions } from '../project-options.ts'
import { table } from '../style.ts'

type SaveOptions = ProjectOptions & { force?: boolean }
type ListOptions = ProjectOptions & { json?: boolean }

/** `admin snapshot`: copies of the data, to come back to. */
export function snapshotCommand(io: Io): Command {
  const snapshot = new Command('snapshot')
    .description('keep copies of the data, and come back to them, while no server runs')
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before-import\n')
  snapshot.addCommand(saveCommand(io))
  snapshot.addCommand(loadCommand(io))
  snapshot.addCommand(listCommand(io))
  return snapshot
}

function saveCommand(io: Io): Command {
  return withProjectOptions(new Command('save').description('keep a copy of the data').argument('<name>', 'name of the copy'))
    .option('--force', 'write over a copy of that name')
    .addHelpText('after', '\nCopies are kept in the folder snapshots/ of the data folder.\n')
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before-import\n')
    .action((name: string, options: SaveOptions) =>
      withDataFolder(io, options, async (folder, registry) => {
        const { bytes } = await saveCopy(folder, registry, name, { force: options.force === true })
        io.stderr.write(`Saved '${name}' (${bytes} bytes)\n`)
      }),
    )
}

function loadCommand(io: Io): Command {
  const load = new Command('load').description('put a copy in the place of the data, which is lost')
  return withProjectOptions(load.argument('<name>', 'name of the copy'))
    .addHelpText('after', '\nExample:\n  $ admin snapshot load before-import && admin serve\n')
    .action((name: string, options: ProjectOptions) =>
      withProject(io, options, async (project) => {
        const { bytes } = await loadCopy(dataFolderOf(project), name)
        io.stderr.write(`Loaded '${name}' (${bytes} bytes)\n`)
      }),
    )
}

function listCommand(io: Io): Command {
  return withProjectOptions(new Command('list').description('list the copies; works beside a running server'))
    .option('--json', 'print the copies as a JSON array')
    .addHelpText('after', '\nExample:\n  $ admin snapshot list --json\n')
    .action((options: ListOptions) =>
      withProject(io, options, async (project) => {
        const copies = (await savedCopies(dataFolderOf(project))).map(({ name, bytes, savedAt }) => {
          return { name, bytes, saved_at: isoTime(savedAt) }
        })
        if (options.json === true) io.stdout.write(`${JSON.stringify(copies, null, 2)}\n`)
        else if (copies.length === 0) io.stderr.write('There are no snapshots; `admin snapshot save NAME` makes one\n')
        else {
          const rows = copies.map(({ name, bytes, saved_at }) => [name, String(bytes), saved_at])
          io.stdout.write(table(['NAME', 'BYTES', 'SAVED'], rows))
        }
      }),
    )
}

import { Command } from 'commander'
import { type ShownCopy, shownCopy } from '../../service/project/snapshots.ts'
import { compactFolder } from '../../store/embedded/compaction/compact-folder.ts'
import { whileLocked } from '../../store/embedded/files/lock.ts'
import {
  type CopyRequest,
  checkCopy,
  loadCopy,
  refuseTaken,
  saveCopy,
  savedCopies,
} from '../../store/embedded/snapshot/saved-copies.ts'
import { isServed, withApi } from '../api/api-client.ts'
import { type RemoteOptions, withRemoteOptions } from '../api/remote.ts'
import { dataFolderOf, withDataFolder, withProject } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'
import { table } from '../terminal/style.ts'

type SaveOptions = RemoteOptions & { force?: boolean }
type ListOptions = RemoteOptions & { json?: boolean }

/** `admin snapshot`: copies of the data, to come back to. */
export function snapshotCommand(io: Io): Command {
  const snapshot = new Command('snapshot')
    .description('keep copies of the data, and come back to them, beside a running server too')
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before-import\n')
  snapshot.addCommand(saveCommand(io))
  snapshot.addCommand(loadCommand(io))
  snapshot.addCommand(listCommand(io))
  return snapshot
}

function saveCommand(io: Io): Command {
  return withRemoteOptions(new Command('save').description('keep a copy of the data').argument('<name>', 'name of the copy'))
    .option('--force', 'write over a copy of that name')
    .addHelpText('after', '\nCopies are kept in the folder snapshots/ of the data folder.\n')
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before-import\n')
    .action(async (name: string, options: SaveOptions) => {
      const { bytes } = await save(io, options, { name, force: options.force === true })
      io.stderr.write(`Saved '${name}' (${bytes} bytes)\n`)
    })
}

async function save(io: Io, options: RemoteOptions, request: CopyRequest): Promise<ShownCopy> {
  if (await isServed(io, options)) {
    return withApi(io, options, async (api) => (await api.request('POST', '/snapshots', request)).data)
  }
  return withDataFolder(io, options, async (folder, registry) => {
    await refuseTaken(folder, request)
    // Afterwards `db.json` is all there is.
    await compactFolder(folder, registry)
    return shownCopy(await whileLocked(folder, () => saveCopy(folder, request)))
  })
}

function loadCommand(io: Io): Command {
  const load = new Command('load').description('put a copy in the place of the data, which is lost')
  return withRemoteOptions(load.argument('<name>', 'name of the copy'))
    .addHelpText('after', '\nExample:\n  $ admin snapshot load before-import && admin serve\n')
    .action(async (name: string, options: RemoteOptions) => {
      const { bytes } = await loaded(io, options, name)
      io.stderr.write(`Loaded '${name}' (${bytes} bytes)\n`)
    })
}

async function loaded(io: Io, options: RemoteOptions, name: string): Promise<ShownCopy> {
  if (await isServed(io, options)) {
    const path = `/snapshots/${encodeURIComponent(name)}/load`
    return withApi(io, options, async ({ request }) => (await request('POST', path)).data)
  }
  return withProject(io, options, async (project) => {
    const folder = dataFolderOf(project)
    await checkCopy(folder, project.registry, name)
    return shownCopy(await whileLocked(folder, () => loadCopy(folder, name)))
  })
}

function listCommand(io: Io): Command {
  return withRemoteOptions(new Command('list').description('list the copies'))
    .option('--json', 'print the copies as a JSON array')
    .addHelpText('after', '\nExample:\n  $ admin snapshot list --json\n')
    .action(async (options: ListOptions) => {
      const copies = await listed(io, options)
      if (options.json === true) io.stdout.write(`${JSON.stringify(copies, null, 2)}\n`)
      else if (copies.length === 0) io.stderr.write('There are no snapshots; `admin snapshot save NAME` makes one\n')
      else {
        const rows = copies.map(({ name, bytes, saved_at }) => [name, String(bytes), saved_at])
        io.stdout.write(table(['NAME', 'BYTES', 'SAVED'], rows))
      }
    })
}

async function listed(io: Io, options: RemoteOptions): Promise<ShownCopy[]> {
  if (await isServed(io, options)) {
    return withApi(io, options, async ({ request }) => (await request('GET', '/snapshots')).data)
  }
  return withProject(io, options, async (project) => (await savedCopies(dataFolderOf(project))).map(shownCopy))
}

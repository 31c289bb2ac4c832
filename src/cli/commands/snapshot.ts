import { Command } from 'commander'
import { databaseHasNoSnapshots, type ShownCopy, shownCopy } from '../../project/snapshots.ts'
import { compactFolder } from '../../store/embedded/files/data-folder.ts'
import { whileLocked } from '../../store/embedded/files/lock.ts'
import {
  type CopyRequest,
  checkCopy,
  loadCopy,
  rejectExisting,
  removeCopy,
  saveCopy,
  savedCopies,
} from '../../store/embedded/files/saved-copies.ts'
import { onServerOrHere } from '../api-client.ts'
import type { Io } from '../io.ts'
import { expectDataFolder, withDataFolder } from '../project-options.ts'
import { confirm } from '../prompts.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { table } from '../style.ts'

type SaveOptions = RemoteOptions & { force?: boolean }
type LoadOptions = RemoteOptions & { yes?: boolean }
type ListOptions = RemoteOptions & { json?: boolean }

/** `admin snapshot`: saves, restores, lists and removes copies of the data. */
export function snapshotCommand(io: Io): Command {
  const snapshot = new Command('snapshot')
    .description('save and restore copies of the data, also while a server runs')
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before-import\n')
  snapshot.addCommand(saveCommand(io))
  snapshot.addCommand(loadCommand(io))
  snapshot.addCommand(listCommand(io))
  snapshot.addCommand(removeCommand(io))
  return snapshot
}

function saveCommand(io: Io): Command {
  return withRemoteOptions(new Command('save').description('save a copy of the data').argument('<name>', 'name of the snapshot'))
    .option('--force', 'overwrite an existing snapshot of that name')
    .addHelpText('after', '\nSnapshots are stored in the folder snapshots/ of the data folder.')
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before-import\n')
    .action(async (name: string, options: SaveOptions) => {
      const { bytes } = await save(io, options, { name, force: options.force === true })
      io.stderr.write(`Saved '${name}' (${bytes} bytes)\n`)
    })
}

/** The snapshot in a response of the API. */
const copyIn = (response: unknown): ShownCopy => (response as { data: ShownCopy }).data

const save = (io: Io, options: RemoteOptions, request: CopyRequest): Promise<ShownCopy> =>
  onServerOrHere(
    io,
    options,
    async (client) => copyIn(await client.request('/snapshots', { method: 'POST', body: request })),
    (project) =>
      withDataFolder(project, databaseHasNoSnapshots, async (folder, registry) => {
        await rejectExisting(folder, request)
        // After compaction, `db.json` contains all records and can be copied.
        await compactFolder(folder, registry)
        return shownCopy(await whileLocked(folder, () => saveCopy(folder, request)))
      }),
  )

const LOAD_NOTES = `
All data becomes that of the snapshot: records, users with their passwords and sessions, groups, permissions, the history, and webhooks
with their secrets, events and deliveries. What was added or changed since is lost. The secret that signs tokens and the other
snapshots stay. Asks before it replaces the data; without a terminal --yes is needed.`

function loadCommand(io: Io): Command {
  const load = new Command('load').description('replace the data with a snapshot; the current data is lost')
  return withRemoteOptions(load.argument('<name>', 'name of the snapshot'))
    .option('--yes', 'do not ask; needed without a terminal')
    .addHelpText('after', LOAD_NOTES)
    .addHelpText('after', '\nExample:\n  $ admin snapshot load before-import --yes && admin serve\n')
    .action(async (name: string, options: LoadOptions) => {
      const { bytes } = await restore(io, options, name)
      io.stderr.write(`Loaded '${name}' (${bytes} bytes)\n`)
    })
}

async function confirmLoad(io: Io, { yes = false }: LoadOptions, name: string): Promise<void> {
  if (yes) return
  io.stderr.write(`This replaces all records, accounts, webhooks with their secrets, and the history by those of '${name}'\n`)
  await confirm(io, 'Replace?')
}

const restore = (io: Io, options: LoadOptions, name: string): Promise<ShownCopy> =>
  onServerOrHere(
    io,
    options,
    async (client) => {
      await confirmLoad(io, options, name)
      return copyIn(await client.request(`/snapshots/${encodeURIComponent(name)}/load`, { method: 'POST' }))
    },
    async (project) => {
      const folder = expectDataFolder(project, databaseHasNoSnapshots)
      await checkCopy(folder, project.registry, name)
      await confirmLoad(io, options, name)
      return shownCopy(await whileLocked(folder, () => loadCopy(folder, name)))
    },
  )

function listCommand(io: Io): Command {
  return withRemoteOptions(new Command('list').description('list the snapshots'))
    .option('--json', 'print the snapshots as a JSON array')
    .addHelpText('after', '\nExample:\n  $ admin snapshot list --json\n')
    .action(async (options: ListOptions) => {
      const copies = await listed(io, options)
      if (options.json === true) io.stdout.write(`${JSON.stringify(copies, null, 2)}\n`)
      else if (copies.length === 0) io.stderr.write('There are no snapshots; `admin snapshot save NAME` saves one\n')
      else {
        const rows = copies.map(({ name, bytes, saved_at }) => [name, String(bytes), saved_at])
        io.stdout.write(table(['NAME', 'BYTES', 'SAVED'], rows))
      }
    })
}

const listed = (io: Io, options: RemoteOptions): Promise<ShownCopy[]> =>
  onServerOrHere(
    io,
    options,
    async (client) => ((await client.request('/snapshots')) as { data: ShownCopy[] }).data,
    async (project) => (await savedCopies(expectDataFolder(project, databaseHasNoSnapshots))).map(shownCopy),
  )

function removeCommand(io: Io): Command {
  const remove = new Command('remove').description('remove a snapshot; the data stays as it is')
  return withRemoteOptions(remove.argument('<name>', 'name of the snapshot'))
    .addHelpText('after', '\nExample:\n  $ admin snapshot remove before-import\n')
    .action(async (name: string, options: RemoteOptions) => {
      const { bytes } = await removed(io, options, name)
      io.stderr.write(`Removed '${name}' (${bytes} bytes)\n`)
    })
}

const removed = (io: Io, options: RemoteOptions, name: string): Promise<ShownCopy> =>
  onServerOrHere(
    io,
    options,
    async (client) => copyIn(await client.request(`/snapshots/${encodeURIComponent(name)}`, { method: 'DELETE' })),
    async (project) => shownCopy(await removeCopy(expectDataFolder(project, databaseHasNoSnapshots), name)),
  )

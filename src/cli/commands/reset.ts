import { Command } from 'commander'
import { dataFolderOf, hasData } from '../../app/open-store.ts'
import { type App, openApp } from '../../app.ts'
import type { Client } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { connectTo } from '../../http/in-process.ts'
import { jwtCodec } from '../../http/jwt-codec.ts'
import type { Project } from '../../project/project.ts'
import { planReset, type ResetPlan, type ResetRequest } from '../../project/reset.ts'
import { makeFolder, whileLocked } from '../../store/embedded/files/lock.ts'
import { changeData } from '../../store/embedded/files/saved-copies.ts'
import { onServerOrHere } from '../api-client.ts'
import type { Io } from '../io.ts'
import { withAppOf } from '../project-options.ts'
import { confirm } from '../prompts.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { counted } from '../style.ts'

type ResetOptions = RemoteOptions & { seedData?: boolean; accounts?: boolean; yes?: boolean; json?: boolean }

/** The counts of a reset; undefined if the data cannot be read. */
type Counts = Pick<ResetPlan, 'removed' | 'webhooks' | 'history'> | undefined

const NOTES = `
Deletes the records of all models, the history, and the webhooks with their secrets, events and deliveries; webhooks of the settings are
created again. Keeps users, groups and permissions with their sessions, unless --accounts is given. Always keeps the secret that signs
tokens, and the snapshots saved by \`admin snapshot save\`. Prints what goes and asks before it deletes; without a terminal --yes is
needed. --seed-data reads the seed files as they are now, also beside a server that started with others.`

/** `admin reset`: deletes all records, the history and the webhooks; accounts stay unless the user asks for them. */
export function resetCommand(io: Io): Command {
  const description =
    'delete all records, the history and the webhooks, keep accounts, and restart ids at 1; also while a server runs'
  return withRemoteOptions(new Command('reset').description(description))
    .option('--seed-data', 'create the seed records afterwards, as on the first start')
    .option('--accounts', 'delete users, groups and permissions, too')
    .option('--yes', 'do not ask; needed without a terminal')
    .option('--json', 'print how many seed records were created as JSON')
    .addHelpText('after', NOTES)
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before && admin reset --seed-data --yes\n')
    .action(async (options: ResetOptions) => {
      const request = { seeds: options.seedData === true, accounts: options.accounts === true }
      const work = async (reset: Reset): Promise<void> => {
        const counts = await reset.count()
        const goes = wordsFor(counts)
        const keeps = !request.accounts && counts?.removed.permission === undefined
        io.stderr.write(`This deletes ${goes}${keeps ? '; accounts stay (--accounts deletes them, too)' : ''}\n`)
        // Without a terminal --yes is always needed, so that a script does not depend on the data.
        if (options.yes !== true && (goes !== NOTHING || io.stdin.isTTY !== true)) await confirm(io, 'Delete?')
        const seeded = await reset.run()
        io.stderr.write(`Deleted ${goes}${afterwards(request, seeded)}\n`)
        if (options.json === true) io.stdout.write(`${JSON.stringify({ seeded })}\n`)
      }
      try {
        await onServerOrHere(
          io,
          options,
          (client) => work(resetOnServer(client, request)),
          (project) => work(resetHere(io, project, request)),
        )
      } catch (error) {
        throw request.seeds && !request.accounts ? withRemedy(error) : error
      }
    })
}

const NOTHING = 'nothing'

/** `12 tag records, 46 post records, 1 webhook with its secret and 58 history entries` */
function wordsFor(counts: Counts): string {
  if (counts === undefined) return 'all data, which cannot be read'
  const { removed, webhooks, history } = counts
  const parts = Object.entries(removed).map(([model, count]) => counted(count, `${model} record`))
  if (webhooks > 0) parts.push(counted(webhooks, 'webhook with its secret', 'webhooks with their secrets'))
  if (history > 0) parts.push(counted(history, 'history entry', 'history entries'))
  const last = parts.pop() ?? NOTHING
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

function afterwards({ seeds, accounts }: ResetRequest, seeded: number): string {
  if (seeds) return `; created ${counted(seeded, 'seed record')}`
  return accounts ? '; there are no users now; --seed-data creates the seed records' : ''
}

/** Seed records may refer to accounts that were deleted meanwhile. */
function withRemedy(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'CONFIG_INVALID') return error
  const remedy = 'If these refer to accounts that no longer exist: --accounts creates the accounts of the seed files again'
  return new AppError('CONFIG_INVALID', `${error.message}\n${remedy}`, { cause: error })
}

/** A reset where the data is: on a server, or in this process. */
interface Reset {
  /** Counts what the reset deletes, and checks that it can succeed. */
  count(): Promise<Counts>
  /** @returns number of seed records created */
  run(): Promise<number>
}

function resetOnServer(client: Client, { seeds, accounts }: ResetRequest): Reset {
  const post = (body: object) => client.request('/reset', { method: 'POST', body: { seed_data: seeds, accounts, ...body } })
  return {
    count: async () => (await post({ dry_run: true })) as Counts,
    run: async () => ((await post({})) as { seeded: number }).seeded,
  }
}

const resetHere = (io: Io, project: Project, request: ResetRequest): Reset => ({
  count: () => countHere(io, project, request),
  run: () => runHere(io, project, request),
})

async function countHere(io: Io, project: Project, request: ResetRequest): Promise<Counts> {
  if (!(await hasData(project))) return { removed: {}, webhooks: 0, history: 0 }
  const data = { kind: 'reset', ...request } as const
  try {
    return await withAppOf(io, project, 'read', async (app) => {
      await app.rehearse({ data })
      return planReset(app.store, app.project.registry, request)
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DATA_CORRUPT') throw error
    if (request.accounts) return undefined
    const remedy = 'The accounts cannot be kept: `admin reset --accounts` deletes all data without reading it'
    throw new AppError('DATA_CORRUPT', `${error.message}\n${remedy}`, { cause: error })
  }
}

async function runHere(io: Io, project: Project, request: ResetRequest): Promise<number> {
  const isInFiles = project.settings.store === 'embedded'
  if ((!request.accounts || !isInFiles) && (await hasData(project))) {
    return withAppOf(io, project, 'write', (app) => resetApp(app, request))
  }
  const next = { ...project, seeds: request.seeds ? project.seeds : [] }
  await (await openApp(next, 'ephemeral', { tokenCodec: jwtCodec, connect: connectTo })).close()
  if (isInFiles) {
    // The data is not read, so that damaged data can be removed, too.
    const folder = dataFolderOf(project)
    await makeFolder(folder)
    await whileLocked(folder, () => changeData(folder, project.registry, { kind: 'reset', keep: new Set() }))
  }
  const app = await openApp(next, 'write', { tokenCodec: jwtCodec, connect: connectTo })
  await app.close()
  return app.seeded
}

async function resetApp(app: App, request: ResetRequest): Promise<number> {
  const data = { kind: 'reset', ...request } as const
  await app.rehearse({ data })
  const { app: next, failure } = await app.replace({ data })
  if (next !== app) await next.close()
  if (failure !== undefined) throw failure
  return next.seeded
}

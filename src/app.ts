import { resolve } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { argon2id, type PasswordHasher } from './auth/password.ts'
import { loadOrCreateSecret, makeSecret } from './auth/secret.ts'
import { ServerProof } from './auth/server-proof.ts'
import { type TokenCodecFactory, Tokens } from './auth/token.ts'
import type { SeedFile } from './config/project-files.ts'
import type { Settings } from './config/settings.ts'
import { Lockout } from './limit/lockout.ts'
import { json } from './lint/formats/json.ts'
import { type Log, silentLog } from './log/log.ts'
import type { Registry } from './model/registry.ts'
import { Logins } from './service/accounts/logins.ts'
import { OwnAccounts } from './service/accounts/own-accounts.ts'
import { addMissingGrants, grantsPrecedeSeeds } from './service/accounts/permission-records.ts'
import { Sessions } from './service/accounts/sessions.ts'
import { ChangeFeed } from './service/events/change-feed.ts'
import { EventStreams } from './service/events/event-streams.ts'
import { History } from './service/history/history.ts'
import { HistoryRecorder } from './service/history/history-recorder.ts'
import { createPruning } from './service/history/pruning.ts'
import { recordedTables } from './service/history/recorded-tables.ts'
import { cachingHasher, MockFiller } from './service/mock/mock-filler.ts'
import { Mocks } from './service/mock/mocks.ts'
import { ModelTests } from './service/mock/model-tests.ts'
import { noData } from './service/project/broken-records.ts'
import { lintProject } from './service/project/lint.ts'
import type { Project } from './service/project/project.ts'
import { checkAccountReferences, planReset, type ResetRequest, seedsAfter } from './service/project/reset.ts'
import { Site } from './service/project/site.ts'
import { nothingWritten, Snapshots } from './service/project/snapshots.ts'
import { ViewCatalog } from './service/project/view-catalog.ts'
import { Aggregates } from './service/queries/aggregates.ts'
import { Reads } from './service/queries/reads.ts'
import { RecordSerializer } from './service/queries/record-json.ts'
import { SearchIndexes } from './service/queries/search-indexes.ts'
import { Searches } from './service/queries/searches.ts'
import { Selections } from './service/queries/selections.ts'
import { Records } from './service/records/records.ts'
import { createWebhooks } from './service/webhooks/create-webhooks.ts'
import type { Webhooks } from './service/webhooks/webhooks.ts'
import { FileStore } from './store/embedded/file-store.ts'
import type { Release } from './store/embedded/files/lock.ts'
import { MemoryStore } from './store/embedded/memory-store.ts'
import { changeData, checkCopy } from './store/embedded/snapshot/saved-copies.ts'
import type { Store } from './store/store.ts'
import { Exports } from './transfer/exports.ts'
import { Imports } from './transfer/imports.ts'
import { seedFaults, seedStore } from './transfer/seed.ts'
import { type Clock, systemClock } from './util/clock.ts'
import { type Random, systemRandom, uniqueId } from './util/ids.ts'
import { systemTimer, type Timer } from './util/timer.ts'
import { Traffic } from './util/traffic.ts'
import { VERSION } from './util/version.ts'
import type { Resolve } from './webhooks/requests/url-guard.ts'

/** Dependencies of an application. Everything but `tokenCodec` has a default. */
export interface AppDependencies {
  readonly tokenCodec: TokenCodecFactory
  readonly clock?: Clock
  readonly random?: Random
  /** Timers of background work. */
  readonly timer?: Timer
  /** Resolves the host names of webhook URLs. */
  readonly resolve?: Resolve
  readonly hasher?: PasswordHasher
  /** Waits. The default does not keep the process alive. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
  /** Creates the log from the project's settings. Without it nothing is logged. */
  readonly log?: (settings: Settings['log']) => Log
}

/** A running application: one project with its store and services. */
export interface App {
  readonly project: Project
  readonly settings: Settings
  readonly log: Log
  /** Absolute path of the data folder; undefined in mode `ephemeral`. */
  readonly dataFolder: string | undefined
  readonly store: Store
  readonly records: Records
  readonly reads: Reads
  readonly searches: Searches
  readonly aggregates: Aggregates
  readonly searchIndexes: SearchIndexes
  readonly history: History
  readonly site: Site
  readonly events: EventStreams
  /** The findings in the project's files, as `admin lint --format json` prints them. */
  lint(): Promise<string>
  readonly exports: Exports
  readonly imports: Imports
  readonly logins: Logins
  readonly ownAccounts: OwnAccounts
  /** Signs tokens. In mode `ephemeral` only, for local commands; otherwise it is in the settings or the data folder. */
  readonly ephemeralSecret: string | undefined
  /** Proves to local commands that this server serves their project. */
  readonly proof: ServerProof
  readonly views: ViewCatalog
  readonly mocks: Mocks
  readonly mockFiller: MockFiller
  readonly modelTests: ModelTests
  readonly webhooks: Webhooks
  readonly snapshots: Snapshots
  /** Counts requests, so that webhook delivery can give way to them. */
  readonly traffic: Traffic
  /** Number of seed records created by this start. */
  readonly seeded: number
  /** Starts the background work of a server: search indexes, webhook delivery, pruning of the history. */
  begin(): Promise<void>
  /**
   * Checks whether `replace(next)` can succeed. Changes nothing.
   *
   * @throws {ConfigError} for seed records that cannot be created
   * @throws {AppError} INVALID_REQUEST, SNAPSHOT_NOT_FOUND, DATA_CORRUPT, USAGE
   */
  rehearse(next: Replacement): Promise<void>
  /**
   * Closes this application and opens its replacement. The lock of the data folder, and the records of mode `ephemeral`, pass
   * to the replacement. If the replacement cannot be opened, this project is opened again. If that fails too, this application
   * is returned and accepts no writes.
   */
  replace(next: Replacement): Promise<Replaced>
  close(): Promise<void>
}

/** A replacement for the running application: reloaded project files, a reset, or a restored snapshot. */
export interface Replacement {
  /** The reloaded project; the present one when absent. */
  readonly project?: Project
  /** A change of the data; none when absent. */
  readonly data?: ({ readonly kind: 'reset' } & ResetRequest) | { readonly kind: 'load'; readonly copy: string }
}

/** Outcome of `App.replace`. */
export interface Replaced {
  /** The application to serve from now on. */
  readonly app: App
  /** Why the replacement could not be opened, if it could not. */
  readonly failure?: unknown
}

/**
 * - `write` locks the data folder for this process.
 * - `read` reads the data folder without a lock.
 * - `ephemeral` keeps records in memory and starts from the seed records.
 */
export type AppMode = 'read' | 'write' | 'ephemeral'

/**
 * Opens a loaded project: opens its store, and creates the seed records on the first start.
 *
 * @throws {ConfigError} for seed records that cannot be created
 * @throws {AppError} DATA_IN_USE, DATA_CORRUPT, USAGE; TASK_FAILED in mode `read` when there is no data yet
 */
export const openApp = (project: Project, mode: AppMode, surroundings: AppDependencies): Promise<App> =>
  open(project, mode, surroundings)

/** State that a replacement takes over from the application before it. */
interface Inheritance {
  readonly lock?: Release | undefined
  /** Token secret and, unless the data changes, records of an ephemeral application. */
  readonly secret?: string | undefined
  readonly records?: MemoryStore | undefined
  /** The tables to take over from `records`; all of them when absent. */
  readonly keep?: ReadonlySet<string>
  /** Seed files to create records from; when absent, those of the project if the store is new. */
  readonly seeds?: readonly SeedFile[]
}

async function open(
  project: Project,
  mode: AppMode,
  surroundings: AppDependencies,
  { lock, secret: inherited, records: kept, keep, seeds }: Inheritance = {},
): Promise<App> {
  const {
    tokenCodec,
    clock = systemClock,
    random = systemRandom,
    hasher = argon2id(),
    wait = idly,
    timer = systemTimer,
  } = surroundings
  const { settings, registry, access, forms } = project
  const dataFolder = resolve(project.folder, settings.data)
  const log = surroundings.log?.(settings.log) ?? silentLog
  const store = await openStore(registry, mode, dataFolder, log, lock)
  try {
    if (kept !== undefined) await store.adopt(kept, keep)
    const isNew = store instanceof FileStore ? store.isNew : kept === undefined
    if (mode === 'read' && isNew) throw noData(dataFolder)
    const traffic = new Traffic(clock)
    const searchIndexes = new SearchIndexes({
      registry,
      store,
      log,
      wait,
      now: () => performance.now(),
      later: globalThis.setImmediate,
      pause: setImmediate,
      traffic,
    })
    const writer = new RecordSerializer(access, store)
    const searches = new Searches({ access, store, writer, indexes: searchIndexes, pause: setImmediate })
    const selections = new Selections(access, store, searches)
    const records = new Records({ access, store, forms, hasher, clock, random, log, selections })
    const seedFiles = seeds ?? (isNew ? project.seeds : [])
    const writes = mode !== 'read'
    if (writes && seedFiles.length > 0 && grantsPrecedeSeeds(project)) await addMissingGrants(project, store, records)
    const seeded = writes && seedFiles.length > 0 ? await seedStore(seedFiles, registry, records) : 0
    if (writes) await addMissingGrants(project, store, records)
    const webhooks = createWebhooks({ settings, registry, store, records, clock, random, log, traffic }, surroundings)
    await webhooks.subscriptions.load()
    if (mode !== 'read') await webhooks.subscriptions.reconcile(settings.webhooks.subscriptions)
    // Events start here: seed records and missing permissions are part of the initial state.
    records.setEventPublisher(webhooks)
    const mockedRecords = new Records({ access, store, forms, hasher: cachingHasher(hasher), clock, random, log })
    mockedRecords.setEventPublisher(webhooks)
    const recorded = recordedTables(settings, registry)
    const recorder = new HistoryRecorder(recorded, clock)
    if (recorded.size > 0) for (const each of [records, mockedRecords]) each.setHistory(recorder)
    const pruning = createPruning({ settings, store, records, clock, timer, log })
    const ownSecret = () => (mode === 'ephemeral' ? (inherited ?? makeSecret(random)) : loadOrCreateSecret(dataFolder, random))
    const secret = settings.secret_key ?? (await ownSecret())
    const codec = tokenCodec(settings.jwt.algorithm, secret)
    const tokens = new Tokens({ codec, lifetimes: settings.jwt, clock, random })
    const sessions = new Sessions({ records, store, clock })
    const lockout = new Lockout({ clock })
    const mocks = new Mocks({ access, store, random, pause: setImmediate })
    const history = new History(access, store, recorded)
    const snapshots = new Snapshots(dataFolder, store)
    const logins = new Logins({ access, store, records, tokens, sessions, lockout, hasher, clock, random })
    const feed = new ChangeFeed({ registry, store, clock, epoch: uniqueId(random) })
    const events = new EventStreams({ feed, access, store, logins, clock, timer })
    const stop = async () => {
      events.close()
      searchIndexes.close()
      pruning?.stop()
      await webhooks.stop()
    }
    let isReplaced = false
    const app: App = {
      project,
      settings,
      log,
      dataFolder: mode === 'ephemeral' ? undefined : dataFolder,
      store,
      records,
      reads: new Reads(access, store, writer),
      searches,
      aggregates: new Aggregates(access, store),
      searchIndexes,
      history,
      site: new Site({
        settings,
        access,
        store,
        history,
        snapshots,
        apiRoot: `${settings.base_path}/api/${settings.api_version}`,
      }),
      events,
      lint: () => lintReport(project.folder),
      exports: new Exports(access, store),
      imports: new Imports(access, records),
      logins,
      ownAccounts: new OwnAccounts({ records, store, sessions, lockout, hasher, user: registry.expect('user') }),
      ephemeralSecret: mode === 'ephemeral' ? secret : undefined,
      proof: new ServerProof(secret),
      views: new ViewCatalog(registry, project.views),
      mocks,
      modelTests: new ModelTests(registry, project.views, mocks),
      mockFiller: new MockFiller({ registry, store, forms, records: mockedRecords, random, pause: setImmediate }),
      webhooks,
      snapshots,
      traffic,
      seeded,
      async begin() {
        void searchIndexes.prepare()
        await webhooks.startDelivery()
        await pruning?.start()
      },
      rehearse: (next) => rehearse(next, app, surroundings),
      async replace(next) {
        await stop()
        const replaced = await openNext(next, app, mode, surroundings, secret)
        isReplaced = replaced.app !== app
        return replaced
      },
      async close() {
        // The replacement owns the data folder and the records.
        if (isReplaced) return
        await stop()
        await store.close()
      },
    }
    return app
  } catch (error) {
    if (lock === undefined) await store.close()
    else if (store instanceof FileStore) await store.handOver()
    throw error
  }
}

/** Opens the file store, or a memory store in mode `ephemeral`. */
async function openStore(registry: Registry, mode: AppMode, folder: string, log: Log, lock?: Release): Promise<MemoryStore> {
  const explain = log.debugs ? (line: string) => log.debug(line) : undefined
  if (mode === 'ephemeral') return new MemoryStore(registry, { explain })
  return FileStore.open(folder, registry, mode, { warn: (message) => log.warn(message), explain, lock })
}

/** Closes the store of a stopped application, changes the data, and opens the replacement. */
async function openNext(
  { project, data }: Replacement,
  app: App,
  mode: AppMode,
  surroundings: AppDependencies,
  secret: string,
): Promise<Replaced> {
  const { store, dataFolder } = app
  const lock = store instanceof FileStore ? await store.handOver() : await store.close().then(() => undefined)
  const records = store instanceof MemoryStore && !(store instanceof FileStore) ? store : undefined
  try {
    const next = project ?? app.project
    const reset = data?.kind === 'reset' ? await planned(data, next, store) : undefined
    const change = data?.kind === 'reset' ? reset : data
    if (dataFolder !== undefined && change !== undefined) await changeData(dataFolder, next.registry, change)
    const kept = data === undefined || (reset?.keep.size ?? 0) > 0 ? records : undefined
    return { app: await open(next, mode, surroundings, { lock, secret, ...reset, records: kept }) }
  } catch (failure) {
    const former = { lock, secret, records, seeds: [] }
    return { app: await open(app.project, mode, surroundings, former).catch(() => app), failure }
  }
}

/** @throws {AppError} the error that would make the replacement fail */
async function rehearse(
  { project, data }: Replacement,
  { dataFolder, project: present, store }: App,
  surroundings: AppDependencies,
): Promise<void> {
  const next = project ?? present
  if (data?.kind === 'load') {
    if (dataFolder === undefined) throw nothingWritten()
    await checkCopy(dataFolder, next.registry, data.copy)
  }
  if (data?.kind !== 'reset') return
  // Done in memory first, so that a faulty seed record or account is reported before the data is removed.
  const plan = await planned(data, next, store)
  const records = plan.keep.size > 0 && store instanceof MemoryStore ? store : undefined
  const trial = await open(next, 'ephemeral', surroundings, { ...plan, records })
  try {
    await checkAccountReferences(trial.store, next.registry)
  } finally {
    await trial.close()
  }
}

/** The tables that a reset keeps, and the seed files to create records from. */
async function planned(request: ResetRequest, { registry, seeds }: Project, store: Store) {
  const plan = await planReset(store, registry, request)
  return { kind: 'reset', keep: plan.keep, seeds: seedsAfter(seeds, request, plan) } as const
}

const idly = (milliseconds: number): Promise<unknown> => setTimeout(milliseconds, undefined, { ref: false })

async function lintReport(folder: string): Promise<string> {
  const report = await lintProject({ folder, env: {}, flags: {} }, { cwd: folder, seedFaults })
  return json(report, { paint: (_, text) => text, version: VERSION, failOn: 'error' })
}

import { resolve } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { App, AppDependencies, AppMode } from './app/interfaces.ts'
import { type Inheritance, openNext, rehearse } from './app/replacement.ts'
import { argon2id } from './auth/password.ts'
import { loadOrCreateSecret, makeSecret } from './auth/secret.ts'
import { ServerProof } from './auth/server-proof.ts'
import { Tokens } from './auth/token.ts'
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
import { renameReferences } from './service/project/renamed-models.ts'
import { Site } from './service/project/site.ts'
import { Snapshots } from './service/project/snapshots.ts'
import { ViewCatalog } from './service/project/view-catalog.ts'
import { Aggregates } from './service/queries/aggregates.ts'
import { Reads } from './service/queries/reads.ts'
import { RecordSerializer } from './service/queries/record-json.ts'
import { SearchIndexes } from './service/queries/search-indexes.ts'
import { Searches } from './service/queries/searches.ts'
import { Selections } from './service/queries/selections.ts'
import { Records } from './service/records/records.ts'
import { createWebhooks } from './service/webhooks/create-webhooks.ts'
import { FileStore } from './store/embedded/file-store.ts'
import type { Release } from './store/embedded/files/lock.ts'
import { MemoryStore } from './store/embedded/memory-store.ts'
import { Exports } from './transfer/exports.ts'
import { Imports } from './transfer/imports.ts'
import { seedFaults, seedStore } from './transfer/seed.ts'
import { systemClock } from './util/clock.ts'
import { systemRandom, uniqueId } from './util/ids.ts'
import { systemTimer } from './util/timer.ts'
import { Traffic } from './util/traffic.ts'
import { VERSION } from './util/version.ts'

export type { App, AppDependencies, AppMode, Replaced, Replacement } from './app/interfaces.ts'

/**
 * Opens a loaded project: opens its store, and creates the seed records on the first start.
 *
 * @throws {ConfigError} for seed records that cannot be created
 * @throws {AppError} DATA_IN_USE, DATA_CORRUPT, USAGE; TASK_FAILED in mode `read` when there is no data yet
 */
export const openApp = (project: Project, mode: AppMode, dependencies: AppDependencies): Promise<App> =>
  open(project, mode, dependencies)

async function open(
  project: Project,
  mode: AppMode,
  dependencies: AppDependencies,
  { lock, secret: inherited, records: kept, keep, seeds }: Inheritance = {},
): Promise<App> {
  const {
    tokenCodec,
    clock = systemClock,
    random = systemRandom,
    hasher = argon2id(),
    wait = idly,
    timer = systemTimer,
  } = dependencies
  const { settings, registry, access, forms } = project
  const dataFolder = resolve(project.folder, settings.data)
  const log = dependencies.log?.(settings.log) ?? silentLog
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
    if (writes) await renameReferences(registry, store, records)
    if (writes && seedFiles.length > 0 && grantsPrecedeSeeds(project)) await addMissingGrants(project, store, records)
    const seeded = writes && seedFiles.length > 0 ? await seedStore(seedFiles, registry, records) : 0
    if (writes) await addMissingGrants(project, store, records)
    const webhooks = createWebhooks({ settings, registry, store, records, clock, random, log, traffic }, dependencies)
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
      rehearse: (next) => rehearse(next, app, dependencies, open),
      async replace(next) {
        await stop()
        const replaced = await openNext(next, app, mode, dependencies, secret, open)
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

const idly = (milliseconds: number): Promise<unknown> => setTimeout(milliseconds, undefined, { ref: false })

async function lintReport(folder: string): Promise<string> {
  const report = await lintProject({ folder, env: {}, flags: {} }, { cwd: folder, seedFaults })
  return json(report, { paint: (_, text) => text, version: VERSION, failOn: 'error' })
}

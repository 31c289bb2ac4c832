import { setImmediate, setTimeout } from 'node:timers/promises'
import type { App, AppDependencies, AppMode } from './app/interfaces.ts'
import { type Inheritance, openNext, rehearse } from './app/replacement.ts'
import { openMemoryCopy } from './app/stores/embedded-stores.ts'
import { openStore, placeOf } from './app/stores/open-store.ts'
import { argon2id, normalizing } from './auth/password.ts'
import { ServerProof } from './auth/server-proof.ts'
import { Tokens } from './auth/token.ts'
import { Lockout } from './limit/lockout.ts'
import { SharedLimits } from './limit/shared-limits.ts'
import { SharedLockout } from './limit/shared-lockout.ts'
import { json } from './lint/formats/json.ts'
import { silentLog } from './log/log.ts'
import type { Model } from './model/model.ts'
import type { Registry } from './model/registry.ts'
import { Logins } from './service/accounts/logins.ts'
import { OwnAccounts } from './service/accounts/own-accounts.ts'
import { addMissingGrants, grantsPrecedeSeeds } from './service/accounts/permission-records.ts'
import { Sessions } from './service/accounts/sessions.ts'
import { ChangeFeed } from './service/events/change-feed.ts'
import { EventStreams } from './service/events/event-streams.ts'
import { SharedChanges } from './service/events/shared-changes.ts'
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
import type { SearchEngine } from './service/queries/search-engine.ts'
import { SearchIndexes } from './service/queries/search-indexes.ts'
import { Searches } from './service/queries/searches.ts'
import { Selections } from './service/queries/selections.ts'
import { StoredSearchIndexes } from './service/queries/stored-search-indexes.ts'
import { Records } from './service/records/records.ts'
import { createWebhooks } from './service/webhooks/create-webhooks.ts'
import { Exports } from './transfer/exports.ts'
import { Imports } from './transfer/imports.ts'
import { seedFaults, seedStore } from './transfer/seed.ts'
import { systemClock } from './util/clock.ts'
import { systemHeap } from './util/heap.ts'
import { systemRandom, uniqueId } from './util/ids.ts'
import { VERSION } from './util/package-files.ts'
import { systemTimer } from './util/timer.ts'
import { Traffic } from './util/traffic.ts'
import { EVENTS, SUBSCRIPTIONS } from './webhooks/models.ts'

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
  { from, secret: inherited, seeds }: Inheritance = {},
): Promise<App> {
  const {
    tokenCodec,
    clock = systemClock,
    random = systemRandom,
    hasher: ownHasher = argon2id(),
    wait = idly,
    timer = systemTimer,
  } = dependencies
  const hasher = normalizing(ownHasher)
  const { settings, registry, access, forms } = project
  const log = dependencies.log?.(settings.log) ?? silentLog
  const parts = { log, random, openDatabase: dependencies.openDatabase, clock: dependencies.clock }
  const opened = from === undefined ? await openStore(project, mode, parts) : await from.open(registry)
  const { store, dataFolder, place } = opened
  try {
    const traffic = new Traffic(clock)
    const searchParts = { registry, log, wait, now: () => performance.now(), pause: setImmediate, traffic }
    const searchIndexes: SearchEngine =
      opened.search === undefined
        ? new SearchIndexes({ ...searchParts, store, later: globalThis.setImmediate })
        : new StoredSearchIndexes({ ...searchParts, storage: opened.search })
    const writer = new RecordSerializer(access, store)
    const searches = new Searches({ access, writer, indexes: searchIndexes, pause: setImmediate })
    const selections = new Selections(access, store, searches)
    const views = new ViewCatalog(registry, project.views)
    const generatedForm = (model: Model) => views.generatedForm(model)
    const heap = opened.isRemote ? undefined : (dependencies.heap ?? systemHeap())
    const recordParts = { access, store, forms, clock, random, log, maxRecordBytes: settings.max_record_bytes, heap }
    const records = new Records({ ...recordParts, generatedForm, hasher, selections })
    const leases = opened.leases?.({ events: EVENTS, subscriptions: SUBSCRIPTIONS }, uniqueId(random))
    const webhooks = createWebhooks({ settings, registry, store, records, clock, random, log, traffic, leases }, dependencies)
    const initialize = async (isNew: boolean): Promise<number> => {
      if (mode === 'read') {
        if (isNew) throw noData(placeOf(project))
        await webhooks.subscriptions.load()
        return 0
      }
      await renameReferences(registry, store, records)
      const seedFiles = seeds ?? (isNew ? project.seeds : [])
      if (seedFiles.length > 0 && grantsPrecedeSeeds(project)) await addMissingGrants(project, store, records)
      const seeded = seedFiles.length > 0 ? await seedStore(seedFiles, registry, records) : 0
      await addMissingGrants(project, store, records)
      await webhooks.subscriptions.load()
      await webhooks.subscriptions.reconcile(settings.webhooks.subscriptions)
      return seeded
    }
    const seeded = await opened.initialize(initialize)
    // Events start here: seed records and missing permissions are part of the initial state.
    records.setEventPublisher(webhooks)
    const mockedRecords = new Records({ ...recordParts, hasher: cachingHasher(hasher) })
    mockedRecords.setEventPublisher(webhooks)
    const recorded = recordedTables(settings, registry)
    const recorder = new HistoryRecorder(recorded, clock)
    if (recorded.size > 0) for (const each of [records, mockedRecords]) each.setHistory(recorder)
    const pruning = createPruning({ settings, store, records, clock, timer, log })
    const secret = settings.secret_key ?? (mode === 'ephemeral' ? inherited : undefined) ?? (await opened.secret())
    const codec = tokenCodec(settings.jwt.algorithm, secret)
    const tokens = new Tokens({ codec, lifetimes: settings.jwt, clock, random })
    const sessions = new Sessions({ records, store, clock })
    const { limits } = opened
    const lockout = limits === undefined ? new Lockout({ clock }) : new SharedLockout(limits.failedLogins)
    const sharedLimits =
      limits === undefined ? undefined : new SharedLimits({ callers: limits.callers, log: limits.requests, clock, timer })
    const mocks = new Mocks({ access, store, random, pause: setImmediate })
    const history = new History(access, store, recorded)
    const snapshots = new Snapshots(opened.snapshots)
    const logins = new Logins({ access, store, records, tokens, sessions, lockout, hasher, clock, random })
    const feed = new ChangeFeed({ registry, store, clock, epoch: uniqueId(random) })
    const { changeLog } = opened
    const others = changeLog && new SharedChanges({ feed, changeLog, timer, now: () => performance.now(), log })
    const events = new EventStreams({ feed, others, access, store, logins, clock, timer })
    const stop = async () => {
      events.close()
      searchIndexes.close()
      pruning?.stop()
      await webhooks.stop()
      await sharedLimits?.close()
    }
    let isReplaced = false
    const app: App = {
      project,
      settings,
      log,
      dataFolder,
      place,
      store,
      isRemote: opened.isRemote,
      figures: () => ({ ...opened.figures(), heap: heap?.use() }),
      probe: () => opened.probe(),
      records,
      reads: new Reads(access, store, writer, log),
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
      sharedLimits,
      ownAccounts: new OwnAccounts({ records, store, sessions, lockout, hasher, user: registry.expect('user') }),
      ephemeralSecret: mode === 'ephemeral' ? secret : undefined,
      proof: new ServerProof(secret),
      views,
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
      rehearse: (next) => {
        const copyInMemory = (models: Registry, tables: ReadonlySet<string>) => openMemoryCopy(models, parts, { store, tables })
        return rehearse(next, { app, opened }, dependencies, open, copyInMemory)
      },
      async replace(next) {
        await stop()
        const replaced = await openNext(next, { app, opened }, mode, dependencies, secret, open)
        isReplaced = replaced.app !== app
        return replaced
      },
      async close() {
        // The replacement owns the data.
        if (isReplaced) return
        await stop()
        await opened.close()
      },
    }
    return app
  } catch (error) {
    // A former application may be opened again on the data that was handed over.
    if (from === undefined) await opened.close()
    else await opened.handOver()
    throw error
  }
}

const idly = (milliseconds: number): Promise<unknown> => setTimeout(milliseconds, undefined, { ref: false })

async function lintReport(folder: string): Promise<string> {
  const report = await lintProject({ folder, env: {}, flags: {} }, { cwd: folder, seedFaults })
  return json(report, { paint: (_, text) => text, version: VERSION, failOn: 'error' })
}

import { setImmediate, setTimeout } from 'node:timers/promises'
import { Accounts } from './accounts/accounts.ts'
import { addMissingGrants, grantsPrecedeSeeds } from './accounts/roles.ts'
import type { App, AppDependencies, AppMode } from './app/dependencies.ts'
import { openMemoryCopy } from './app/embedded-stores.ts'
import { Features } from './app/features.ts'
import { openImages } from './app/images.ts'
import { mailTransport } from './app/mail.ts'
import { openStore, placeOf } from './app/open-store.ts'
import { type CarriedState, openNext, rehearse } from './app/replacement.ts'
import { argon2id, normalizing } from './auth/password.ts'
import { SHELL } from './auth/permissions.ts'
import { ServerProof } from './auth/secret.ts'
import { TokenIssuer } from './auth/token.ts'
import { transactor } from './code/code-transact.ts'
import { type Connect, contextOf } from './code/context.ts'
import { Endpoints } from './code/endpoints.ts'
import { JobQueue } from './code/job-queue.ts'
import { Jobs } from './code/jobs.ts'
import { ProjectCode } from './code/project-code.ts'
import { EventStreams } from './events/event-streams.ts'
import { Downloads } from './files/downloads.ts'
import { fileReferences } from './files/file-references.ts'
import { FileSweep } from './files/file-sweep.ts'
import { FileLinks } from './files/links.ts'
import { mockUploader, seedFileTaker } from './files/own-uploads.ts'
import { Uploads } from './files/uploads.ts'
import { History } from './history/history.ts'
import { FACTOR_POLICY, Lockout, SharedLockout } from './limit/lockout.ts'
import { SharedLimits } from './limit/shared-limits.ts'
import { jsonReport } from './lint/formats.ts'
import { silentLog } from './log/log.ts'
import { cachingHasher, MockFiller } from './mock/mock-filler.ts'
import { Mocks } from './mock/mocks.ts'
import { ModelTests } from './mock/model-tests.ts'
import { FileUrls } from './model/file-urls.ts'
import type { Model } from './model/model.ts'
import type { Registry } from './model/registry.ts'
import { noData } from './project/broken-records.ts'
import { lintProject } from './project/lint.ts'
import type { Project } from './project/project.ts'
import { forgetRemovedFiles } from './project/reset.ts'
import { SiteReader } from './project/site.ts'
import { Snapshots } from './project/snapshots.ts'
import { renameReferences } from './project/stored-models.ts'
import { ViewCatalog } from './project/view-catalog.ts'
import { Reads } from './reads/reads.ts'
import { RecordSerializer } from './reads/record-json.ts'
import { Searches } from './reads/searches.ts'
import { Hooks } from './records/hooks.ts'
import { Records } from './records/records.ts'
import type { SearchEngine } from './search/search-engine.ts'
import { SearchIndexes } from './search/search-indexes.ts'
import { StoredSearchIndexes } from './search/stored-search-indexes.ts'
import { Exports } from './transfer/exports.ts'
import { Imports } from './transfer/imports.ts'
import { seedFaults, seedStore } from './transfer/seed.ts'
import { systemClock, systemTimer } from './util/clock.ts'
import { VERSION } from './util/files.ts'
import { systemHeap } from './util/heap.ts'
import { systemRandom, uniqueId } from './util/ids.ts'
import { RequestPace } from './util/traffic.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

export type { App, AppDependencies, AppMode, Replaced, Replacement } from './app/dependencies.ts'

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
  { from, secret: inherited, seeds, kept }: CarriedState = {},
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
  const { disk } = dependencies
  const storeParts = { log, random, disk, openDatabase: dependencies.openDatabase, clock: dependencies.clock }
  const opened = from === undefined ? await openStore(project, mode, storeParts) : await from.open(registry)
  const { store, dataFolder, place } = opened
  try {
    const traffic = new RequestPace(clock)
    const searchParts = { registry, log, wait, now: () => performance.now(), pause: setImmediate, traffic }
    const searchIndexes: SearchEngine =
      opened.search === undefined
        ? new SearchIndexes({ ...searchParts, store, later: globalThis.setImmediate })
        : new StoredSearchIndexes({ ...searchParts, storage: opened.search })
    const apiRoot = `${settings.base_path}/api/${settings.api_version}`
    const fileUrls = new FileUrls(apiRoot)
    const writer = new RecordSerializer(access, store, fileUrls)
    const searches = new Searches({ access, writer, indexes: searchIndexes, pause: setImmediate })
    const views = new ViewCatalog(registry, project.views)
    const generatedForm = (model: Model) => views.generatedForm(model)
    const heap = opened.isRemote ? undefined : (dependencies.heap ?? systemHeap())
    const hooks = new Hooks(log)
    // Records, events and history of all processes have times of one clock.
    const recordClock = dependencies.clock ?? opened.clock ?? clock
    // Seeds refer to files, too.
    if (registry.withFiles.length > 0) hooks.use(fileReferences({ settings, clock: recordClock }))
    const recordParts = {
      access,
      actions: project.actions,
      store,
      forms,
      clock: recordClock,
      random,
      hooks,
      maxRecordBytes: settings.max_record_bytes,
      uploadHours: settings.files.pending_hours,
      heap,
    }
    const records = new Records({ ...recordParts, generatedForm, hasher, searches })
    const { blobs } = opened
    const images = openImages(project, mode, { blobs, clock, random, timer, fork: dependencies.forkImages })
    const uploads = new Uploads({ access, store, records, blobs, images, settings, clock: recordClock, random, disk })
    const reads = new Reads(access, store, writer, log)
    let connection: Connect | undefined
    const connect: Connect = (caller) => {
      if (dependencies.connect === undefined) throw new Error('Code cannot call the API of this application')
      connection ??= dependencies.connect(app)
      return connection(caller)
    }
    const { maxRecordBytes } = recordParts
    const drafts = { clock: recordClock, random, maxRecordBytes }
    const queue = new JobQueue({ jobs: project.jobs, store, records, drafts })
    const codeParts = {
      access,
      reads,
      queue,
      drafts,
      timer,
      clock: recordClock,
      log,
      connect,
      apiRoot,
      runTogether: transactor(records, () => useCode()),
    }
    const code = new ProjectCode(project.hooks, registry, codeParts)
    let usesCode = false
    /** Lets code take part in writes: that of hooks and actions from the beginning, otherwise from the first transaction of code. */
    const useCode = () => {
      if (!usesCode) hooks.use(code.hooks)
      usesCode = true
    }
    if (project.hooks.size > 0 || project.actions.areCoded) useCode()
    const leases = opened.leases?.(uniqueId(random))
    const webhooks = createWebhooks(
      { settings, registry, store, records, clock: recordClock, random, log, leases, fileUrls },
      dependencies,
    )
    const initialize = async (isNew: boolean): Promise<number> => {
      if (mode === 'read') {
        if (isNew) throw noData(placeOf(project))
        await webhooks.subscriptions.load()
        return 0
      }
      await renameReferences(registry, store, records)
      if (kept !== undefined) await forgetRemovedFiles(store, records, kept)
      const seedFiles = seeds ?? (isNew ? project.seeds : [])
      if (seedFiles.length > 0 && grantsPrecedeSeeds(project)) await addMissingGrants(project, store, records)
      const seeded = seedFiles.length > 0 ? await seedStore(seedFiles, registry, records, seedFileTaker(uploads), log) : 0
      await addMissingGrants(project, store, records)
      await webhooks.subscriptions.load()
      await webhooks.subscriptions.reconcile(settings.webhooks.subscriptions)
      return seeded
    }
    const seeded = await opened.initialize(initialize)
    const secret = settings.secret_key ?? (mode === 'ephemeral' ? inherited : undefined) ?? (await opened.secret())
    const tokens = new TokenIssuer({ codec: tokenCodec(settings.jwt.algorithm, secret), lifetimes: settings.jwt, clock, random })
    const { limits } = opened
    const lockout = limits === undefined ? new Lockout({ clock }) : new SharedLockout(limits.failedLogins)
    const factorLockout =
      limits === undefined
        ? new Lockout({ clock, ...FACTOR_POLICY })
        : new SharedLockout(limits.failedLogins, FACTOR_POLICY, 'factor:')
    const parts = { access, store, settings, records, clock, timer, random, log }

    // Seed records and permissions are stored: what features do with writes begins here, in this order.
    const features = new Features(hooks)
    // Its hooks are used already, since they take part in seeds.
    features.use({ stop: () => code.stop() })
    const sharedLimits = limits && features.use(new SharedLimits({ callers: limits.callers, log: limits.requests, clock, timer }))
    features.use({ begin: () => void searchIndexes.prepare(), stop: () => searchIndexes.close() })
    const { givenKey, resolve } = dependencies
    const accountParts = { ...parts, queue, tokens, lockout, factorLockout, hasher, secret, givenKey, resolve }
    const accounts = features.use(new Accounts(accountParts))
    features.use({ stop: () => images.close() })
    const history = features.use(new History({ ...parts, clock: recordClock, fileUrls }))
    const sweepParts = {
      ...parts,
      clock: recordClock,
      blobs: opened.blobs,
      snapshotHashes: opened.snapshotHashes,
      forget: (sha256: string) => images.forget(sha256),
      recorded: registry.withFiles.filter((model) => history.covers(model)).map(({ key }) => key),
      blobClock: systemClock,
      uptime: () => process.uptime() * 1000,
    }
    const fileSweep = registry.withFiles.length > 0 ? features.use(new FileSweep(sweepParts)) : undefined
    features.use(webhooks)
    const jobs = features.use(
      new Jobs({
        ...codeParts,
        jobs: project.jobs,
        store,
        records,
        random,
        isShared: opened.isRemote,
        settings: settings.jobs,
        mails: mailTransport(project, mode, log),
      }),
    )
    const events = features.use(new EventStreams({ ...parts, logins: accounts.logins, changeLog: opened.changeLog }))

    const mockedRecords = new Records({ ...recordParts, hasher: cachingHasher(hasher) })
    const mocks = new Mocks({ access, store, random, pause: setImmediate })
    const snapshots = new Snapshots(opened.snapshots)
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
      hooks,
      hasCode: project.hooks.size > 0 || project.actions.areCoded,
      endpoints: new Endpoints(codeParts),
      connect,
      reads,
      searches,
      searchIndexes,
      history,
      site: new SiteReader({
        settings,
        access,
        actions: project.actions,
        jobs: project.jobs,
        dashboard: project.dashboard,
        store,
        history,
        snapshots,
        apiRoot,
      }),
      events,
      lint: () => lintReport(project.folder),
      blobs,
      images,
      uploads,
      fileSweep,
      downloads: new Downloads({ access, store, blobs, images }),
      fileLinks: new FileLinks({ secret, urls: fileUrls, clock, actorOf: (id, key) => accounts.logins.actorOfUser(id, key) }),
      exports: new Exports(access, store, project.views),
      imports: new Imports(access, records, { store, views: project.views }),
      logins: accounts.logins,
      sharedLimits,
      ownAccounts: accounts.own,
      accountEvents: accounts.events,
      ownFactors: accounts.ownFactors,
      identities: accounts.identities,
      singleSignOn: accounts.singleSignOn,
      accountLinks: accounts.links,
      ephemeralSecret: mode === 'ephemeral' ? secret : undefined,
      proof: new ServerProof(secret),
      views,
      mocks,
      modelTests: new ModelTests(registry, project.views, mocks),
      mockFiller: new MockFiller({
        registry,
        store,
        forms,
        records: mockedRecords,
        random,
        upload: mockUploader(uploads),
        pause: setImmediate,
      }),
      webhooks,
      jobs,
      scriptContext: (name, signal) => {
        const caller = { actor: SHELL, via: 'script', requestId: undefined, chain: [] } as const
        return contextOf(codeParts, caller, { name, via: 'script' }, signal)
      },
      snapshots,
      traffic,
      seeded,
      begin: () => features.begin(),
      rehearse: (next) => {
        const copyInMemory = (models: Registry, tables: ReadonlySet<string>) =>
          openMemoryCopy(models, storeParts, { store, tables })
        return rehearse(next, { app, opened }, dependencies, open, copyInMemory)
      },
      async replace(next) {
        await features.stop()
        const replaced = await openNext(next, { app, opened }, mode, dependencies, secret, open)
        isReplaced = replaced.app !== app
        return replaced
      },
      async close() {
        // The replacement owns the data.
        if (isReplaced) return
        await features.stop()
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
  return jsonReport(report, { paint: (_, text) => text, version: VERSION, failOn: 'error' })
}

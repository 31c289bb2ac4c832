import type { PostgresSettings, Settings } from '../config/settings.ts'
import { durationMs, postgresPlace } from '../config/store-settings.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { FILE_TABLE } from '../model/files.ts'
import type { Registry } from '../model/registry.ts'
import { databaseHasNoSnapshots } from '../project/snapshots.ts'
import type { BlobStore } from '../store/blobs/blob-store.ts'
import { DatabaseLocks } from '../store/blobs/database-locks.ts'
import { FolderBlobs } from '../store/blobs/folder-blobs.ts'
import { type BlobDatabase, PostgresBlobs } from '../store/blobs/postgres-blobs.ts'
import type { Database } from '../store/postgres/connection/database.ts'
import { NotificationListener } from '../store/postgres/connection/listener.ts'
import { PgDatabase } from '../store/postgres/connection/pg-database.ts'
import { tablesChanged } from '../store/postgres/connection/session.ts'
import { unfitSettings } from '../store/postgres/examination.ts'
import { Layout } from '../store/postgres/layout/layout.ts'
import { databaseState, emptyTables, OLDEST_VERSION, wasWritten, whileAlone } from '../store/postgres/maintenance.ts'
import { PostgresStore } from '../store/postgres/postgres-store.ts'
import { prepareSchema } from '../store/postgres/schema/migration.ts'
import { TableCheck } from '../store/postgres/schema/table-check.ts'
import { PostgresSearch } from '../store/postgres/search/postgres-search.ts'
import { DatabaseClock } from '../store/postgres/shared/database-clock.ts'
import { PostgresLeases } from '../store/postgres/shared/leases.ts'
import { Callers, givenTime, Lockouts, Requests } from '../store/postgres/shared/limits.ts'
import { ProcessEntry } from '../store/postgres/shared/processes.ts'
import { CHANGES_CHANNEL, type Listen, StoredChangeLog } from '../store/postgres/shared/stored-change-log.ts'
import type { DatabaseFigures } from '../store/store-figures.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { OpenedStore } from './opened-store.ts'

/** Upper bounds of the buckets in milliseconds; the last bucket has none. */
const BOUNDS_MS: readonly number[] = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** Counts the durations of statements. */
export class StatementTimes {
  readonly #buckets = new Float64Array(BOUNDS_MS.length + 1)
  #totalMs = 0

  /** Counts a statement. */
  readonly observe = (milliseconds: number): void => {
    let bucket = 0
    while (bucket < BOUNDS_MS.length && milliseconds > (BOUNDS_MS[bucket] ?? 0)) bucket++
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#totalMs += milliseconds
  }

  histogram(): DatabaseFigures['statements'] {
    return { boundsMs: BOUNDS_MS, buckets: [...this.#buckets], totalMs: this.#totalMs }
  }
}

/** Models whose records a start may create before the seed records. */
const CREATED_BEFORE_SEEDS: ReadonlySet<string> = new Set(['permission', 'group'])

/** A start may rewrite a large table or wait for another process. In milliseconds. */
const START_TIMEOUT = 24 * 3_600_000

/** What a store in PostgreSQL is opened with. */
export interface PostgresParts {
  readonly settings: PostgresSettings
  readonly mode: 'read' | 'write'
  /** Absolute paths for the bytes of files: the folder in which this process receives them, and one for all bytes, which all processes share. */
  readonly files: { readonly incoming: string; readonly shared?: string | undefined }
  /** True if permissions and groups are created before the seed records, so that they do not tell that a store is not new. */
  readonly grantsFirst: boolean
  readonly log: Log
  readonly random: Random
  /** Takes the place of the clock of the database in limits, for tests. */
  readonly clock?: Clock | undefined
  /** Opens a database; replaced in tests. */
  readonly openDatabase?: OpenDatabase
}

/**
 * Opens the database of a store: for the `records`, or for a `start`, which may take long and holds a lock.
 *
 * @returns undefined for a `start` if no other process can use the database
 */
export type OpenDatabase = (
  settings: PostgresSettings,
  use: 'records' | 'start',
  options: { readonly observe: (milliseconds: number) => void; readonly warn: (message: string) => void },
) => Database | undefined

const connectTo: OpenDatabase = ({ url, pool, statement_timeout }, use, options) =>
  use === 'start'
    ? new PgDatabase(url, { pool: 2, statementTimeout: START_TIMEOUT, warn: options.warn })
    : new PgDatabase(url, { pool, statementTimeout: durationMs(statement_timeout), isServing: true, ...options })

const listenTo =
  ({ url, listen_url = url }: PostgresSettings): Listen =>
  (heard) => {
    const listener = new NotificationListener(listen_url, CHANGES_CHANNEL, heard)
    return () => listener.close()
  }

/**
 * The settings of a project's database.
 *
 * @throws {AppError} CONFIG_INVALID without a secret key: a file of one machine cannot be shared
 */
export function expectShared({ store, secret_key }: Settings): PostgresSettings {
  if (store === 'embedded') throw new Error('The records are not in a database')
  if (secret_key !== undefined) return store
  throw new AppError(
    'CONFIG_INVALID',
    "'secret_key' must be set with a database as 'store', since every process that serves it signs tokens with the same key; set ADMIN_SECRET_KEY to the output of `openssl rand -base64 32`",
  )
}

/**
 * Opens a store in PostgreSQL: connects, and creates or migrates the tables as the settings allow. In mode `read` nothing is changed.
 *
 * @throws {AppError} STORE_UNAVAILABLE, MIGRATION_NEEDED, TASK_FAILED
 */
export async function openPostgresStore(registry: Registry, parts: PostgresParts): Promise<OpenedStore> {
  const { settings, log, openDatabase = connectTo } = parts
  const times = new StatementTimes()
  const options = { observe: times.observe, warn: (message: string) => log.warn(message) }
  const database = openDatabase(settings, 'records', options)
  if (database === undefined) throw new Error('No database was opened for the records')
  try {
    const entry = new ProcessEntry(database, uniqueId(parts.random))
    return await openOn(registry, { ...parts, openDatabase, database, times, entry })
  } catch (error) {
    await database.close()
    throw error
  }
}

interface OpenParts extends PostgresParts {
  readonly openDatabase: OpenDatabase
  readonly database: Database
  readonly times: StatementTimes
  /** Of this process, for a replacement too. */
  readonly entry: ProcessEntry
}

async function openOn(registry: Registry, parts: OpenParts): Promise<OpenedStore> {
  const { settings, mode, database, times, log, random, openDatabase, entry } = parts
  const layout = new Layout(registry, settings.schema)
  const place = postgresPlace(settings)
  const { clock } = parts
  const now = clock && (() => givenTime(clock()))
  const start = openDatabase(settings, 'start', { observe: () => {}, warn: (message) => log.warn(message) })
  let prepared: Prepared
  const check = new TableCheck(layout)
  let known = ''
  try {
    prepared = await prepare(start ?? database, layout, parts)
    if (mode === 'write' && start !== undefined) await entry.enter(layout)
  } catch (error) {
    await start?.close()
    throw error
  }
  const databaseClock = new DatabaseClock(systemClock)
  // The first statement may wait for a connection.
  for (let reads = 0; reads < 2; reads++) await databaseClock.read(database)
  const changeLog = new StoredChangeLog(database, layout, {
    origin: `${entry.name}.${uniqueId(random)}`,
    now: () => performance.now(),
    clock: databaseClock,
    ...(start !== undefined && { listen: listenTo(settings) }),
  })
  const store = new PostgresStore(database, layout, { changeLog, failed: log.error })
  const isNew = async (): Promise<boolean> =>
    !prepared.hasTables || !(await wasWritten(database, layout, tellingTables(layout, parts)))
  return {
    store,
    blobs: blobsOf(database, layout, parts.files),
    snapshotHashes: async () => new Set(),
    clock: databaseClock.now,
    place,
    dataFolder: undefined,
    isRemote: true,
    search: new PostgresSearch(database, layout, prepared.isEarlier),
    changeLog,
    leases: (holder) => new PostgresLeases(database, layout, `${entry.name}.${holder}`),
    limits: {
      failedLogins: new Lockouts(database, layout, now),
      callers: new Callers(database, layout, now),
      requests: new Requests(database, layout, uniqueId(parts.random), now),
    },
    snapshots: {
      areAvailable: false,
      refusal: () => databaseHasNoSnapshots(place),
      list: async () => {
        throw databaseHasNoSnapshots(place)
      },
    },
    async initialize(work) {
      try {
        const run = async () => work(await isNew())
        return await (mode === 'read' || start === undefined ? run() : whileAlone(start, settings.schema, run))
      } finally {
        await start?.close()
      }
    },
    async probe() {
      const mismatches = await check.mismatches(database)
      const found = mismatches.join('; ')
      if (found !== known && found !== '') log.error(`The models of this process do not fit the tables any more: ${found}`)
      known = found
      if (found !== '') throw tablesChanged()
    },
    secret: async () => {
      throw new Error('The secret key of a database is a setting')
    },
    figures: () => ({ database: figuresOf(database, times) }),
    async handOver() {
      await start?.close()
      return {
        async change(_, change) {
          if (change.kind === 'load') throw databaseHasNoSnapshots(place)
          await emptyTables(database, layout, change.keep)
          return this
        },
        async open(next) {
          const replacement = await openOn(next, parts)
          await store.close()
          return replacement
        },
      }
    },
    async close() {
      await start?.close()
      await store.close()
      await entry.withdraw()
      await database.close()
    },
  }
}

/** The bytes of files of a database: in a table, or in a folder that all processes share. */
export const blobsOf = (database: BlobDatabase, layout: Layout, { incoming, shared }: PostgresParts['files']): BlobStore =>
  shared === undefined
    ? new PostgresBlobs(database, layout, incoming)
    : new FolderBlobs(shared, new DatabaseLocks(database, layout.schema))

/** What a start has found or made. */
interface Prepared {
  /** False if there are no tables, in mode `read`. */
  readonly hasTables: boolean
  /** True if a later release has brought the tables to its models. */
  readonly isEarlier: boolean
}

/** Brings the tables to the models, as far as mode and settings allow. */
async function prepare(database: Database, layout: Layout, { settings, mode, entry, log }: OpenParts): Promise<Prepared> {
  const { version, isPrepared } = await databaseState(database, layout)
  if (version < OLDEST_VERSION) {
    throw new AppError(
      'TASK_FAILED',
      `${postgresPlace(settings)} is PostgreSQL ${version}; version ${OLDEST_VERSION} or later is needed`,
    )
  }
  if (mode === 'write') for (const each of await unfitSettings(database)) log.warn(each)
  let isEarlier = false
  const onEarlier = () => {
    isEarlier = true
    if (mode === 'write') log.warn(EARLIER)
  }
  if (mode === 'write') await prepareSchema(database, layout, settings.migrate, { process: entry.name, onEarlier })
  else if (isPrepared) await expectCurrent(database, layout, settings, onEarlier)
  return { hasTables: mode === 'write' || isPrepared, isEarlier }
}

/** Logged by a start. */
const EARLIER =
  'The models are those of an earlier release; the tables stay as a later one has made them. `admin migrate --plan` prints the steps back'

/** @throws {AppError} MIGRATION_NEEDED */
async function expectCurrent(
  database: Database,
  layout: Layout,
  settings: PostgresSettings,
  onEarlier: () => void,
): Promise<void> {
  await prepareSchema(database, layout, 'never', { onEarlier }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'MIGRATION_NEEDED') throw error
    const remedy = 'show the steps with `admin migrate --plan`; a start of `admin serve` or `admin migrate --apply` applies them'
    throw new AppError('MIGRATION_NEEDED', `The tables in ${postgresPlace(settings)} differ from the models; ${remedy}`, {
      cause: error,
    })
  })
}

/** The tables that have been written to unless the store is new. */
const tellingTables = ({ tables }: Layout, { grantsFirst }: PostgresParts): string[] =>
  tables
    .map(({ model }) => model.key)
    // Files of seeds are uploaded before the transaction that makes the records.
    .filter((key) => key !== FILE_TABLE && !(grantsFirst && CREATED_BEFORE_SEEDS.has(key)))

function figuresOf(database: Database, times: StatementTimes) {
  const { connections, idle, waiting, retries } = database.usage()
  return { pool: { size: connections, used: connections - idle, waiting }, statements: times.histogram(), retries }
}

/** True if a start has ever written into the database of a project. */
export async function databaseHasData(
  registry: Registry,
  { settings, openDatabase = connectTo, log }: Pick<PostgresParts, 'settings' | 'openDatabase' | 'log'>,
): Promise<boolean> {
  const database = openDatabase(settings, 'records', { observe: () => {}, warn: (message) => log.warn(message) })
  if (database === undefined) return false
  try {
    const layout = new Layout(registry, settings.schema)
    const { isPrepared } = await databaseState(database, layout)
    return (
      isPrepared &&
      (await wasWritten(
        database,
        layout,
        layout.tables.map(({ model }) => model.key),
      ))
    )
  } finally {
    await database.close()
  }
}

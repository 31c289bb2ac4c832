import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Server } from '@hapi/hapi'
import { LRUCache } from 'lru-cache'
import type { OpenDatabase } from '../../../src/app/postgres-store.ts'
import { type App, openApp } from '../../../src/app.ts'
import type { PasswordHasher } from '../../../src/auth/password.ts'
import { resolveSettings, type Settings, type SettingsInput } from '../../../src/config/settings.ts'
import { connectTo } from '../../../src/http/in-process.ts'
import { jwtCodec } from '../../../src/http/jwt-codec.ts'
import type { ConnectionLimits } from '../../../src/http/listener.ts'
import { LiveServer } from '../../../src/http/live-server.ts'
import type { ForkImageProcess } from '../../../src/images/image-process.ts'
import { createLog } from '../../../src/log/create-log.ts'
import type { Log } from '../../../src/log/log.ts'
import { type ExaminedProject, examineProject, loadProject, type Project } from '../../../src/project/project.ts'
import type { Disk } from '../../../src/store/embedded/files/disk.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import type { Heap } from '../../../src/util/heap.ts'
import type { Resolve } from '../../../src/webhooks/url-guard.ts'
import { copyFixture, type FixtureName, makeProject, type ProjectFiles, ROOT, type TemporaryFolder } from '../fixture.ts'
import { keptImageProcess } from '../images.ts'
import { pglite } from '../postgres/pglite.ts'
import { takeSchema } from '../postgres/reused-schemas.ts'
import type { TestSchema } from '../postgres/schemas.ts'
import { serverAddress, sharedDatabase } from '../postgres/server.ts'
import { assertNoSecrets } from '../secrets.ts'
import { type FakeTime, fakeTime } from '../time.ts'

/** The moment at which every test application begins. */
export const TEST_START = Date.parse('2026-01-15T12:00:00.000Z')

/** The seed of a project whose only user is the superuser `admin`, as whom scenarios send by default. */
export const ADMIN_SEED = {
  'seed/user.yaml': '- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }\n',
}

/** An application of a test, which is closed at the end of the block that declares it with `await using`. */
export interface TestApp extends AsyncDisposable {
  readonly live: LiveServer
  /** The application that is served at present, and what serves it. */
  readonly app: App
  readonly server: Server
  readonly folder: TemporaryFolder
  /** Errors that the server called its own fault. */
  readonly reported: unknown[]
  /** What the log was written, a line of JSON each. */
  readonly logged: string[]
  /** The application's clock, and what it is to do later. */
  readonly time: FakeTime
  /** Moves the application's clock forward. */
  advance(milliseconds: number): void
  /** An access token of a user of the project. */
  tokenOf(username: string): Promise<string>
  /** Closes the application and opens another on the same folder. */
  reopen(): Promise<TestApp>
  close(): Promise<void>
}

/** A hasher that costs nothing; argon2id itself is tested on its own. */
export const quickHasher: PasswordHasher = {
  hash: async (password) => `$quick$${createHash('sha256').update(password).digest('hex')}`,
  verify: async (hash, password) => hash === (await quickHasher.hash(password)),
}

export interface TestAppOptions {
  readonly fixture?: FixtureName
  /** True for a fixture whose records have their files; see `copyFixture`. */
  readonly withFiles?: boolean
  /** Files of a project of its own, in the place of a fixture. */
  readonly files?: ProjectFiles
  readonly settings?: SettingsInput
  readonly hasher?: PasswordHasher
  readonly connections?: ConnectionLimits
  /** Finds the addresses of the names of webhooks' receivers. */
  readonly resolve?: Resolve
  /** What the server does instead of letting time pass. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
  /** How a search waits for its index, and how the index is built: by default searches wait without end. */
  readonly searchWait?: (milliseconds: number) => Promise<unknown>
  /** The heap of the process, which counts for the embedded store; by default it has room. */
  readonly heap?: Heap
  /** Starts the image processes; by default the tests of a file share them. */
  readonly forkImages?: ForkImageProcess
  /** The disk of the embedded store and of received files. */
  readonly disk?: Disk
  /** The folder of the built admin page; without it there is no page. */
  readonly ui?: string
  /** Where the records are; by default in files, or where `ADMIN_TEST_ENGINE` says. */
  readonly engine?: TestEngine
}

/** In files, on the tests' PostgreSQL server, or in PostgreSQL in this process. */
export type TestEngine = 'embedded' | 'postgres' | 'pglite'

const ENGINE = (process.env.ADMIN_TEST_ENGINE ?? 'embedded') as TestEngine

/** Why a test that speaks of the data folder, its journal or its snapshots is skipped; false where the records are in files. */
export const NEEDS_DATA_FOLDER: string | false =
  ENGINE === 'embedded' ? false : `It speaks of the data folder; the records are in ${ENGINE}`

/** Why a test that starts with records that the models do not allow is skipped; false where such a start is possible. */
export const REFUSES_STRICTER_MODELS: string | false =
  ENGINE === 'embedded' ? false : `A start on ${ENGINE} is refused while records break the models: test/store/postgres/schema/`

const ROOMY: Heap = { use: () => ({ used: 0, limit: 2 ** 32 }), collect() {} }

/** A search waits for seconds, the building of an index between two slices for milliseconds. */
const patiently = (milliseconds: number): Promise<unknown> => (milliseconds < 1000 ? delay(milliseconds) : new Promise(() => {}))

/** Opens an application on a temporary copy of a fixture, with a clock that stands still. */
export async function openTestApp({
  fixture = 'blog',
  withFiles = false,
  files,
  ...options
}: TestAppOptions = {}): Promise<TestApp> {
  const folder = files === undefined ? await copyFixture(fixture, { withFiles }) : await makeProject(files)
  const server = await serverOf(options.engine ?? ENGINE)
  const given = { ...options, settings: { ...server?.settings, ...options.settings } }
  const flags = flagsOf(given)
  let own: TestSchema | undefined
  const removed = { ...folder, remove: async () => void (await Promise.all([folder.remove(), own?.drop()])) }
  try {
    const project = files === undefined ? await fixtureProject(fixture, folder, flags) : await projectOf(files, folder, flags)
    own = server && (await takeSchema(server.database, project.registry))
    return await openOn(removed, project, given, { schema: own?.schema, openDatabase: server?.openDatabase })
  } catch (error) {
    await removed.remove()
    throw error
  }
}

/** A server of PostgreSQL for the records of tests. */
interface RecordServer {
  readonly database: Database
  readonly settings: SettingsInput
  readonly openDatabase: OpenDatabase
}

/** Where the records of one application are; by default in files. */
interface RecordPlace {
  readonly schema: string | undefined
  readonly openDatabase: OpenDatabase | undefined
}

/** The server of an engine; undefined for records in files. */
async function serverOf(engine: TestEngine): Promise<RecordServer | undefined> {
  if (engine === 'embedded') return undefined
  const database = engine === 'pglite' ? await pglite() : await sharedDatabase()
  const url = engine === 'pglite' ? 'postgres://in-this-process/test' : await serverAddress()
  const settings = { store: { url, pool: 5 }, secret_key: TEST_SECRET }
  // The tests of this process share the connections, so that no application closes them: to make new ones for each takes longer than most tests.
  const kept: Database = {
    query: (statement, options) => database.query(statement, options),
    transaction: (work, options) => database.transaction(work, options),
    stream: (statement, batch, options) => database.stream(statement, batch, options),
    maxConnections: database.maxConnections,
    usage: () => database.usage(),
    close: async () => {},
  }
  // No other process can start on a database within this one.
  const isAlone = engine === 'pglite'
  return { database, settings, openDatabase: (_, use) => (use === 'start' && isAlone ? undefined : kept) }
}

/** The schema depends on the models, so that it is not among the settings that a project is loaded with. */
function inSchema(project: Project, schema: string | undefined): Project {
  const { settings } = project
  if (settings.store === 'embedded' || schema === undefined) return project
  return { ...project, settings: { ...settings, store: { ...settings.store, schema } } }
}

const TEST_SECRET = 'a key of tests that run on PostgreSQL, with more than 32 bytes'

/** A clock that stands still never leaves the window of a rate limit. Everything is logged, and no secret may be in it. */
const flagsOf = ({ settings = {} }: TestAppOptions): SettingsInput => ({
  rate_limits: { default: 0, auth: 0, upload: 0 },
  log: { level: 'debug' },
  ...settings,
})

const loadFrom = ({ path }: TemporaryFolder, flags: SettingsInput): Promise<Project> =>
  loadProject({ folder: path, env: {}, flags })

/** Projects that have been loaded, by what they were loaded from; those of a test file are mostly the same. */
const loaded = new LRUCache<string, Promise<Project>>({ max: 16 })
const fixtures = new Map<string, Promise<ExaminedProject>>()

/** A project of these files. The same files are loaded once: that takes long, and so does what depends on the models, such as the OpenAPI document. */
async function projectOf(files: ProjectFiles, folder: TemporaryFolder, flags: SettingsInput): Promise<Project> {
  // Modules may keep something between two calls.
  const mayBeShared = Object.entries(files).every(([path, content]) => typeof content === 'string' && !/\.[mc]?[jt]s$/.test(path))
  if (!mayBeShared) return loadFrom(folder, flags)
  const key = JSON.stringify([files, flags])
  const project = loaded.get(key) ?? loadFrom(folder, flags)
  loaded.set(key, project)
  return inFolder(await project, folder)
}

/** The project of an unchanged copy of a fixture. The fixture itself is loaded once a process, since that takes long. */
async function fixtureProject(name: string, folder: TemporaryFolder, flags: SettingsInput): Promise<Project> {
  // The job that sends mails depends on the settings.
  if (flags.mail !== undefined) return loadFrom(folder, flags)
  const known = fixtures.get(name) ?? examineProject({ folder: join(ROOT, 'fixtures', name), env: {}, flags: {} })
  fixtures.set(name, known)
  const { project, files } = await known
  const { settings, faults, warnings } = resolveSettings(files.config, {}, flags)
  faults.throwIfAny()
  return { ...inFolder(project, folder), settings, warnings }
}

/** The same project in another folder with the same files. */
const inFolder = (project: Project, { path }: TemporaryFolder): Project => ({
  ...project,
  folder: path,
  seeds: project.seeds.map((seed) => ({ ...seed, path: join(path, seed.file) })),
})

async function openOn(folder: TemporaryFolder, project: Project, options: TestAppOptions, place: RecordPlace): Promise<TestApp> {
  const { schema, openDatabase } = place
  const {
    hasher = quickHasher,
    wait = async () => {},
    searchWait = patiently,
    connections,
    resolve,
    disk,
    ui,
    heap = ROOMY,
    forkImages = keptImageProcess,
  } = options
  const time = fakeTime(TEST_START)
  const { clock, timer } = time
  const reported: unknown[] = []
  const logged: string[] = []
  const log = ({ level }: Settings['log']): Log => {
    const real = createLog((line) => logged.push(line), { level, format: 'json', clock })
    const error: Log['error'] = (message, fields) => {
      reported.push(fields?.error)
      real.error(message, fields)
    }
    return { ...real, error }
  }
  const app = await openApp(inSchema(project, schema), 'write', {
    tokenCodec: jwtCodec,
    connect: connectTo,
    clock,
    timer,
    hasher,
    log,
    wait: searchWait,
    heap,
    forkImages,
    ...(resolve === undefined ? {} : { resolve }),
    ...(disk && { disk }),
    ...(openDatabase && { openDatabase }),
  })
  const given = { ...(connections === undefined ? {} : { connections }), ...(ui === undefined ? {} : { ui }) }
  const live = await LiveServer.create(app, { clock, wait, ...given })
  await live.server.initialize()
  const stop = async () => {
    await live.stop()
    await live.app.close()
    assertNoSecrets(logged)
  }
  const close = async () => {
    await stop()
    await folder.remove()
  }
  return {
    live,
    get app() {
      return live.app
    },
    get server() {
      return live.server
    },
    folder,
    reported,
    logged,
    time,
    advance: time.advance,
    async tokenOf(username) {
      const filters = [{ field: 'username', operator: 'eq', value: username } as const]
      const { records } = await live.app.store.find('user', { filters, sort: [], offset: 0, limit: 1 })
      const [user] = records
      if (user === undefined) throw new Error(`The project has no user '${username}'`)
      return live.app.logins.issueAccessToken(user)
    },
    async reopen() {
      await stop()
      return openOn(folder, await loadFrom(folder, flagsOf(options)), options, place)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

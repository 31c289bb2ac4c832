import type { AccountEvents } from '../accounts/account-events.ts'
import type { AccountLinks } from '../accounts/account-links.ts'
import type { Logins } from '../accounts/logins.ts'
import type { Identities } from '../accounts/oidc/identities.ts'
import type { SingleSignOn } from '../accounts/oidc/single-sign-on.ts'
import type { OwnAccounts } from '../accounts/own-accounts.ts'
import type { OwnFactors } from '../accounts/own-factors.ts'
import type { PasswordHasher } from '../auth/password.ts'
import type { ServerProof } from '../auth/secret.ts'
import type { TokenCodecFactory } from '../auth/token.ts'
import type { Connect } from '../code/context.ts'
import type { Context } from '../code/define.ts'
import type { Endpoints } from '../code/endpoints.ts'
import type { Jobs } from '../code/jobs.ts'
import type { Settings } from '../config/settings.ts'
import type { EventStreams } from '../events/event-streams.ts'
import type { Downloads } from '../files/downloads.ts'
import type { FileSweep } from '../files/file-sweep.ts'
import type { FileLinks } from '../files/links.ts'
import type { Uploads } from '../files/uploads.ts'
import type { History } from '../history/history.ts'
import type { ForkImageProcess } from '../images/image-process.ts'
import type { Images } from '../images/images.ts'
import type { SharedLimits } from '../limit/shared-limits.ts'
import type { Log } from '../log/log.ts'
import type { MockFiller } from '../mock/mock-filler.ts'
import type { Mocks } from '../mock/mocks.ts'
import type { ModelTests } from '../mock/model-tests.ts'
import type { Project } from '../project/project.ts'
import type { ResetRequest } from '../project/reset.ts'
import type { SiteReader } from '../project/site.ts'
import type { Snapshots } from '../project/snapshots.ts'
import type { ViewCatalog } from '../project/view-catalog.ts'
import type { Reads } from '../reads/reads.ts'
import type { Searches } from '../reads/searches.ts'
import type { Hooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { SearchEngine } from '../search/search-engine.ts'
import type { BlobStore } from '../store/blobs/blob-store.ts'
import type { Disk } from '../store/embedded/files/disk.ts'
import type { Store } from '../store/store.ts'
import type { StoreFigures } from '../store/store-figures.ts'
import type { Exports } from '../transfer/exports.ts'
import type { Imports } from '../transfer/imports.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Heap } from '../util/heap.ts'
import type { Random } from '../util/ids.ts'
import type { RequestPace } from '../util/traffic.ts'
import type { Resolve } from '../webhooks/url-guard.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { OpenDatabase } from './postgres-store.ts'

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
  /** The heap of the process, which has the records of the embedded store. */
  readonly heap?: Heap
  /** Lets code of the project call the API of the application in this process. Without it, code reaches records by its transaction only. */
  readonly connect?: (app: App) => Connect
  /** A key that acts as the first superuser, and is not stored. For an application in memory. */
  readonly givenKey?: string | undefined
  /** The disk of the embedded store and of received files; replaced by a failing one in tests. */
  readonly disk?: Disk
  /** Starts the image processes. */
  readonly forkImages?: ForkImageProcess
  /** Opens the database of the setting `store`. The default connects by the driver. */
  readonly openDatabase?: OpenDatabase
}

/** A running application: one project with its store and services. */
export interface App {
  readonly project: Project
  readonly settings: Settings
  readonly log: Log
  /** Absolute path of the data folder; undefined if the records are not in files. */
  readonly dataFolder: string | undefined
  /** Where the records are, for people; undefined in mode `ephemeral`. Never contains a password. */
  readonly place: string | undefined
  readonly store: Store
  /** True if the records are in another process, so that a read whose client has gone is worth ending. */
  readonly isRemote: boolean
  /** Values of the engine for `/metrics`. */
  figures(): StoreFigures
  /**
   * Verifies that the store can be reached.
   *
   * @throws {AppError} STORE_UNAVAILABLE
   */
  probe(): Promise<void>
  readonly records: Records
  /** What features do with each write. */
  readonly hooks: Hooks
  /** True if code of the project takes part in writes. */
  readonly hasCode: boolean
  readonly endpoints: Endpoints
  /** Calls the API in this process, on behalf of a caller. */
  readonly connect: Connect
  readonly reads: Reads
  readonly searches: Searches
  readonly searchIndexes: SearchEngine
  readonly history: History
  readonly site: SiteReader
  readonly events: EventStreams
  /** The findings in the project's files, as `admin lint --format json` prints them. */
  lint(): Promise<string>
  /** The image processes and the thumbnails. */
  readonly images: Images
  /** The bytes of files. */
  readonly blobs: BlobStore
  readonly uploads: Uploads
  /** Removes files that no record refers to; undefined for a project without fields of files. */
  readonly fileSweep: FileSweep | undefined
  /** Files as users may read them. */
  readonly downloads: Downloads
  readonly fileLinks: FileLinks
  readonly exports: Exports
  readonly imports: Imports
  readonly logins: Logins
  /** The limits of requests that this process shares with others; undefined if it alone has the records. */
  readonly sharedLimits: SharedLimits | undefined
  readonly ownAccounts: OwnAccounts
  readonly accountEvents: AccountEvents
  readonly ownFactors: OwnFactors
  readonly identities: Identities
  readonly singleSignOn: SingleSignOn
  readonly accountLinks: AccountLinks
  /** Signs tokens. In mode `ephemeral` only, for local commands; otherwise they read it from the settings or the data folder. */
  readonly ephemeralSecret: string | undefined
  /** Proves to local commands that this server serves their project. */
  readonly proof: ServerProof
  readonly views: ViewCatalog
  readonly mocks: Mocks
  readonly mockFiller: MockFiller
  readonly modelTests: ModelTests
  readonly webhooks: Webhooks
  readonly jobs: Jobs
  /** What a script gets, on behalf of the shell. @param name of its file */
  scriptContext(name: string, signal: AbortSignal): Context
  readonly snapshots: Snapshots
  /** Counts requests, so that webhook delivery can give way to them. */
  readonly traffic: RequestPace
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
   * Closes this application and opens its replacement. The lock of a data folder, the connections to a database, and the records of mode
   * `ephemeral` pass to the replacement. If the replacement cannot be opened, this project is opened again. If that fails too, this application
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
 * - `write` locks a data folder for this process. A database is shared with other processes.
 * - `read` changes nothing, and reads a data folder without a lock.
 * - `ephemeral` keeps records in memory and starts from the seed records.
 */
export type AppMode = 'read' | 'write' | 'ephemeral'

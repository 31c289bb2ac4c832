import type { FailedLogins } from '../limit/lockout.ts'
import type { CallerCounts, RequestLog } from '../limit/shared-limits.ts'
import type { Registry } from '../model/registry.ts'
import type { SnapshotCapability } from '../project/snapshots.ts'
import type { BlobStore } from '../store/blobs/blob-store.ts'
import type { ChangeLog, ReceiverLeases } from '../store/changes.ts'
import type { SearchStorage } from '../store/search-storage.ts'
import type { Store } from '../store/store.ts'
import type { StoreFigures } from '../store/store-figures.ts'
import type { Clock } from '../util/clock.ts'

/** What processes store to share their limits. */
export interface LimitTables {
  readonly failedLogins: FailedLogins
  readonly callers: CallerCounts
  readonly requests: RequestLog
}

/** A change of all data: a reset, which keeps some tables, or a snapshot that replaces it. */
export type DataChange =
  | { readonly kind: 'reset'; readonly keep: ReadonlySet<string> }
  | { readonly kind: 'load'; readonly copy: string }

/** An open store, with the abilities of its engine beyond the interface `Store`. */
export interface OpenedStore {
  readonly store: Store
  /** The bytes of files. */
  readonly blobs: BlobStore
  /** The hashes of files that snapshots list, whose bytes are kept for them. Waits for a snapshot that is being saved. */
  snapshotHashes(): Promise<ReadonlySet<string>>
  /** True if the records are in another process, so that a read whose client has gone is worth ending. */
  readonly isRemote: boolean
  /** Where the records are, for people; undefined if they are in memory only. Never contains a password. */
  readonly place: string | undefined
  /** Absolute path of the data folder; undefined for an engine without files. */
  readonly dataFolder: string | undefined
  /** Keeps the words of records for searches; undefined for an engine whose records are searched by indexes in this process. */
  readonly search: SearchStorage | undefined
  /**
   * Divides the receivers of webhook events among processes; undefined for an engine that one process has to itself.
   *
   * @param holder a name that no other process has
   */
  readonly leases: ((holder: string) => ReceiverLeases) | undefined
  /** The clock by which all processes of the store agree; undefined for an engine that one process has to itself. */
  readonly clock?: Clock
  /** The changes of other processes; undefined for an engine that one process has to itself. */
  readonly changeLog: ChangeLog | undefined
  /** Limits that the processes of the store share; undefined for an engine of one process. */
  readonly limits: LimitTables | undefined
  /** Snapshots of the data, or why the engine has none. */
  readonly snapshots: SnapshotCapability
  /**
   * Runs the work of a start: seed records, permissions, subscriptions of the settings. Where several processes share the data, one
   * runs it while the others wait.
   *
   * @param work `isNew` is true on the first start only: no process has ever stored records here
   */
  initialize<T>(work: (isNew: boolean) => Promise<T>): Promise<T>
  /**
   * Verifies that the store can be reached.
   *
   * @throws {AppError} STORE_UNAVAILABLE
   */
  probe(): Promise<void>
  /** The secret that signs tokens, for projects that set none. */
  secret(): Promise<string>
  /** Values of the engine for `/metrics`. */
  figures(): StoreFigures
  /** Closes the store for a replacement on the same data. What it holds for this process, such as a lock, passes on. */
  handOver(): Promise<Handover>
  close(): Promise<void>
}

/** The data of a store that was closed for a replacement. */
export interface Handover {
  /**
   * Changes the data. If the replacement fails, `open` of the former handover gives the data as far as it was not removed.
   *
   * @throws {AppError} STORE_UNAVAILABLE
   */
  change(registry: Registry, change: DataChange): Promise<Handover>
  /** Opens a store on the data. */
  open(registry: Registry): Promise<OpenedStore>
}

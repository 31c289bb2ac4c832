import { setImmediate } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import { FILE_TABLE } from '../model/files.ts'
import type { Filter } from '../query/plan.ts'
import type { Records } from '../records/records.ts'
import type { BlobStore, KeptBlob } from '../store/blobs/blob-store.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { type Clock, DAY_MS, HOUR_MS, isoTime, type Timer } from '../util/clock.ts'
import { PeriodicTask } from '../util/periodic-task.ts'
import { HASHES_AT_ONCE, UNREFERENCED_MS, withoutRows } from './unreferenced.ts'

/** Interval of sweeps, in milliseconds. */
const SWEEP_MS = 3_600_000

/** Rows that are looked at together, so that requests do not wait long. */
const SLICE = 500

/** Options of a sweep. */
export interface SweepOptions {
  /** True to remove nothing, and count what would be removed. */
  readonly dryRun?: boolean
}

/** What a sweep has removed, or would remove. */
export interface SweepResult {
  /** Uploads that no record got in time. */
  readonly expired: number
  /** Rows of files that records have given up. */
  readonly released: number
  /** Contents that no row has, and their size in bytes. */
  readonly contents: number
  readonly bytes: number
}

export interface FileSweepParts {
  readonly store: Store
  readonly records: Pick<Records, 'commitInternal'>
  readonly blobs: BlobStore
  /** The hashes that snapshots list, also one that is being saved. Called once in a sweep. */
  readonly snapshotHashes: () => Promise<ReadonlySet<string>>
  /** Called with each hash whose bytes are removed. */
  readonly forget?: (sha256: string) => Promise<void>
  readonly settings: {
    readonly files: { readonly pending_hours: number; readonly keep_removed_days: number }
    readonly history?: { readonly days: number; readonly files?: boolean }
  }
  /** Keys of the models whose history is recorded. */
  readonly recorded: readonly string[]
  readonly clock: Clock
  /** The clock by which blobs say when they were kept. */
  readonly blobClock: Clock
  /** For how long this process runs, in milliseconds. */
  readonly uptime: () => number
  readonly timer: Timer
  readonly log: Log
}

/**
 * Removes leftovers: uploads that have expired, files that were released long ago, bytes without a row of the registry, and
 * received files of processes that were killed.
 *
 * Rows that a sweep removes are those of an earlier moment than a snapshot that is being saved, so their bytes are removed by a later sweep.
 */
export class FileSweep {
  readonly #parts: FileSweepParts
  readonly #task: PeriodicTask
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: FileSweepParts) {
    this.#parts = parts
    const { timer, log } = parts
    const run = () => {
      this.#running = this.#sweepAndLog().catch((error: unknown) => {
        if (!this.#isStopped) log.error('Files that no record has could not be removed', { error })
      })
      return this.#running
    }
    this.#task = new PeriodicTask(run, { timer, intervalMs: SWEEP_MS, onError: () => {} })
  }

  /** Sweeps now, while requests are served, and again in intervals. */
  begin(): void {
    void this.#task.start()
  }

  /** Resolves when a sweep that is running has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#task.stop()
    await this.#running
  }

  async #sweepAndLog(): Promise<void> {
    const { log } = this.#parts
    const { expired, released, contents, bytes } = await this.sweep()
    if (contents + expired + released > 0)
      log.info('Files that no record has were removed', { expired, released, contents, bytes })
  }

  /**
   * Sweeps once: bytes, then rows, whose bytes stay for a later sweep.
   *
   * @throws {AppError} DATA_CORRUPT for a snapshot that cannot be read, after rows were removed
   */
  async sweep(options: SweepOptions = {}): Promise<SweepResult> {
    if (options.dryRun !== true) await this.#cleanReceived()
    const [bytes] = await Promise.allSettled([this.removeBytes(UNREFERENCED_MS, options)])
    // Rows of uploads expire also while a snapshot that cannot be read keeps all bytes.
    const rows = await this.removeRows(options)
    if (bytes.status === 'rejected') throw bytes.reason
    return { ...bytes.value, ...rows }
  }

  /** Another process may be receiving a file; one that has the bytes alone has received none before its start. */
  #cleanReceived(): Promise<void> {
    const { store, blobs, uptime } = this.#parts
    return blobs.clean(store.isShared ? UNREFERENCED_MS : Math.min(UNREFERENCED_MS, uptime()))
  }

  /** Removes the rows of uploads that have expired, and of files that were released longer ago than they are kept. Their bytes stay. */
  async removeRows({ dryRun = false }: SweepOptions = {}): Promise<Pick<SweepResult, 'expired' | 'released'>> {
    const { clock, settings, recorded } = this.#parts
    const { files, history } = settings
    const before = (ms: number) => isoTime(clock() - ms)
    const remove = dryRun ? async () => true : (rows: readonly StoredRecord[]) => this.#remove(rows)
    const expired = await this.#removeWhere(
      [
        { field: 'record_id', operator: 'isnull', value: true },
        { field: 'at', operator: 'lt', value: before(files.pending_hours * HOUR_MS) },
      ],
      remove,
    )
    const days = history === undefined || history.files === false ? 0 : history.days
    const releasedBefore = (keptDays: number): Filter => ({
      ...{ field: 'released_at', operator: 'lt', value: before(keptDays * DAY_MS) },
    })
    const isOfHistory: Filter = { field: 'model', operator: 'in', values: recorded }
    const released = await this.#removeWhere(
      [
        releasedBefore(files.keep_removed_days),
        ...(days > files.keep_removed_days ? [{ any: [{ not: isOfHistory }, releasedBefore(days)] }] : []),
      ],
      remove,
    )
    return { expired, released }
  }

  /**
   * @param remove removes all of the rows, or resolves with false
   * @returns the number of removed rows
   */
  async #removeWhere(filters: readonly Filter[], remove: (rows: readonly StoredRecord[]) => Promise<boolean>): Promise<number> {
    const { store } = this.#parts
    let removed = 0
    for (let after = 0; !this.#isStopped; ) {
      const { records: rows } = await store.find(
        FILE_TABLE,
        {
          filters: [...filters, { field: 'id', operator: 'gt', value: after }],
          sort: [{ field: 'id', order: 'asc' }],
          offset: 0,
          limit: SLICE,
        },
        { withoutTotal: true },
      )
      if (rows.length > 0 && (await remove(rows))) removed += rows.length
      // One of them was changed meanwhile, as when a record has got the file again.
      else for (const row of rows) if (await remove([row])) removed++
      if (rows.length < SLICE) break
      after = rows.at(-1)?.id ?? after
      await setImmediate()
    }
    return removed
  }

  async #remove(rows: readonly StoredRecord[]): Promise<boolean> {
    const outcome = await this.#parts.records.commitInternal(
      rows.map((row) => ({ kind: 'remove', table: FILE_TABLE, id: row.id, expect: row })),
    )
    return outcome.ok
  }

  /**
   * Removes bytes that no row and no snapshot has.
   *
   * @param olderThanMs bytes that were kept later stay
   */
  async removeBytes(
    olderThanMs = UNREFERENCED_MS,
    { dryRun = false }: SweepOptions = {},
  ): Promise<Pick<SweepResult, 'contents' | 'bytes'>> {
    const { blobs, blobClock } = this.#parts
    const latest = blobClock() - olderThanMs
    const result = { contents: 0, bytes: 0 }
    let slice: KeptBlob[] = []
    let listed: ReadonlySet<string> | undefined
    const end = async () => {
      const others = await withoutRows(this.#parts.store, slice)
      if (others.length > 0) listed ??= await this.#parts.snapshotHashes()
      for (const blob of others.filter(({ sha256 }) => listed?.has(sha256) === false)) {
        if (this.#isStopped || !(dryRun || (await this.#removeContent(blob)))) continue
        result.contents++
        result.bytes += blob.size
      }
      slice = []
      await setImmediate()
    }
    for await (const blob of blobs.list()) {
      if (this.#isStopped) return result
      if (blob.keptAt <= latest) slice.push(blob)
      if (slice.length === HASHES_AT_ONCE) await end()
    }
    await end()
    return result
  }

  /** Asks again under the lock: an upload of the same bytes may have come meanwhile. */
  #removeContent(blob: KeptBlob): Promise<boolean> {
    const { store, blobs, forget } = this.#parts
    const { sha256 } = blob
    return blobs.exclusively(sha256, async () => {
      if ((await withoutRows(store, [blob])).length === 0) return false
      await blobs.remove(sha256)
      await forget?.(sha256)
      return true
    })
  }
}

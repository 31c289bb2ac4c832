import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import { type Disk, nodeDisk } from './disk.ts'
import type { EngineOptions } from './engine.ts'
import { type Folded, type FoldRunner, fold, foldFolder } from './fold.ts'
import { foldInThread } from './fold-thread.ts'
import { Journal, journalFiles, SyncFailure } from './journal.ts'
import { encodeEntry } from './journal-format.ts'
import { acquireLock, lockPath, makeFolder, type Release } from './lock.ts'
import { MemoryStore } from './memory.ts'
import { judgeForeign, type Poured, pour, takerOf } from './pour.ts'
import {
  closing,
  type Found,
  find,
  findBeside,
  foreignNotice,
  mendTail,
  refuseBroken,
  removeDraft,
  snapshotPath,
} from './recovery.ts'
import type { Change, EventOrder, Operation, Outcome, StoreStatus, TransactionMode } from './store.ts'

/** The journal is folded into the snapshot when it is longer than this, and longer than the snapshot. In bytes. */
const MIN_JOURNAL_BYTES = 32 << 20

/** A transaction that is applied in memory and waits for its line to be written. */
interface Unsaved {
  readonly line: string
  readonly changes: readonly Change[]
  readonly saved: () => void
  readonly failed: (error: unknown) => void
}

/** What the store takes from outside, for tests. */
export interface FileStoreOptions extends EngineOptions {
  readonly disk?: Disk
  readonly minJournalBytes?: number
  /** Folds while requests are served: in a thread of its own, unless the disk is one that cannot travel there. */
  readonly fold?: FoldRunner
  /** The lock of the folder, where this process holds it already. */
  readonly lock?: Release | undefined
  /** Told of what a person should know and nothing stops for. */
  readonly warn?: (message: string) => void
}

/**
 * A store in a folder: `db.json`, a snapshot kept by lowdb, and beside it a journal of the transactions since. A transaction
 * resolves once its line is in the journal and the disk has confirmed it; those that wait at the same time share one write.
 * Closing folds the journal into the snapshot, which then is complete.
 */
export class FileStore extends MemoryStore {
  readonly #folder: string
  readonly #disk: Disk
  readonly #minJournalBytes: number
  readonly #fold: FoldRunner
  readonly #release: Release
  readonly #warn: (message: string) => void
  #journal: Journal | undefined
  /** The last transaction that was given a number, and the last that is on disk. */
  #sequence = 0
  #durable = 0
  #snapshotBytes = 0
  #hasTables = false
  /** The journal is not to be sealed before it is longer than this; more than 0 after an attempt that failed. In bytes. */
  #sealAbove = 0
  #unsaved: Unsaved[] = []
  #saving: Promise<void> | undefined
  #compacting: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** Why no more writes are taken, if none are. */
  #refusal: string | undefined

  private constructor(registry: Registry, folder: string, release: Release, options: FileStoreOptions) {
    super(registry, options)
    this.#folder = folder
    const disk = options.disk ?? nodeDisk
    this.#disk = disk
    this.#minJournalBytes = options.minJournalBytes ?? MIN_JOURNAL_BYTES
    this.#fold = options.fold ?? (disk === nodeDisk ? foldInThread : (task) => foldFolder(task, disk))
    this.#release = release
    this.#warn = options.warn ?? (() => {})
  }

  /**
   * Opens the store in a folder, which is made when it is not there.
   *
   * @param mode `write` takes the folder for this process; `read` looks at what is on disk and takes nothing
   * @throws {AppError} DATA_IN_USE, DATA_CORRUPT
   */
  static async open(
    folder: string,
    registry: Registry,
    mode: 'read' | 'write',
    options: FileStoreOptions = {},
  ): Promise<FileStore> {
    const { disk = nodeDisk } = options
    if (mode === 'read') {
      const store = new FileStore(registry, folder, async () => {}, options)
      store.#refusal = 'The store was opened for reading'
      await closing(await findBeside(folder, disk), (found) => store.#load(found, registry))
      return store
    }
    await makeFolder(folder)
    const release = options.lock ?? (await acquireLock(lockPath(folder)))
    try {
      const store = new FileStore(registry, folder, release, options)
      await removeDraft(folder, disk)
      await closing(await find(folder, disk), (found) => store.#recover(found, registry))
      for (const table of store.engine.tables.values()) table.warm()
      return store
    } catch (error) {
      if (options.lock === undefined) await release()
      throw error
    }
  }

  async #load(found: Found, registry: Registry): Promise<Poured> {
    const { snapshot, journal } = found
    const { tables } = this.engine
    const sink = { table: (name: string, nextId: number) => takerOf(tables.get(name), nextId) }
    const poured = await pour(snapshot, journal.entries, sink, judgeForeign(registry))
    refuseBroken(snapshotPath(this.#folder), poured.judgement, ACCEPT)
    this.#sequence = journal.last
    this.#durable = journal.last
    this.#hasTables = poured.tables.size > 0
    this.#snapshotBytes = snapshot.file?.bytes ?? 0
    return poured
  }

  /** Loads what is there, and puts the folder in order: no torn tail, no journal of an earlier run, no file without a checksum. */
  async #recover(found: Found, registry: Registry): Promise<void> {
    const { snapshot, overlay, judgement } = await this.#load(found, registry)
    const { journal } = found
    await mendTail(journal, this.#disk, this.#warn)
    if (judgement !== undefined && snapshot.file !== undefined) this.#warn(foreignNotice(snapshot.file.origin, judgement))
    if (judgement === undefined && journal.paths.length === 0) return
    const folding = { snapshot, overlay, sequence: journal.last, covered: journal.paths }
    await this.#compact(() => fold(this.#folder, this.#disk, folding))
  }

  /** True until the first transaction: there are no records of any model. */
  get isNew(): boolean {
    return this.#durable === 0 && !this.#hasTables
  }

  override async transact(
    operations: readonly Operation[],
    mode: TransactionMode = 'commit',
    order?: EventOrder,
  ): Promise<Outcome> {
    // Another may be opened in its place.
    if (this.#refusal !== undefined) throw new AppError('STORE_UNAVAILABLE', this.#refusal, this.#closing && { retryAfter: 1 })
    const outcome = this.engine.transact(operations, mode, order)
    if (mode === 'commit' && outcome.ok && operations.length > 0) await this.#save(outcome.changes, operations)
    return outcome
  }

  override async status(): Promise<StoreStatus> {
    const { records } = await super.status()
    return { takesWrites: this.#refusal === undefined, journalBytes: this.#journal?.length ?? 0, records }
  }

  #save(changes: readonly Change[], operations: readonly Operation[]): Promise<void> {
    const nextIds = new Map<string, number>()
    for (const { table } of [...operations, ...changes]) nextIds.set(table, this.engine.table(table).nextId)
    const line = encodeEntry(this.#sequence + 1, changes, nextIds)
    this.#sequence++
    return new Promise((saved, failed) => {
      this.#unsaved.push({ line, changes, saved, failed })
      this.#saving ??= this.#saveAll()
    })
  }

  async #saveAll(): Promise<void> {
    while (this.#unsaved.length > 0) {
      const batch = this.#unsaved
      this.#unsaved = []
      try {
        this.#journal ??= await Journal.begin(this.#folder, this.#disk, this.#durable + 1)
        await this.#journal.append(Buffer.from(batch.map(({ line }) => line).join('')))
        this.#durable += batch.length
        for (const { saved } of batch) saved()
      } catch (error) {
        this.#takeBack(batch, error)
      }
      await this.#compactIfLong()
    }
    this.#saving = undefined
  }

  /** Undoes in memory what did not reach the disk, and what was built on it since. */
  #takeBack(batch: readonly Unsaved[], cause: unknown): void {
    const lost = [...batch, ...this.#unsaved]
    this.#unsaved = []
    for (const { changes } of lost.toReversed()) this.engine.revert(changes)
    this.#sequence = this.#durable
    if (cause instanceof SyncFailure) {
      this.#refusal = 'The disk failed to confirm a write, so no more are taken until the server is started again'
    }
    const words = cause instanceof SyncFailure ? UNCONFIRMED : 'The change could not be written to disk; nothing was changed'
    const error = new AppError('STORE_UNAVAILABLE', words, { cause })
    for (const { failed } of lost) failed(error)
  }

  /** Seals a journal that has grown long and folds it into the snapshot while the next one is being written. */
  async #compactIfLong(): Promise<void> {
    const { length } = this.#journal ?? { length: 0 }
    const isLong = length > Math.max(this.#minJournalBytes, this.#snapshotBytes, this.#sealAbove)
    if (!isLong || this.#journal === undefined || this.#compacting !== undefined || this.#refusal !== undefined) return
    try {
      await this.#journal.rotate(this.#durable + 1)
    } catch (error) {
      if (this.#sealAbove === 0) this.#warn(`The journal could not be sealed and goes on growing: ${reasonOf(error)}`)
      this.#sealAbove = 2 * length
      return
    }
    this.#sealAbove = 0
    const { first } = this.#journal
    this.#compacting = this.#compact(() => this.#fold({ folder: this.#folder, before: first })).finally(() => {
      this.#compacting = undefined
    })
  }

  /** Folds the journal into the snapshot. When that fails it stays, and nothing is lost. */
  async #compact(run: () => Promise<Folded>): Promise<void> {
    try {
      this.#snapshotBytes = (await run()).bytes
    } catch (error) {
      this.#warn(`The journal could not be folded into db.json, and is kept: ${reasonOf(error)}`)
    }
  }

  /**
   * Does something with `db.json` while nothing replaces it: all that is written up to now is folded into it before. Writing goes on.
   *
   * @throws {AppError} STORE_UNAVAILABLE
   */
  async withSnapshot<T>(work: (path: string) => Promise<T>): Promise<T> {
    while (this.#compacting !== undefined) await this.#compacting
    let isDone = () => {}
    this.#compacting = new Promise((resolve) => {
      isDone = resolve
    })
    try {
      this.#snapshotBytes = (await this.#fold({ folder: this.#folder, before: await this.#seal() })).bytes
      return await work(snapshotPath(this.#folder))
    } catch (error) {
      if (error instanceof AppError) throw error
      throw new AppError('STORE_UNAVAILABLE', `The data could not be made whole in db.json: ${reasonOf(error)}`, { cause: error })
    } finally {
      this.#compacting = undefined
      isDone()
    }
  }

  /** Begins another journal, so that what is written up to now can be folded. @returns the first transaction that will not be */
  async #seal(): Promise<number> {
    while (this.#saving !== undefined) await this.#saving
    if (this.#refusal !== undefined) throw new AppError('STORE_UNAVAILABLE', this.#refusal)
    if (this.#journal === undefined || this.#journal.length === 0) return this.#durable + 1
    const sealing = this.#journal.rotate(this.#durable + 1)
    // Who writes now waits for the other journal.
    this.#saving = sealing.catch(() => {}).then(() => this.#saveAll())
    await sealing
    return this.#journal.first
  }

  override async close(): Promise<void> {
    await (await this.handOver())()
  }

  /** Closes, and keeps the folder for this process. @returns what gives it back */
  async handOver(): Promise<Release> {
    this.#closing ??= this.#close()
    await this.#closing
    return this.#release
  }

  async #close(): Promise<void> {
    const wasOpen = this.#refusal === undefined
    this.#refusal ??= 'The store is closed'
    await this.#saving
    await this.#compacting
    await this.#journal?.close().catch(() => {})
    this.#journal = undefined
    // Of an earlier run, too, when it could not be folded at the start.
    const hasJournal = wasOpen && (await journalFiles(this.#folder, this.#disk).catch(() => [])).length > 0
    if (hasJournal) await this.#compact(() => foldFolder({ folder: this.#folder }, this.#disk))
  }
}

const ACCEPT = 'To take it as it stands: admin compact --accept'
const UNCONFIRMED =
  'The disk did not confirm the change, so it is not known whether it was kept; the server must be started again'

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

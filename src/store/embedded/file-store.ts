import { AppError } from '../../errors.ts'
import type { Registry } from '../../model/registry.ts'
import type { Change, Operation, Outcome, SideRecords, StoreStatus, TransactionMode } from '../store.ts'
import type { Commit, EngineOptions } from './engine.ts'
import { type CompactionResult, type CompactionRunner, compact, compactFiles, compactInThread } from './files/compact.ts'
import { type Disk, nodeDisk } from './files/disk.ts'
import { journalFiles } from './files/journal.ts'
import { JournalWriter } from './files/journal-writer.ts'
import { acquireLock, lockPath, makeFolder, type Release } from './files/lock.ts'
import {
  type DataFolder,
  editedNotice,
  readFolder,
  readFolderBeside,
  rejectInvalid,
  removeDraft,
  snapshotPath,
  thenClose,
  truncateTail,
} from './files/recovery.ts'
import { Renaming } from './files/renaming.ts'
import { type ReplayResult, replay, tableLoader, validatorForEdited } from './files/replay.ts'
import { MemoryStore } from './memory-store.ts'

/** The journal is compacted when it is longer than this and longer than the snapshot. In bytes. */
const MIN_JOURNAL_BYTES = 32 << 20

/** Dependencies, replaceable in tests. */
export interface FileStoreOptions extends EngineOptions {
  readonly disk?: Disk
  readonly minJournalBytes?: number
  /** Runs a compaction while requests are served: in a worker thread by default. */
  readonly compact?: CompactionRunner
  /** The lock of the folder, if this process holds it already. */
  readonly lock?: Release | undefined
  /** Called with warnings for the operator. */
  readonly warn?: (message: string) => void
}

/**
 * A store in a folder: the snapshot `db.json`, written through lowdb, and a journal of the transactions since. A transaction
 * resolves once its journal line is synced to disk. Closing compacts the journal into the snapshot.
 */
export class FileStore extends MemoryStore {
  readonly #folder: string
  readonly #disk: Disk
  readonly #minJournalBytes: number
  readonly #runCompaction: CompactionRunner
  readonly #release: Release
  readonly #warn: (message: string) => void
  #writer: JournalWriter
  #snapshotBytes = 0
  #hasTables = false
  /** Journal length above which the next compaction is attempted; raised after a failure. In bytes. */
  #rotateAbove = 0
  #compacting: Promise<void> | undefined
  /** True once `db.json` names the journal that is being written. */
  #isNamed = false
  #closing: Promise<void> | undefined
  /** Why the store accepts no more writes; undefined if it does. */
  #closed: string | undefined

  private constructor(registry: Registry, folder: string, release: Release, options: FileStoreOptions) {
    super(registry, options)
    this.#folder = folder
    const disk = options.disk ?? nodeDisk
    this.#disk = disk
    this.#minJournalBytes = options.minJournalBytes ?? MIN_JOURNAL_BYTES
    this.#runCompaction = options.compact ?? (disk === nodeDisk ? compactInThread : (task) => compactFiles(task, disk))
    this.#release = release
    this.#warn = options.warn ?? (() => {})
    this.#writer = this.#writerAfter(0)
  }

  /**
   * Opens the store in a folder, which is created if it does not exist.
   *
   * @param mode `write` locks the folder for this process; `read` reads the files without a lock
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
      store.#closed = 'The store is open for reading only'
      const found = await readFolderBeside(folder, disk)
      await thenClose(found.snapshot, () => store.#load(found, registry))
      return store
    }
    await makeFolder(folder)
    const release = options.lock ?? (await acquireLock(lockPath(folder)))
    try {
      const store = new FileStore(registry, folder, release, options)
      await removeDraft(folder, disk)
      const found = await readFolder(folder, disk)
      await thenClose(found.snapshot, () => store.#recover(found, registry))
      store.engine.warm()
      return store
    } catch (error) {
      if (options.lock === undefined) await release()
      throw error
    }
  }

  async #load(found: DataFolder, registry: Registry): Promise<ReplayResult> {
    const { snapshot, journal } = found
    const { tables } = this.engine
    const consumer = { table: (name: string, nextId: number) => tableLoader(tables.get(name), nextId) }
    const replayed = await replay(snapshot, journal.entries, consumer, validatorForEdited(registry), new Renaming(registry))
    rejectInvalid(snapshotPath(this.#folder), replayed.validation, ACCEPT)
    this.#writer = this.#writerAfter(journal.last)
    this.#hasTables = replayed.tables.size > 0
    this.#snapshotBytes = snapshot.file?.bytes ?? 0
    return replayed
  }

  /**
   * Loads the data and repairs the folder: truncates a torn journal tail, compacts journals of earlier runs, rewrites a
   * snapshot without a valid checksum or with former names.
   *
   * @throws {AppError} STORE_UNAVAILABLE if renamed data cannot be written: later journal entries have the present names
   */
  async #recover(found: DataFolder, registry: Registry): Promise<void> {
    const { snapshot, overlay, renamed, validation } = await this.#load(found, registry)
    const { journal } = found
    await truncateTail(journal, this.#disk, this.#warn)
    if (validation !== undefined && snapshot.file !== undefined) this.#warn(editedNotice(snapshot.file.origin, validation))
    if (validation === undefined && journal.paths.length === 0 && renamed.length === 0) return
    const input = { snapshot, overlay, sequence: journal.last, covered: journal.paths, isRenamed: renamed.length > 0 }
    const run = () => compact(this.#folder, this.#disk, input)
    if (renamed.length === 0) return this.#compact(run)
    try {
      this.#snapshotBytes = (await run()).bytes
    } catch (cause) {
      throw new AppError('STORE_UNAVAILABLE', `The renamed records could not be written: ${reasonOf(cause)}`, { cause })
    }
    for (const message of renamed) this.#warn(message)
  }

  #writerAfter(last: number): JournalWriter {
    return new JournalWriter({
      folder: this.#folder,
      disk: this.#disk,
      last,
      revert: (changes) => this.engine.revert(changes),
      writing: (first, file) => this.#nameJournal(first, file),
      written: () => this.#compactIfLong(),
    })
  }

  /** Why no writes are accepted; undefined if they are. */
  get #refusal(): string | undefined {
    return this.#closed ?? this.engine.refusal ?? this.#writer.refusal
  }

  /** True until the first transaction, while there are no records. */
  get isNew(): boolean {
    return this.#writer.last === 0 && !this.#hasTables
  }

  override async transact(
    operations: readonly Operation[],
    mode: TransactionMode = 'commit',
    notes?: SideRecords,
  ): Promise<Outcome> {
    let saved: Promise<void> | undefined
    const commit: Commit = {
      admit: () => this.#throwIfRefused(),
      settled: () => this.#writer.settled(),
      applied: (changes) => {
        // In the same step, so that the journal has the order of the commits.
        if (operations.length > 0) saved = this.#save(changes, operations)
      },
    }
    this.#throwIfRefused()
    const outcome = await this.engine.transact(operations, { mode, notes, commit })
    await saved
    return outcome
  }

  /** Another store may already be open in place of this one. */
  #throwIfRefused(): void {
    const refusal = this.#refusal
    if (refusal !== undefined) throw new AppError('STORE_UNAVAILABLE', refusal, this.#closing && { retryAfter: 1 })
  }

  override async status(): Promise<StoreStatus> {
    const { records } = await super.status()
    return { takesWrites: this.#refusal === undefined, journalBytes: this.#writer.length, records }
  }

  #save(changes: readonly Change[], operations: readonly Operation[]): Promise<void> {
    const nextIds = new Map<string, number>()
    for (const { table } of operations) nextIds.set(table, this.engine.table(table).nextId)
    for (const { table } of changes) nextIds.set(table, this.engine.table(table).nextId)
    return this.#writer.save(changes, nextIds)
  }

  /** Seals a long journal and compacts it while the next journal is being written. */
  async #compactIfLong(): Promise<void> {
    const { length } = this.#writer
    const isLong = length > Math.max(this.#minJournalBytes, this.#snapshotBytes, this.#rotateAbove)
    if (!isLong || this.#compacting !== undefined || this.#refusal !== undefined) return
    let before: number
    try {
      before = await this.#writer.rotate()
    } catch (error) {
      if (this.#rotateAbove === 0) this.#warn(`The journal could not be rotated and keeps growing: ${reasonOf(error)}`)
      this.#rotateAbove = 2 * length
      return
    }
    this.#rotateAbove = 0
    this.#begin(() => this.#runCompaction({ folder: this.#folder, before, journal: this.#writer.file }))
  }

  /**
   * Lets `db.json` name the journal, so that its loss is noticed.
   *
   * @returns resolves when it does; undefined if writes need not wait
   */
  #nameJournal(before: number, journal: string): Promise<void> | undefined {
    if (this.#isNamed || this.#compacting !== undefined) return undefined
    this.#isNamed = true
    const run = this.#runnerFor(this.#snapshotBytes)
    this.#begin(() => run({ folder: this.#folder, before, journal }))
    return this.#snapshotBytes < SMALL ? this.#compacting : undefined
  }

  #begin(run: () => Promise<CompactionResult>): void {
    this.#compacting = this.#compact(run).finally(() => {
      this.#compacting = undefined
    })
  }

  /** Compacts the journal into the snapshot. If that fails the journal stays, and no data is lost. */
  async #compact(run: () => Promise<CompactionResult>): Promise<void> {
    try {
      this.#snapshotBytes = (await run()).bytes
    } catch (error) {
      this.#warn(`Compaction failed, so the journal is kept: ${reasonOf(error)}`)
    }
  }

  /**
   * Calls `work` with a complete `db.json` that is not replaced meanwhile: the journal is compacted into it first. Writes
   * continue.
   *
   * @throws {AppError} STORE_UNAVAILABLE
   */
  async withSnapshot<T>(work: (path: string) => Promise<T>): Promise<T> {
    while (this.#compacting !== undefined) await this.#compacting
    if (this.#refusal !== undefined) throw new AppError('STORE_UNAVAILABLE', this.#refusal)
    let isDone = () => {}
    this.#compacting = new Promise((resolve) => {
      isDone = resolve
    })
    try {
      this.#snapshotBytes = (await this.#runCompaction({ folder: this.#folder, before: await this.#writer.seal() })).bytes
      // The copy belongs to no journal; the next write names it again.
      this.#isNamed = false
      return await work(snapshotPath(this.#folder))
    } catch (error) {
      if (error instanceof AppError) throw error
      throw new AppError('STORE_UNAVAILABLE', `db.json could not be brought up to date: ${reasonOf(error)}`, { cause: error })
    } finally {
      this.#compacting = undefined
      isDone()
    }
  }

  override async close(): Promise<void> {
    await (await this.handOver())()
  }

  /**
   * Closes the store and keeps the folder locked.
   *
   * @returns releases the lock
   */
  async handOver(): Promise<Release> {
    this.#closing ??= this.#close()
    await this.#closing
    return this.#release
  }

  async #close(): Promise<void> {
    const wasOpen = this.#refusal === undefined
    this.#closed ??= 'The store is closed'
    await this.engine.idle()
    await this.#writer.settled()
    await this.#compacting
    const run = this.#runnerFor(this.#snapshotBytes + this.#writer.length)
    await this.#writer.close()
    // Includes journals of an earlier run that could not be compacted at start.
    const hasJournal = wasOpen && (await journalFiles(this.#folder, this.#disk).catch(() => [])).length > 0
    if (hasJournal) await this.#compact(() => run({ folder: this.#folder }))
  }

  /** Runs compactions of so many bytes: in this thread where that is faster than to start another. */
  #runnerFor(bytes: number): CompactionRunner {
    return bytes < SMALL ? (task) => compactFiles(task, this.#disk) : this.#runCompaction
  }
}

/** Files below this size are compacted by this thread, which is faster than to start another. In bytes. */
const SMALL = 4 << 20

const ACCEPT = 'To accept it unchanged: admin compact --accept'

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

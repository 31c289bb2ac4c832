import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Low } from 'lowdb'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { Journal, journalFiles, SyncFailure } from './journal.ts'
import { encodeEntry } from './journal-format.ts'
import { acquireLock } from './lock.ts'
import { MemoryStore } from './memory.ts'
import { readBeside, recover, snapshotSize } from './recovery.ts'
import { inOrder } from './replay.ts'
import type { Snapshot, TableSnapshot } from './snapshot.ts'
import type { Change, Operation, Outcome, StoredRecord, TransactionMode } from './store.ts'

/** The journal is folded into the snapshot when it is longer than this, and longer than the snapshot. In bytes. */
const MIN_JOURNAL_BYTES = 4 << 20

/** A transaction that is applied in memory and waits for its line to be written. */
interface Unsaved {
  readonly line: Buffer
  readonly changes: readonly Change[]
  readonly saved: () => void
  readonly failed: (error: unknown) => void
}

/** What the store takes from outside, for tests. */
export interface FileStoreOptions {
  readonly disk?: Disk
  readonly minJournalBytes?: number
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
  readonly #snapshot: Low<Snapshot>
  readonly #minJournalBytes: number
  readonly #release: () => Promise<void>
  readonly #warn: (message: string) => void
  /** Tables of models that are not registered at present: kept, not served. */
  readonly #dormant: ReadonlyMap<string, TableSnapshot>
  #journal: Journal | undefined
  /** The last transaction that was given a number, and the last that is on disk. */
  #sequence: number
  #durable: number
  #snapshotBytes = 0
  #unsaved: Unsaved[] = []
  #saving: Promise<void> | undefined
  #compacting: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** Why no more writes are taken, if none are. */
  #refusal: string | undefined

  private constructor(
    registry: Registry,
    folder: string,
    snapshot: Low<Snapshot>,
    release: () => Promise<void>,
    options: FileStoreOptions,
  ) {
    super(registry)
    this.#folder = folder
    this.#disk = options.disk ?? nodeDisk
    this.#minJournalBytes = options.minJournalBytes ?? MIN_JOURNAL_BYTES
    this.#snapshot = snapshot
    this.#release = release
    this.#warn = options.warn ?? (() => {})
    this.#sequence = snapshot.data.sequence
    this.#durable = snapshot.data.sequence
    const dormant = [...snapshot.data.tables].filter(([name]) => !this.engine.tables.has(name))
    this.#dormant = new Map(dormant)
    for (const [name, table] of this.engine.tables) {
      const stored = snapshot.data.tables.get(name)
      for (const record of stored?.records ?? []) table.replace(record.id, record)
      table.nextId = Math.max(table.nextId, stored?.nextId ?? 1)
    }
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
    const { disk = nodeDisk, warn = () => {} } = options
    if (mode === 'read') {
      const store = new FileStore(registry, folder, await readBeside(folder, disk), async () => {}, options)
      store.#refusal = 'The store was opened for reading'
      return store
    }
    await makeFolder(folder)
    const release = await acquireLock(join(folder, 'lock'))
    try {
      const snapshot = await recover(folder, disk, warn)
      const store = new FileStore(registry, folder, snapshot, release, options)
      // The last run did not end cleanly: its journal is folded in before another is begun.
      if ((await journalFiles(folder, disk)).length > 0) await store.#compact(snapshot.data)
      else store.#snapshotBytes = await snapshotSize(folder)
      return store
    } catch (error) {
      await release()
      throw error
    }
  }

  /** True until the first transaction: there are no records of any model. */
  get isNew(): boolean {
    return this.#durable === 0 && this.#snapshot.data.tables.size === 0
  }

  override async transact(operations: readonly Operation[], mode: TransactionMode = 'commit'): Promise<Outcome> {
    if (this.#refusal !== undefined) throw new AppError('STORE_UNAVAILABLE', this.#refusal)
    const outcome = this.engine.transact(operations, mode)
    if (mode === 'commit' && outcome.ok && operations.length > 0) await this.#save(outcome.changes, operations)
    return outcome
  }

  #save(changes: readonly Change[], operations: readonly Operation[]): Promise<void> {
    const touched = new Set([...operations.map(({ table }) => table), ...changes.map(({ table }) => table)])
    const nextIds = new Map([...touched].map((name) => [name, this.engine.table(name).nextId]))
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
        await this.#journal.append(Buffer.concat(batch.map(({ line }) => line)))
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
    const isLong = length > this.#minJournalBytes && length > this.#snapshotBytes
    if (!isLong || this.#journal === undefined || this.#compacting !== undefined || this.#refusal !== undefined) return
    const view = this.#view()
    try {
      await this.#journal.rotate(this.#durable + 1)
    } catch (error) {
      this.#warn(`The journal could not be sealed and goes on growing: ${reasonOf(error)}`)
      return
    }
    this.#compacting = this.#compact(view).finally(() => {
      this.#compacting = undefined
    })
  }

  /** Writes a snapshot and removes the journals that it makes superfluous. When that fails they stay, and nothing is lost. */
  async #compact(view: Snapshot): Promise<void> {
    const previous = this.#snapshot.data
    try {
      this.#snapshot.data = view
      await this.#snapshot.write()
      this.#snapshotBytes = await snapshotSize(this.#folder)
      for (const path of await journalFiles(this.#folder, this.#disk)) {
        if (path !== this.#journal?.path) await this.#disk.remove(path)
      }
    } catch (error) {
      this.#snapshot.data = previous
      this.#warn(`The journal could not be folded into db.json, and is kept: ${reasonOf(error)}`)
    }
  }

  /** Everything that is on disk, as it stands in memory: without the transactions that still wait. */
  #view(): Snapshot {
    const waiting = new Map<string, Map<number, StoredRecord | undefined>>()
    for (const { changes } of this.#unsaved.toReversed()) {
      for (const { table, id, before } of changes) {
        waiting.set(table, (waiting.get(table) ?? new Map<number, StoredRecord | undefined>()).set(id, before))
      }
    }
    const tables = new Map<string, TableSnapshot>(this.#dormant)
    for (const [name, table] of this.engine.tables) {
      const { nextId } = table
      const records = new Map(table.recordsAt(table.all.slice(0, table.size)).map((record) => [record.id, record]))
      const undone = waiting.get(name)
      const kept = undone === undefined ? records : new Map([...records, ...undone])
      const present = [...kept.values()].filter((record) => record !== undefined)
      tables.set(name, { nextId, records: inOrder(present) })
    }
    return { sequence: this.#durable, tables }
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const wasOpen = this.#refusal === undefined
    this.#refusal ??= 'The store is closed'
    await this.#saving
    await this.#compacting
    await this.#journal?.close().catch(() => {})
    const hasJournal = this.#journal !== undefined
    this.#journal = undefined
    if (wasOpen && hasJournal) await this.#compact(this.#view())
    await this.#release()
  }
}

const UNCONFIRMED =
  'The disk did not confirm the change, so it is not known whether it was kept; the server must be started again'

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw new AppError('TASK_FAILED', `The data folder ${path} cannot be made: ${cause.message}`, { cause })
  })
}

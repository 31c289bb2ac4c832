import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Low } from 'lowdb'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import { acquireLock } from './lock.ts'
import { MemoryStore } from './memory.ts'
import { type Snapshot, SnapshotAdapter, type TableSnapshot } from './snapshot.ts'
import type { Change, Operation, Outcome, TransactionMode } from './store.ts'

interface Unsaved {
  readonly changes: readonly Change[]
  readonly saved: () => void
  readonly failed: (error: unknown) => void
}

/**
 * A store in `<folder>/db.json`, on lowdb. A transaction resolves once its changes are on disk; those that wait at the same
 * time share one write. When a write fails, everything since the last good one is taken back.
 */
export class FileStore extends MemoryStore {
  readonly #file: Low<Snapshot>
  readonly #release: () => Promise<void>
  /** Tables of models that are not registered at present: kept, not served. */
  readonly #dormant = new Map<string, TableSnapshot>()
  /** Applied in memory, not yet part of any write. */
  #unsaved: Unsaved[] = []
  #saving: Promise<void> | undefined
  #closed = false

  private constructor(registry: Registry, file: Low<Snapshot>, release: () => Promise<void>) {
    super(registry)
    this.#file = file
    this.#release = release
  }

  /**
   * Opens the store in a folder, which is made when it is not there.
   *
   * @param mode `write` takes the folder for this process; `read` looks at what is on disk and takes nothing
   * @throws {AppError} DATA_IN_USE, DATA_CORRUPT
   */
  static async open(folder: string, registry: Registry, mode: 'read' | 'write'): Promise<FileStore> {
    if (mode === 'write') await makeFolder(folder)
    const release = mode === 'write' ? await acquireLock(join(folder, 'lock')) : async () => {}
    try {
      const file = new Low<Snapshot>(new SnapshotAdapter(join(folder, 'db.json')), { tables: new Map() })
      await file.read()
      const store = new FileStore(registry, file, release)
      store.#load(file.data)
      store.#closed = mode === 'read'
      return store
    } catch (error) {
      await release()
      throw error
    }
  }

  /** True until the first transaction: there are no records of any model. */
  get isNew(): boolean {
    return this.#file.data.tables.size === 0
  }

  #load({ tables }: Snapshot): void {
    for (const [name, snapshot] of tables) {
      const table = this.engine.tables.get(name)
      if (table === undefined) {
        this.#dormant.set(name, snapshot)
        continue
      }
      for (const record of snapshot.records) table.replace(record.id, record)
      table.nextId = snapshot.nextId
    }
  }

  override async transact(operations: readonly Operation[], mode: TransactionMode = 'commit'): Promise<Outcome> {
    if (this.#closed) throw new AppError('STORE_UNAVAILABLE', 'The store is closed for writing')
    const outcome = this.engine.transact(operations, mode)
    if (mode === 'commit' && outcome.ok && outcome.changes.length > 0) await this.#save(outcome.changes)
    return outcome
  }

  #save(changes: readonly Change[]): Promise<void> {
    return new Promise((saved, failed) => {
      this.#unsaved.push({ changes, saved, failed })
      this.#saving ??= this.#saveAll()
    })
  }

  async #saveAll(): Promise<void> {
    while (this.#unsaved.length > 0) {
      const batch = this.#unsaved
      this.#unsaved = []
      const lastSaved = this.#file.data
      try {
        this.#file.data = this.#snapshot()
        await this.#file.write()
        for (const { saved } of batch) saved()
      } catch (cause) {
        // Later transactions stand on the ones that failed, so they go too.
        this.#file.data = lastSaved
        const lost = [...batch, ...this.#unsaved]
        this.#unsaved = []
        for (const { changes } of lost.toReversed()) this.engine.revert(changes)
        const error = new AppError('STORE_UNAVAILABLE', 'The change could not be written to disk; nothing was changed', { cause })
        for (const { failed } of lost) failed(error)
      }
    }
    this.#saving = undefined
  }

  #snapshot(): Snapshot {
    const tables = new Map<string, TableSnapshot>()
    for (const [name, { nextId, records }] of this.engine.tables) {
      tables.set(name, { nextId, records: [...records.values()].sort((a, b) => a.id - b.id) })
    }
    return { tables: new Map([...tables, ...this.#dormant]) }
  }

  override async close(): Promise<void> {
    this.#closed = true
    await this.#saving
    await this.#release()
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw new AppError('TASK_FAILED', `The data folder ${path} cannot be made: ${cause.message}`, { cause })
  })
}

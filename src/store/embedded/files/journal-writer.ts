import { AppError } from '../../../errors.ts'
import type { Change } from '../../store.ts'
import type { Disk } from './disk.ts'
import { Journal, SyncFailure } from './journal.ts'
import { encodeEntry } from './journal-format.ts'

/** A transaction that is applied in memory and not yet written. */
interface PendingTransaction {
  readonly lines: Iterable<string>
  readonly changes: readonly Change[]
  readonly saved: () => void
  readonly failed: (error: unknown) => void
}

/** Callbacks of the journal writer. */
export interface JournalWriterOptions {
  readonly folder: string
  readonly disk: Disk
  /** The last durable transaction. */
  readonly last: number
  /** Reverts changes in memory that did not become durable; called for the latest transaction first. */
  readonly revert: (changes: readonly Change[]) => void
  /** Called before each write, with the first transaction and the name of the file. */
  readonly writing?: (first: number, file: string) => Promise<void> | undefined
  /** Called after each write, before the next. */
  readonly written: () => Promise<void>
}

/**
 * Writes transactions to the journal. Each resolves once its line is synced to disk. Transactions that wait at the same time
 * share one write and one sync (group commit).
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions
  #journal: Journal | undefined
  /** The last numbered transaction, and the last durable one. */
  #sequence: number
  #durable: number
  #pending: PendingTransaction[] = []
  #writing: Promise<void> | undefined
  #refusal: string | undefined

  constructor(options: JournalWriterOptions) {
    this.#options = options
    this.#sequence = options.last
    this.#durable = options.last
  }

  /** The last durable transaction. */
  get last(): number {
    return this.#durable
  }

  /** Name of the present journal file; undefined before the first transaction. */
  get file(): string | undefined {
    return this.#journal?.name
  }

  /** Length of the present journal file, in bytes. */
  get length(): number {
    return this.#journal?.length ?? 0
  }

  /** Why no more transactions can be written, if so. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /**
   * @param nextIds the next id of each table that the transaction touched
   * @throws {AppError} STORE_UNAVAILABLE; then this and all later transactions were reverted
   */
  save(changes: readonly Change[], nextIds: ReadonlyMap<string, number>): Promise<void> {
    const lines = encodeEntry(this.#sequence + 1, changes, nextIds)
    this.#sequence++
    return new Promise((saved, failed) => {
      this.#pending.push({ lines, changes, saved, failed })
      this.#writing ??= this.#writeAll()
    })
  }

  /** Resolves when no transaction waits to be written. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  /**
   * Starts another file; called within `written`. If that fails nothing has changed.
   *
   * @returns its first transaction
   */
  async rotate(): Promise<number> {
    const first = this.#durable + 1
    await this.#journal?.rotate(first)
    return first
  }

  /**
   * Starts another file, so that the present one is complete.
   *
   * @returns the first transaction of the new file
   * @throws {AppError} STORE_UNAVAILABLE
   */
  async seal(): Promise<number> {
    while (this.#writing !== undefined) await this.#writing
    if (this.#refusal !== undefined) throw new AppError('STORE_UNAVAILABLE', this.#refusal)
    if (this.length === 0) return this.#durable + 1
    const sealing = this.rotate()
    // Later writes wait for the new file.
    this.#writing = sealing.then(
      () => this.#writeAll(),
      () => this.#writeAll(),
    )
    return sealing
  }

  /** What was written is durable, whether or not closing succeeds. */
  async close(): Promise<void> {
    await this.settled()
    await this.#journal?.close().catch(() => {})
    this.#journal = undefined
  }

  async #writeAll(): Promise<void> {
    const { folder, disk, writing, written } = this.#options
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      try {
        this.#journal ??= await Journal.create(folder, disk, this.#durable + 1)
        await writing?.(this.#journal.first, this.#journal.name)
        await this.#journal.append(chunksOf(batch))
        this.#durable += batch.length
        for (const { saved } of batch) saved()
      } catch (error) {
        this.#revertLost(batch, error)
      }
      await written()
    }
    this.#writing = undefined
  }

  /** Reverts changes that did not become durable, and all later ones, which build on them. */
  #revertLost(batch: readonly PendingTransaction[], cause: unknown): void {
    const lost = [...batch, ...this.#pending]
    this.#pending = []
    for (const { changes } of lost.toReversed()) this.#options.revert(changes)
    this.#sequence = this.#durable
    if (cause instanceof SyncFailure) this.#refusal = UNRELIABLE
    const words = cause instanceof SyncFailure ? UNCONFIRMED : 'The change could not be written to disk; nothing was changed'
    const error = new AppError('STORE_UNAVAILABLE', words, { cause })
    for (const { failed } of lost) failed(error)
  }
}

/** A write has at most this many characters, unless a line is longer. */
const CHUNK_LENGTH = 1 << 20

/** The lines of transactions, in as few writes as possible. */
function* chunksOf(batch: readonly PendingTransaction[]): Generator<Uint8Array> {
  let text = ''
  for (const { lines } of batch) {
    for (const line of lines) {
      if (text.length + line.length > CHUNK_LENGTH && text !== '') {
        yield Buffer.from(text)
        text = ''
      }
      text += line
    }
  }
  yield Buffer.from(text)
}

const UNRELIABLE = 'A disk sync failed, so no writes are accepted until the server is restarted'
const UNCONFIRMED = 'The disk sync failed, so it is unknown whether the change is stored; restart the server'

import { AppError } from '../../../errors.ts'
import type { Change } from '../../store.ts'
import type { Disk } from '../files/disk.ts'
import { encodeEntry } from './format.ts'
import { Journal, SyncFailure } from './journal.ts'

/** A transaction that is applied in memory and waits for its line to be written. */
interface Unsaved {
  readonly line: string
  readonly changes: readonly Change[]
  readonly saved: () => void
  readonly failed: (error: unknown) => void
}

/** Who lets transactions be written. */
export interface JournalWriterOptions {
  readonly folder: string
  readonly disk: Disk
  /** The last transaction that is on disk. */
  readonly last: number
  /** Undoes in memory what did not reach the disk; asked of the latest transaction first. */
  readonly revert: (changes: readonly Change[]) => void
  /** Called after each write, before the next. */
  readonly written: () => Promise<void>
}

/**
 * Writes transactions into the journal. Each resolves once its line is there and the disk has confirmed it; those that wait at the
 * same time share one write.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions
  #journal: Journal | undefined
  /** The last transaction that was given a number, and the last that is on disk. */
  #sequence: number
  #durable: number
  #unsaved: Unsaved[] = []
  #saving: Promise<void> | undefined
  #refusal: string | undefined

  constructor(options: JournalWriterOptions) {
    this.#options = options
    this.#sequence = options.last
    this.#durable = options.last
  }

  /** The last transaction that is on disk. */
  get last(): number {
    return this.#durable
  }

  /** Of the file that is being written, in bytes. */
  get length(): number {
    return this.#journal?.length ?? 0
  }

  /** Why nothing more can be written, if so. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /**
   * @param nextIds the next id of each table that the transaction touched
   * @throws {AppError} STORE_UNAVAILABLE; then its changes were taken back, and those of all that came after it
   */
  save(changes: readonly Change[], nextIds: ReadonlyMap<string, number>): Promise<void> {
    const line = encodeEntry(this.#sequence + 1, changes, nextIds)
    this.#sequence++
    return new Promise((saved, failed) => {
      this.#unsaved.push({ line, changes, saved, failed })
      this.#saving ??= this.#saveAll()
    })
  }

  /** Resolves when nothing waits to be written. */
  async settled(): Promise<void> {
    while (this.#saving !== undefined) await this.#saving
  }

  /**
   * Begins another file, from within `written`. When that fails, all is as before.
   *
   * @returns its first transaction
   */
  async rotate(): Promise<number> {
    const first = this.#durable + 1
    await this.#journal?.rotate(first)
    return first
  }

  /**
   * Begins another file, so that what is written up to now is complete.
   *
   * @returns the first transaction that is not
   * @throws {AppError} STORE_UNAVAILABLE
   */
  async seal(): Promise<number> {
    while (this.#saving !== undefined) await this.#saving
    if (this.#refusal !== undefined) throw new AppError('STORE_UNAVAILABLE', this.#refusal)
    if (this.length === 0) return this.#durable + 1
    const sealing = this.rotate()
    // Who writes now waits for the other file.
    this.#saving = sealing.then(
      () => this.#saveAll(),
      () => this.#saveAll(),
    )
    return sealing
  }

  /** What is written already is whole, whatever closing says. */
  async close(): Promise<void> {
    await this.settled()
    await this.#journal?.close().catch(() => {})
    this.#journal = undefined
  }

  async #saveAll(): Promise<void> {
    const { folder, disk, written } = this.#options
    while (this.#unsaved.length > 0) {
      const batch = this.#unsaved
      this.#unsaved = []
      try {
        this.#journal ??= await Journal.begin(folder, disk, this.#durable + 1)
        await this.#journal.append(Buffer.from(batch.map(({ line }) => line).join('')))
        this.#durable += batch.length
        for (const { saved } of batch) saved()
      } catch (error) {
        this.#takeBack(batch, error)
      }
      await written()
    }
    this.#saving = undefined
  }

  /** Undoes in memory what did not reach the disk, and what was built on it since. */
  #takeBack(batch: readonly Unsaved[], cause: unknown): void {
    const lost = [...batch, ...this.#unsaved]
    this.#unsaved = []
    for (const { changes } of lost.toReversed()) this.#options.revert(changes)
    this.#sequence = this.#durable
    if (cause instanceof SyncFailure) this.#refusal = UNRELIABLE
    const words = cause instanceof SyncFailure ? UNCONFIRMED : 'The change could not be written to disk; nothing was changed'
    const error = new AppError('STORE_UNAVAILABLE', words, { cause })
    for (const { failed } of lost) failed(error)
  }
}

const UNRELIABLE = 'The disk failed to confirm a write, so no more are taken until the server is started again'
const UNCONFIRMED =
  'The disk did not confirm the change, so it is not known whether it was kept; the server must be started again'

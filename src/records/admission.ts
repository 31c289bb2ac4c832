import type { AccessRules } from '../access/access-rules.ts'
import { checkPresentRights } from '../access/present-rights.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../util/clock.ts'
import { type Heap, isNearlyFull } from '../util/heap.ts'

/** Minimum time between collections of garbage that the guard asks for, in milliseconds. */
const BETWEEN_COLLECTIONS = 60_000

/**
 * Refuses what makes the store grow while the heap that it is in is nearly full: a process whose heap is full ends, and ends again at each start.
 * Reads, deletions and logins go on.
 */
export class MemoryGuard {
  readonly #heap: Heap | undefined
  readonly #clock: Clock
  #hasRemoved = false
  #collectedAt = Number.NEGATIVE_INFINITY

  /** @param heap the heap of the store's process; undefined for a store in another process */
  constructor(heap: Heap | undefined, clock: Clock) {
    this.#heap = heap
    this.#clock = clock
  }

  /** Called after a deletion. */
  removed(): void {
    this.#hasRemoved = true
  }

  /** @throws {AppError} MEMORY_FULL */
  throwIfFull(): void {
    const heap = this.#heap
    if (heap === undefined || !isNearlyFull(heap.use())) return
    this.#collectRemoved(heap)
    const use = heap.use()
    if (!isNearlyFull(use)) return
    const [used, limit] = [use.used, use.limit].map((bytes) => Math.round(bytes / 2 ** 20))
    throw new AppError(
      'MEMORY_FULL',
      `All records are in the heap of the server, of which ${used} of ${limit} MiB are used, so none is created or changed. ` +
        `Start the server with a larger heap, such as NODE_OPTIONS=--max-old-space-size=${2 * (limit ?? 0)}, keep the records in PostgreSQL, ` +
        'or delete records',
    )
  }

  /** Deleted records count until garbage is collected. V8 does that when the heap grows, which it does not while writes are refused. */
  #collectRemoved(heap: Heap): void {
    if (!this.#hasRemoved || this.#clock() - this.#collectedAt < BETWEEN_COLLECTIONS) return
    this.#hasRemoved = false
    this.#collectedAt = this.#clock()
    heap.collect()
  }
}

/** A write of more records than this takes several turns of the event loop, in which other requests are answered. */
export const LARGE = 100

/**
 * When writes run and commit beside others. A write of many records is drafted between other requests, so that a few steady small writes to
 * its records would make it begin again without end; once overtaken it runs alone. In a store that other processes share, writes of a record
 * follow each other once one of them was overtaken: each would overtake all the others.
 */
export class WriteTurns {
  readonly #store: Store
  readonly #access: AccessRules
  #turn: Promise<void> | undefined
  /** The end of the last turn of each record that writes wait for. */
  readonly #records = new Map<string, Promise<void>>()
  /** The end of the last turn of writes with code. */
  #lastOfCode: Promise<void> | undefined

  constructor(store: Store, access: AccessRules) {
    this.#store = store
    this.#access = access
  }

  /** Runs a write as soon as no other one runs alone. */
  async beside<T>(write: () => Promise<T>): Promise<T> {
    while (this.#turn !== undefined) await this.#turn
    return write()
  }

  /** Runs a write that the writes which begin later wait for. */
  async alone<T>(write: () => Promise<T>): Promise<T> {
    while (this.#turn !== undefined) await this.#turn
    let end = () => {}
    this.#turn = new Promise((resolve) => {
      end = resolve
    })
    try {
      return await write()
    } finally {
      this.#turn = undefined
      end()
    }
  }

  /** True if a write that runs code of the project waits for its turn. */
  get isCodeAwaited(): boolean {
    return this.#lastOfCode !== undefined
  }

  /** Runs a write with code of the project when those that came before have had their turns. Writes without code do not wait for it. */
  async inTurnOfCode<T>(write: () => Promise<T>): Promise<T> {
    const before = this.#lastOfCode
    let end = () => {}
    const turn = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#lastOfCode = turn
    await before
    try {
      return await write()
    } finally {
      if (this.#lastOfCode === turn) this.#lastOfCode = undefined
      end()
    }
  }

  /** True if a write has its turn, or waits for it, at one of these records. */
  areAwaited(table: string, ids: readonly number[]): boolean {
    return this.#records.size > 0 && ids.some((id) => this.#records.has(keyOf(table, id)))
  }

  /**
   * Runs a write when the writes of these records that came before have had their turns.
   *
   * @param write ends its turn by `next`, or when it settles
   */
  async inTurn<T>(table: string, ids: readonly number[], write: (next: () => void) => Promise<T>): Promise<T> {
    const keys = ids.map((id) => keyOf(table, id))
    const before = keys.flatMap((key) => this.#records.get(key) ?? [])
    let end = () => {}
    const turn = new Promise<void>((resolve) => {
      end = resolve
    })
    // A write takes its place at all of its records at once, so no two wait for each other.
    for (const key of keys) this.#records.set(key, turn)
    await Promise.all(before)
    try {
      return await write(end)
    } finally {
      for (const key of keys) if (this.#records.get(key) === turn) this.#records.delete(key)
      end()
    }
  }

  /**
   * Resolves when a write may commit: no other transaction runs, and the actor of a write that waited or is large still has its rights.
   *
   * @throws {AppError} UNAUTHENTICATED, WRITE_CONFLICT
   */
  async admitted(actor: Actor, size: number): Promise<void> {
    let wait = this.#store.running
    if (wait === undefined && size <= LARGE) return
    do {
      while (wait !== undefined) {
        await wait
        wait = this.#store.running
      }
      await checkPresentRights(this.#store, this.#access, actor)
      wait = this.#store.running
    } while (wait !== undefined)
  }
}

const keyOf = (table: string, id: number): string => `${table} ${id}`

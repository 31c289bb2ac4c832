import type { JsonObject } from '../util/json.ts'
import type { SearchField } from './scorer.ts'
import { SearchIndex } from './search-index.ts'
import { textOf } from './tokens.ts'

/** Maximum time of one slice while an index is built, in milliseconds. */
const SLICE_MS = 8
/** Share of a slice of pending changes that is applied in idle time, once several turns of the event loop brought no change. */
const A_FEW = 1 / 16
const QUIET_TURNS = 6
/** Maximum time of such an idle slice, in milliseconds. */
const QUIET_SLICE_MS = 0.05
/** An index with more dead words than this, and more dead than live ones, is rebuilt. */
const MIN_WASTED = 1_000_000

/** A record as a store returns it. */
type Indexable = JsonObject & { readonly id: number }

export interface LiveIndexOptions {
  readonly fields: readonly SearchField[]
  /** Returns all records in batches, as of the first one. */
  readonly records: () => AsyncIterable<readonly Indexable[]>
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Runs a callback in the next turn of the event loop. */
  readonly later: (run: () => void) => void
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>
  /** Yields during a build, which may take long; defaults to `pause`. */
  readonly rest?: () => Promise<void>
  /** Called when an index cannot apply a change and is therefore incomplete. */
  readonly failed: (error: unknown) => void
}

/** A search index that is built in slices and receives every change, also during the build. */
export class LiveIndex {
  readonly #options: LiveIndexOptions
  #ready: SearchIndex | undefined
  #next: SearchIndex | undefined
  /** Records changed or removed during a build; their earlier content from the store is ignored. */
  readonly #changed = new Set<number>()
  #building: Promise<void> | undefined
  #catching: Promise<void> | undefined
  /** Number of changes received. */
  #noted = 0
  /** That number in the previous turn of the event loop, and the number of turns without a change. */
  #seen = 0
  #quietTurns = 0
  #isWatching = false

  constructor(options: LiveIndexOptions) {
    this.#options = options
  }

  /** The index with all changes applied, once built. To be queried only when `catchUp` returns undefined. */
  get ready(): SearchIndex | undefined {
    this.#settle(() => false)
    return this.#ready
  }

  /** Applies pending changes in slices if there are many; undefined if there is nothing to wait for. */
  catchUp(): Promise<void> | undefined {
    if (this.#backlog >= 1) this.#catching ??= this.#catchUp()
    return this.#catching
  }

  async #catchUp(): Promise<void> {
    const { now, pause } = this.#options
    do {
      await pause()
      const begun = now()
      this.#settle(() => now() - begun >= SLICE_MS)
    } while (this.#backlog >= 1)
    this.#catching = undefined
  }

  /**
   * Applies a few changes at a time while the event loop is idle: clients that wait for the disk leave enough time. Without
   * idle time, changes accumulate to a slice.
   */
  readonly #watch = (): void => {
    const { now, later } = this.#options
    this.#quietTurns = this.#noted === this.#seen ? this.#quietTurns + 1 : 0
    this.#seen = this.#noted
    if (this.#quietTurns >= QUIET_TURNS) {
      this.#quietTurns = 0
      const begun = now()
      this.#settle(() => now() - begun >= QUIET_SLICE_MS)
    }
    this.#isWatching = this.#backlog >= A_FEW
    if (this.#isWatching) later(this.#watch)
  }

  get #backlog(): number {
    return Math.max(this.#ready?.backlog ?? 0, this.#next?.backlog ?? 0)
  }

  /** An index that fails to apply a change is incomplete and therefore dropped. */
  #settle(isOver: () => boolean): void {
    try {
      this.#ready?.settle(isOver)
      if (!isOver()) this.#next?.settle(isOver)
    } catch (error) {
      this.#ready = undefined
      this.#next = undefined
      this.#options.failed(error)
    }
  }

  /** Starts the build, unless it has been started. Resolves when the index is complete. */
  build(): Promise<void> {
    if (this.#ready !== undefined) return Promise.resolve()
    return this.#rebuild()
  }

  /** Records a change, in the step that applies it. */
  note(id: number, before: JsonObject | undefined, after: JsonObject | undefined): void {
    if (this.#ready === undefined && this.#next === undefined) return
    if (before !== undefined && after !== undefined && this.#isAlike(before, after)) return
    this.#ready?.replace(id, after)
    if (this.#next !== undefined) {
      this.#next.replace(id, after)
      this.#changed.add(id)
    }
    this.#noted++
    void this.catchUp()
    if (!this.#isWatching && this.#backlog >= A_FEW) {
      this.#isWatching = true
      this.#options.later(this.#watch)
    }
    const { live, wasted } = this.#ready?.words ?? { live: 0, wasted: 0 }
    // If the rebuild fails, the present index stays in use and the next change tries again.
    if (wasted > Math.max(MIN_WASTED, live)) this.#rebuild().catch(() => {})
  }

  #isAlike(before: JsonObject, after: JsonObject): boolean {
    return this.#options.fields.every(({ name }) => before[name] === after[name] || textOf(before, name) === textOf(after, name))
  }

  #rebuild(): Promise<void> {
    this.#building ??= this.#make().finally(() => {
      this.#building = undefined
      this.#next = undefined
      this.#changed.clear()
    })
    return this.#building
  }

  async #make(): Promise<void> {
    const { fields, records, now, pause, rest = pause } = this.#options
    const index = new SearchIndex(fields)
    this.#next = index
    let begun = now()
    const isOver = () => now() - begun >= SLICE_MS
    const restIfOver = async () => {
      if (!isOver()) return
      await rest()
      begun = now()
    }
    for await (const batch of records()) {
      for (const record of batch) {
        if (!this.#changed.has(record.id)) index.replace(record.id, record)
        // A long record takes several slices.
        while (index.backlog >= 1) {
          index.settle(isOver)
          await restIfOver()
        }
        await restIfOver()
      }
    }
    while (!index.isSettled) {
      index.settle(isOver)
      await restIfOver()
    }
    this.#ready = index
  }
}

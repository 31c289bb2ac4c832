import type { JsonObject } from '../util/json.ts'
import { type SearchField, SearchIndex, textOf } from './search-index.ts'

/** How long the event loop is kept from others while an index is made, in milliseconds. */
const SLICE_MS = 8
/** This part of a slice is worth being worked in before there is a slice, once some turns of the event loop brought no change … */
const A_FEW = 1 / 16
const QUIET_TURNS = 6
/** … and nobody is kept waiting for longer, in milliseconds. */
const QUIET_SLICE_MS = 0.05
/** An index that holds more words in vain than this, and than those that count, is made anew. */
const MIN_WASTED = 1_000_000

/** A record as it comes from a store. */
type Indexable = JsonObject & { readonly id: number }

export interface LiveIndexOptions {
  readonly fields: readonly SearchField[]
  /** All records there are, in batches, as they are when the first is asked for. */
  readonly records: () => AsyncIterable<readonly Indexable[]>
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number
  /** Runs something in the next turn of the event loop. */
  readonly later: (run: () => void) => void
  /** Lets others have the event loop. */
  readonly pause: () => Promise<void>
  /** The same while an index is made, which may take long: `pause` when absent. */
  readonly rest?: () => Promise<void>
  /** Told when an index cannot go on: it knows less than there is. */
  readonly failed: (error: unknown) => void
}

/** A search index that is made a slice at a time and takes every change as it comes, while it is made as well. */
export class LiveIndex {
  readonly #options: LiveIndexOptions
  #ready: SearchIndex | undefined
  #next: SearchIndex | undefined
  /** Records that changed or went while an index is made: what the store gave before no longer counts. */
  readonly #changed = new Set<number>()
  #building: Promise<void> | undefined
  #catching: Promise<void> | undefined
  /** Counts the changes that it was told of. */
  #noted = 0
  /** How many there were in the turn of the event loop before, and how many turns brought no other. */
  #seen = 0
  #quietTurns = 0
  #isWatching = false

  constructor(options: LiveIndexOptions) {
    this.#options = options
  }

  /** The index, once there is one, with all changes that there were: to be asked when there is nothing to `catchUp`. */
  get ready(): SearchIndex | undefined {
    this.#settle(() => false)
    return this.#ready
  }

  /** Works in changes when there are many, a slice at a time; undefined when there is nothing to wait for. */
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
   * Works in changes, a few at a time, while nothing else is to be done: those who wait for a disk or for an answer leave more time than
   * it takes. Where there is no such time, changes become a slice.
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

  /** An index that cannot follow knows less than there is, and is no index any more. */
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

  /** Begins to make the index, unless that was begun before. Resolves when there is one. */
  build(): Promise<void> {
    if (this.#ready !== undefined) return Promise.resolve()
    return this.#rebuild()
  }

  /** Takes a change, in the step that applies it. */
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
    // When that fails the old index goes on to serve, and the next change tries again.
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
    for await (const batch of records()) {
      for (const record of batch) {
        if (!this.#changed.has(record.id)) index.replace(record.id, record)
        if (index.backlog >= 1) index.settle(() => now() - begun >= SLICE_MS)
        if (now() - begun < SLICE_MS) continue
        await rest()
        begun = now()
      }
    }
    index.settle()
    this.#ready = index
  }
}

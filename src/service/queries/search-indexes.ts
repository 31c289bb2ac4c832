import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { LiveIndex } from '../../search/live-index.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Change, Store } from '../../store/store.ts'
import type { Traffic } from '../../util/traffic.ts'

/** How long a search waits for its index, and after how long one that waited in vain may come again. */
const PATIENCE_MS = 3000
const RETRY_AFTER_SECONDS = 2
/** Between two slices of an index that is being made, while requests come: they have half of the time at least. In milliseconds. */
const REST_MS = 8

/** What a match is worth in the field that records are known by, and in any other. */
const DISPLAY_WEIGHT = 1
const WEIGHT = 0.5

export interface SearchIndexesOptions {
  readonly registry: Registry
  readonly store: Store
  readonly log: Log
  /** Lets time pass, in milliseconds. */
  readonly wait: (milliseconds: number) => Promise<unknown>
  /** The time in milliseconds, by a clock that nobody sets. */
  readonly now: () => number
  /** Runs something in the next turn of the event loop. */
  readonly later: (run: () => void) => void
  /** Lets others have their turn. */
  readonly pause: () => Promise<unknown>
  /** Tells whether requests come, which go first. */
  readonly traffic: Traffic
}

/**
 * The search indexes, one a model: made in the background when they are first needed, and from then on changed in the very step
 * in which a record changes, so that whoever has written finds what they wrote.
 */
export class SearchIndexes {
  readonly #options: SearchIndexesOptions
  readonly #indexes = new Map<string, LiveIndex>()
  #isClosed = false

  constructor(options: SearchIndexesOptions) {
    this.#options = options
    options.store.onChange((changes) => this.#note(changes))
  }

  /** Makes all of them, one after the other, so that no search has to wait for its own. */
  async prepare(): Promise<void> {
    for (const model of this.#options.registry.public) if (isSearchable(model)) await this.make(model)
  }

  /** Makes the index of a model, however long that takes. */
  async make(model: Model): Promise<void> {
    const known = this.#indexes.get(model.key)
    const index = known ?? this.#begin(model)
    try {
      await index.build()
      if (known === undefined) this.#options.log.debug(`search ${model.key}: an index of ${index.ready?.size} records`)
    } catch (error) {
      if (this.#indexes.get(model.key) === index) this.#drop(model.key, error)
    }
  }

  /**
   * The index of a model, which is waited for if need be: a few seconds.
   *
   * @throws {AppError} SEARCH_NOT_READY
   */
  async of(model: Model): Promise<SearchIndex> {
    const index = this.#indexes.get(model.key)
    const catchingUp = index?.catchUp()
    const known = catchingUp === undefined ? index?.ready : undefined
    if (known !== undefined) return known
    const isDone = async () => {
      await this.make(model)
      await this.#indexes.get(model.key)?.catchUp()
      return true
    }
    const isInTime = await Promise.race([isDone(), this.#options.wait(PATIENCE_MS)])
    const made = isInTime === true ? this.#indexes.get(model.key)?.ready : undefined
    if (made === undefined) throw notReady(`The search index of ${model.name} is not ready yet`)
    return made
  }

  /** What is being made is left as it is, so that it keeps no process from ending. */
  close(): void {
    this.#isClosed = true
  }

  #begin(model: Model): LiveIndex {
    const { store, now, later, pause, wait, traffic } = this.#options
    const unlessClosed = async (pausing: () => Promise<unknown>) => {
      await (this.#isClosed ? new Promise<never>(() => {}) : pausing())
    }
    const index = new LiveIndex({
      fields: model.searchableFields.map(({ name }) => ({ name, weight: name === model.displayField ? DISPLAY_WEIGHT : WEIGHT })),
      records: () => store.stream(model.key, { filters: [], sort: [] }),
      now,
      later,
      pause: () => unlessClosed(pause),
      rest: () => unlessClosed(() => (traffic.isBusy ? wait(REST_MS) : pause())),
      failed: (error) => this.#drop(model.key, error),
    })
    this.#indexes.set(model.key, index)
    return index
  }

  /** What it is told of has happened and must not fail any more; an index that cannot follow is made anew by the next search. */
  #note(changes: readonly Change[]): void {
    for (const { table, id, before, after } of changes) {
      try {
        this.#indexes.get(table)?.note(id, before, after)
      } catch (error) {
        this.#drop(table, error)
      }
    }
  }

  #drop(modelKey: string, error: unknown): void {
    this.#indexes.delete(modelKey)
    this.#options.log.error('A search index failed, and is made anew', { model: modelKey, error })
  }
}

/** True for models that have any text to search. */
export const isSearchable = (model: Model): boolean => model.searchableFields.length > 0

/** The one error for a search that has to come again. */
export const notReady = (why: string): AppError =>
  new AppError('SEARCH_NOT_READY', `${why}; try again in ${RETRY_AFTER_SECONDS} seconds`, { retryAfter: RETRY_AFTER_SECONDS })

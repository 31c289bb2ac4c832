import type { Model } from '../model/model.ts'
import type { Change, Store } from '../store/store.ts'
import { LiveIndex } from './live-index.ts'
import type { ParsedSearch } from './query.ts'
import {
  indexNotReady,
  isSearchable,
  MAX_WAIT_MS,
  REST_MS,
  type SearchEngine,
  type SearchEngineOptions,
  type SearchReading,
  weightedFields,
} from './search-engine.ts'
import type { SearchIndex } from './search-index.ts'

interface SearchIndexesOptions extends SearchEngineOptions {
  readonly store: Store
  /** Runs a callback in the next turn of the event loop. */
  readonly later: (run: () => void) => void
}

/**
 * The search indexes, one a model. An index is built in the background on first use. From then on each change is recorded in
 * the step in which readers see it, so a search always includes the writer's own changes.
 */
export class SearchIndexes implements SearchEngine {
  readonly #options: SearchIndexesOptions
  readonly #indexes = new Map<string, LiveIndex>()
  #isClosed = false

  constructor(options: SearchIndexesOptions) {
    this.#options = options
    options.store.onChange((changes) => this.#note(changes))
  }

  async prepare(): Promise<void> {
    for (const model of this.#options.registry.public) if (isSearchable(model)) await this.make(model)
  }

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
   * Returns the index of a model; waits for it a few seconds if it is being built.
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
    const isInTime = await Promise.race([isDone(), this.#options.wait(MAX_WAIT_MS)])
    const made = isInTime === true ? this.#indexes.get(model.key)?.ready : undefined
    if (made === undefined) throw indexNotReady(model)
    return made
  }

  async within<T>(model: Model, _: ParsedSearch, work: (reading: SearchReading) => Promise<T>): Promise<T> {
    const index = await this.of(model)
    const { version } = index
    const isCurrent = () => index.version === version
    const { store: records } = this.#options
    return work({ index, records, isCurrent, isComplete: true, countMissing: async () => 0, narrow: async () => {} })
  }

  /** Abandons a build in progress, so that it does not keep the process alive. */
  close(): void {
    this.#isClosed = true
  }

  #begin(model: Model): LiveIndex {
    const { store, now, later, pause, wait, traffic } = this.#options
    const unlessClosed = async (pausing: () => Promise<unknown>) => {
      await (this.#isClosed ? new Promise<never>(() => {}) : pausing())
    }
    const index = new LiveIndex({
      fields: weightedFields(model),
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

  /** The change is committed and must not fail here. An index that cannot apply it is dropped and rebuilt by the next search. */
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
    this.#options.log.error('A search index failed and will be rebuilt', { model: modelKey, error })
  }
}

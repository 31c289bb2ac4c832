import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Filter } from '../query/plan.ts'
import type { ReadOptions, Store } from '../store/store.ts'
import type { RequestPace } from '../util/traffic.ts'
import type { ParsedSearch } from './query.ts'
import type { SearchField } from './scorer.ts'
import type { SearchIndex } from './search-index.ts'

/** Maximum time that a complete search waits for its index, and the `Retry-After` of a search that waited in vain. In milliseconds. */
export const MAX_WAIT_MS = 3000
const RETRY_AFTER_SECONDS = 2
/** Pause between two slices of index building while requests arrive, in milliseconds. Requests get at least half of the time. */
export const REST_MS = 8

/** Weight of a match in the display field; other fields have the weight below. */
const DISPLAY_WEIGHT = 1
const WEIGHT = 0.5

/** What a search reads. */
export interface SearchReading {
  /** An index that answers the query. */
  readonly index: SearchIndex
  readonly records: Pick<Store, 'get' | 'find' | 'matching'>
  /** False if the index changed since it was obtained. */
  isCurrent(): boolean
  /** False if the index lacks records, or has some as they were. */
  readonly isComplete: boolean
  /** Number of these records that match the filters. */
  countMissing(filters: readonly Filter[]): Promise<number>
  /** Prepares the index for a search among these records only. */
  narrow(among: ReadonlySet<number>): Promise<void>
}

/** How to search. */
export interface SearchOptions extends ReadOptions {
  /** True to wait for a complete index, and to fail without one. */
  readonly isComplete?: boolean
}

/** What search indexes of either kind depend on. */
export interface SearchEngineOptions {
  readonly registry: Registry
  readonly log: Log
  /** Waits, in milliseconds. */
  readonly wait: (milliseconds: number) => Promise<unknown>
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Yields to the event loop. */
  readonly pause: () => Promise<unknown>
  /** Tells whether requests are arriving; they take precedence over building indexes and storing words. */
  readonly traffic: RequestPace
}

/** Keeps the search indexes of models. */
export interface SearchEngine {
  /** Builds all indexes, one after the other, so that the first searches do not wait. */
  prepare(): Promise<void>

  /** Builds the index of a model, however long that takes. */
  make(model: Model): Promise<void>

  /**
   * Calls `work` with the index of a model; waits for the index a few seconds if it is being built.
   *
   * @param options a signal that ends the reads of `work`, and whether the index must be complete
   * @throws {AppError} SEARCH_NOT_READY
   */
  within<T>(model: Model, query: ParsedSearch, work: (reading: SearchReading) => Promise<T>, options?: SearchOptions): Promise<T>

  /** Abandons background work, so that it does not keep the process alive. */
  close(): void
}

/** The searched fields of a model with their weights. */
export const weightedFields = (model: Model): readonly SearchField[] =>
  model.searchableFields.map(({ name }) => ({ name, weight: name === model.displayField ? DISPLAY_WEIGHT : WEIGHT }))

/** True if the model has a searchable text field. */
export const isSearchable = (model: Model): boolean => model.searchableFields.length > 0

/** The error for a search whose index is not ready yet. */
export const notReady = (why: string): AppError =>
  new AppError('SEARCH_NOT_READY', `${why}; try again in ${RETRY_AFTER_SECONDS} seconds`, { retryAfter: RETRY_AFTER_SECONDS })

/** The error for a search of a model whose index is not ready yet. */
export const indexNotReady = (model: Model): AppError => notReady(`The search index of ${model.name} is not ready yet`)

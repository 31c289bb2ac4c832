import type { Model } from '../model/model.ts'
import type { SearchedTable, SearchMoment, SearchStorage } from '../store/search-storage.ts'
import type { ReadOptions } from '../store/store.ts'
import type { ParsedSearch } from './query.ts'
import {
  indexNotReady,
  isSearchable,
  MAX_WAIT_MS,
  REST_MS,
  type SearchEngine,
  type SearchEngineOptions,
  type SearchOptions,
  type SearchReading,
  weightedFields,
} from './search-engine.ts'
import type { SearchIndex } from './search-index.ts'
import { excerptIndex, textAnalyser, WORDS_REVISION, wantedWords } from './stored-words.ts'
import { MAX_SEARCHED } from './tokens.ts'

/** Time between two looks for changed records, in milliseconds. */
const INTERVAL_MS = 1000
/** Number of such intervals between two looks for discarded words. */
const GARBAGE_INTERVALS = 60
/** Maximum number of records of a transaction that stores words. */
const RECORDS_A_SLICE = 2000
/** Storing words takes at most one tenth of the time while requests arrive, unless a search waits for it. */
const REST_PER_WORK = 9
/** After this time it is looked again whether requests arrive, in milliseconds. */
const LONGEST_REST_MS = 50
/** Maximum time of a slice of the analysis of changed records in a search, in milliseconds. */
const SLICE_MS = 8
/** Time that searches wait for missing words, in milliseconds. Those that must be complete wait longer. */
const PATIENCE_MS = 400
/** A search that reads this many changed records has their words stored without rests, since it analyses their texts. */
const MANY_CHANGED = 200
/** Pause before the next try while another process stores the words of a model, in milliseconds. */
const BUSY_MS = 200

/** The words of a model that are being made. */
interface Making {
  /** Resolves when no record is without words, or after a failure. */
  readonly done: Promise<void>
  /** Resolves when searches that need not be complete no longer wait for it; undefined if none has waited yet. */
  patience: Promise<unknown> | undefined
  /** True from then on. */
  isLong: boolean
}

interface StoredSearchIndexesOptions extends SearchEngineOptions {
  readonly storage: SearchStorage
}

/**
 * Search indexes in a store, which every process uses. A search reads the words of its query, and the records that changed last, since
 * their words may not be stored. The processes store the words of changed records in the background. After changes of many records a
 * search waits a moment, and then answers by what is stored, or fails if it must be complete.
 */
export class StoredSearchIndexes implements SearchEngine {
  readonly #options: StoredSearchIndexesOptions
  readonly #searched: ReadonlyMap<string, SearchedTable>
  /** Models whose words are being made. */
  readonly #making = new Map<string, Making>()
  /** Tables that are prepared, or being prepared. */
  readonly #opened = new Map<string, Promise<void>>()
  /** Number of searches that wait for the words of a table. */
  readonly #urgent = new Map<string, number>()
  /** Work that failed the last time. */
  readonly #failing = new Set<string>()
  #isClosed = false

  constructor(options: StoredSearchIndexesOptions) {
    this.#options = options
    this.#searched = new Map(options.registry.public.filter(isSearchable).map((model) => [model.key, searchedTable(model)]))
  }

  /** Stores the words of all models, and from then on those of changed records, until `close`. */
  async prepare(): Promise<void> {
    for (const model of this.#options.registry.public.filter(isSearchable)) await this.make(model)
    for (let interval = 0; !this.#isClosed; interval++) {
      await this.#attempt('changed records', () => this.#catchUp())
      if (interval % GARBAGE_INTERVALS === 0) await this.#attempt('discarded words', () => this.#discardGarbage())
      await this.#options.wait(INTERVAL_MS)
    }
  }

  make(model: Model): Promise<void> {
    return this.#begin(model).done
  }

  #begin(model: Model): Making {
    const known = this.#making.get(model.key)
    if (known !== undefined) return known
    const done = this.#attempt(model.key, async () => {
      await this.#open(model)
      await this.#store(this.#tableOf(model))
    }).finally(() => this.#making.delete(model.key))
    const making = { done, patience: undefined, isLong: false }
    this.#making.set(model.key, making)
    return making
  }

  async within<T>(
    model: Model,
    query: ParsedSearch,
    work: (reading: SearchReading) => Promise<T>,
    { isComplete = false, ...options }: SearchOptions = {},
  ): Promise<T> {
    await this.#open(model)
    const mustWait = isComplete || this.#making.get(model.key)?.isLong !== true
    const first = await this.#read(model, query, work, options, mustWait)
    if (first !== undefined) return first.result
    if (isComplete) await this.#makeNow(model)
    else await this.#makeSoon(model)
    const second = await this.#read(model, query, work, options, isComplete)
    if (second === undefined) throw indexNotReady(model)
    return second.result
  }

  /** Waits for the words of a model, `PATIENCE_MS` at most for all searches that wait. */
  async #makeSoon(model: Model): Promise<void> {
    void this.#makeNow(model)
    const making = this.#begin(model)
    making.patience ??= this.#options.wait(PATIENCE_MS).then(() => {
      making.isLong = true
    })
    await Promise.race([making.done, making.patience])
  }

  /** Waits for the words of a model, which are made without rests, for the time that a complete search waits. */
  async #makeNow(model: Model): Promise<void> {
    this.#urgent.set(model.key, (this.#urgent.get(model.key) ?? 0) + 1)
    try {
      await Promise.race([this.make(model), this.#options.wait(MAX_WAIT_MS)])
    } finally {
      const others = (this.#urgent.get(model.key) ?? 1) - 1
      if (others === 0) this.#urgent.delete(model.key)
      else this.#urgent.set(model.key, others)
    }
  }

  close(): void {
    this.#isClosed = true
  }

  #tableOf({ key }: Model): SearchedTable {
    const searched = this.#searched.get(key)
    if (searched === undefined) throw new Error(`There is nothing to search in '${key}'`)
    return searched
  }

  /** Prepares the storage once. Later, another process may prepare it for other fields; then this process does not change it back. */
  #open(model: Model): Promise<void> {
    const known = this.#opened.get(model.key)
    if (known !== undefined) return known
    const opened = this.#options.storage.open(this.#tableOf(model))
    this.#opened.set(model.key, opened)
    opened.catch(() => this.#opened.delete(model.key))
    return opened
  }

  /** @returns undefined if the index must be complete and is not, or if other fields are stored */
  async #read<T>(
    model: Model,
    query: ParsedSearch,
    work: (reading: SearchReading) => Promise<T>,
    options: ReadOptions,
    mustBeComplete: boolean,
  ): Promise<{ readonly result: T } | undefined> {
    const read = async ({ stored, records, countMissing, lengthsOf }: SearchMoment) => {
      const { isComplete } = stored
      if (mustBeComplete && !isComplete) return undefined
      if (!isComplete || stored.changed.length >= MANY_CHANGED) void this.#makeNow(model)
      const index = excerptIndex(weightedFields(model), stored)
      await this.#settle(index)
      const changed = new Set(stored.changed.map(({ id }) => id))
      const narrow = async (among: ReadonlySet<number>) => {
        const lengths = await lengthsOf([...among].filter((id) => !changed.has(id)))
        for (const [id, each] of lengths) index.loadLengths(id, each)
      }
      return { result: await work({ index, records, isComplete, isCurrent: () => true, countMissing, narrow }) }
    }
    return this.#options.storage.read(this.#tableOf(model), wantedWords(query), read, options)
  }

  /** Analyses the texts of changed records in slices. */
  async #settle(index: SearchIndex): Promise<void> {
    const { now, pause } = this.#options
    while (!index.isSettled) {
      const begun = now()
      index.settle(() => now() - begun >= SLICE_MS)
      if (!index.isSettled) await pause()
    }
  }

  async #catchUp(): Promise<void> {
    const { storage } = this.#options
    for (const table of await storage.behind([...this.#searched.keys()])) {
      const searched = this.#searched.get(table)
      if (searched !== undefined) await this.#store(searched)
    }
  }

  async #discardGarbage(): Promise<void> {
    const { storage, wait } = this.#options
    while (!this.#isClosed && (await storage.discardGarbage())) await wait(REST_MS)
  }

  /** Stores words until no record is without, or another process does and no search waits for it, or this process is closed. */
  async #store(searched: SearchedTable): Promise<void> {
    const { storage, wait, pause, now } = this.#options
    while (!this.#isClosed) {
      const begun = now()
      const progress = await storage.storeNext(searched, textAnalyser, RECORDS_A_SLICE, pause)
      if (progress === 'none') return
      if (progress === 'more') await this.#rest(searched, now() - begun)
      else {
        await wait(BUSY_MS)
        if (!this.#urgent.has(searched.table) || (await storage.behind([searched.table])).length === 0) return
      }
    }
  }

  async #rest({ table }: SearchedTable, worked: number): Promise<void> {
    const { traffic, wait, pause } = this.#options
    await pause()
    let left = worked * REST_PER_WORK
    while (left > 0 && traffic.isBusy && !this.#urgent.has(table) && !this.#isClosed) {
      await wait(Math.min(left, LONGEST_REST_MS))
      left -= LONGEST_REST_MS
    }
  }

  /** A failure is logged, once until the work succeeds. The next search or the next interval tries again. */
  async #attempt(work: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
      this.#failing.delete(work)
    } catch (error) {
      if (this.#isClosed || this.#failing.has(work)) return
      this.#failing.add(work)
      this.#options.log.error('The words of changed records could not be stored; this is tried again', { work, error })
    }
  }
}

const searchedTable = (model: Model): SearchedTable => ({
  table: model.key,
  fields: model.searchableFields.map(({ name }) => name),
  maxText: MAX_SEARCHED,
  revision: WORDS_REVISION,
})

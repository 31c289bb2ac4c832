import type { Filter } from '../query/plan.ts'
import type { ReadOptions, Store } from './store.ts'

/** The words of a record: how many are in each field, and in which fields each occurs, with the number of occurrences. */
export interface RecordWords {
  readonly lengths: readonly number[]
  readonly words: ReadonlyMap<string, readonly { readonly field: number; readonly times: number }[]>
}

/** Makes words of texts. The store itself knows nothing of languages. */
export interface TextAnalyser {
  /**
   * The words of the texts of a record, one for each searched field.
   *
   * @param pause yields to the event loop; called about every few milliseconds of computing
   */
  analyse(texts: readonly string[], pause: () => Promise<unknown>): Promise<RecordWords>
  /** The stem of a word; words without one are their own stem. */
  stemOf(word: string): string
}

/** The searched fields of a table. */
export interface SearchedTable {
  readonly table: string
  /** The searched fields, in order. */
  readonly fields: readonly string[]
  /** Number of characters of a text that the analyser needs. It may get more. */
  readonly maxText: number
  /** Version of the analyser. Words of another version, or of other fields, are made again. */
  readonly revision: number
}

/** Words to read: these themselves, those with these stems, those that begin like this, and those within an edit distance. */
export interface WordSelection {
  readonly words: readonly string[]
  readonly stems: readonly string[]
  readonly prefixes: readonly { readonly prefix: string; readonly except: readonly string[] }[]
  /** Words to read too, in the neighbourhood of the others only: their other places are not needed. */
  readonly slight: readonly string[]
  readonly near: readonly { readonly word: string; readonly distance: number }[]
  /** Those of some different words that are within such a distance. */
  readonly nearOf: (candidates: readonly string[]) => readonly string[]
}

/** Receives a place of a word: the record, the position of the field, the number of occurrences up to four, and the number of words of the field. */
export type TakePlace = (id: number, field: number, times: number, length: number) => void

/** Some of the places of a word. A word may be there several times, each time with other places. */
export interface StoredWord {
  readonly word: string
  eachPlace(take: TakePlace): void
}

/** A record that was written since its words were stored. */
export interface ChangedRecord {
  readonly id: number
  /** The present texts of the fields; undefined if the record is removed. */
  readonly texts: readonly string[] | undefined
  /** Number of stored words of each field; undefined if none of the record are stored. */
  readonly lengths: readonly number[] | undefined
}

/** A selection of the stored words, as of one moment. */
export interface StoredWords {
  /** False if further records changed than `changed` has: their stored words are outdated or missing. */
  readonly isComplete: boolean
  /** Number of records whose words are stored, and of their words in each field. Some of the records may have changed. */
  readonly totals: { readonly records: number; readonly words: readonly number[] }
  readonly words: readonly StoredWord[]
  /** The slight words, with the places that are needed and some others. */
  readonly slight: readonly StoredWord[]
  /** The records that changed last. Their stored words are outdated. */
  readonly changed: readonly ChangedRecord[]
}

/** Stored words and records, as of the same moment. */
export interface SearchMoment {
  readonly stored: StoredWords
  readonly records: Pick<Store, 'get' | 'find' | 'matching'>
  /** Number of records that match the filters and that changed, without those of `stored.changed`. */
  countMissing(filters: readonly Filter[]): Promise<number>
  /** Number of stored words in each field of the given records, without those that have none. */
  lengthsOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>
}

/** What `storeNext` did: there are `more` records without words, or `none`; or another process is at it. */
export type Progress = 'more' | 'none' | 'busy'

/**
 * Keeps the words of records for searches. Every write of a record is noted in its transaction, by any program; words are stored
 * later, and until then a search reads the texts of the records that changed last.
 */
export interface SearchStorage {
  /** Prepares the storage for a table, and discards words of other fields or of another analyser. */
  open(searched: SearchedTable): Promise<void>

  /**
   * Stores the words of the records that changed first, at most `limit`.
   *
   * @param pause yields to the event loop; called about every few milliseconds of computing
   */
  storeNext(searched: SearchedTable, analyser: TextAnalyser, limit: number, pause: () => Promise<unknown>): Promise<Progress>

  /** Deletes some of the words that were discarded. @returns true if there may be more */
  discardGarbage(): Promise<boolean>

  /** Names of the given tables that have records whose words are not stored. */
  behind(tables: readonly string[]): Promise<readonly string[]>

  /**
   * Calls `work` with a selection of the words of a table.
   *
   * @returns undefined, without calling `work`, if the storage is not prepared
   */
  read<T>(
    searched: SearchedTable,
    selection: WordSelection,
    work: (moment: SearchMoment) => Promise<T>,
    options?: ReadOptions,
  ): Promise<T | undefined>
}

import type { Model } from '../../model/model.ts'
import type { StoredRecord } from '../store.ts'

/** The committed records of one table, as a transaction reads them. Each engine provides its own; all methods are synchronous. */
export interface CommittedTable {
  readonly model: Model
  /** The id of the next record. */
  readonly nextId: number
  /** The next id once `id`, which is not below the present one, is used. */
  idAfter(id: number): number
  get(id: number): StoredRecord | undefined
  /** The id of the record with this value in a unique field or, by its name, a unique set. The value is not null. */
  ownerOf(field: string, value: NonNullable<StoredRecord[string]>): number | undefined
  /** The ids of the records that refer to `target` by a relation field. */
  referrersTo(field: string, target: number): readonly number[]
  /**
   * Number of records that refer to `target` beside those of `referrersTo`. An engine may count the referrers of a field with
   * `on_delete: restrict` that no operation touches, in place of reading them.
   */
  countReferrersBeside(field: string, target: number): number
}

/** The tables that a transaction may read, by name. */
export interface CommittedTables {
  get(table: string): CommittedTable | undefined
}

import type { Bulk, Filtering, Versioned } from './calls.ts'
import type { Filters } from './filters.ts'
import type { ModelTypes } from './models.ts'

/** Rehearses a change. */
export interface DryRun<Dry extends boolean> {
  /** Does everything but the commit: returns what would be stored, or throws the same error. Nothing changes. */
  readonly dryRun?: Dry | undefined
}

/** Selects the records of a bulk operation by filters, up to 100,000. */
export interface BulkSelection<M extends ModelTypes> extends Filtering<M> {
  /** An empty object or list selects every record. */
  readonly filters: Filters<M>
  /** The words to search for, as in `search`. */
  readonly search?: string | undefined
  /** Number of records that must match; if another number matches, nothing changes and the server responds with 409 (`conflict`). */
  readonly expectedTotal: number
}

/** The result of a create or an update; without an `etag` after a dry run. */
export type Stored<RecordType, Dry extends boolean> = Dry extends true ? { readonly data: RecordType } : Versioned<RecordType>

/** The result of a deletion: the record as it was, or what the deletion would do. */
export type Removed<RecordType, Dry extends boolean> = Dry extends true
  ? { readonly data: RecordType } & RemovalForecast
  : { readonly data: RecordType }

/** The result of a bulk deletion: the records as they were, or what the deletion would do. */
export type BulkRemoved<RecordType, Dry extends boolean> = Dry extends true
  ? Bulk<RecordType> & RemovalForecast
  : Bulk<RecordType>

/** Consequences of a deletion for other records. */
export interface RemovalForecast {
  /** The other records that it would delete (`cascade`) or whose references it would remove (`set_null`), by model. */
  readonly consequences: readonly {
    readonly model: string
    readonly action: 'cascade' | 'set_null'
    readonly count: number
  }[]
  /** The references that prevent it; empty if it is possible. */
  readonly blocked_by: readonly { readonly model: string; readonly field: string; readonly count: number }[]
}

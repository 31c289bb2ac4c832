import type { Filter, Plan, SortKey } from '../query/plan.ts'
import type { JsonObject } from '../util/json.ts'

/** A record as it is stored: frozen, and replaced as a whole when it changes. */
export type StoredRecord = JsonObject & { readonly id: number }

/** One change of a transaction. `expect` is the version that the record must still have. */
export type Operation =
  | { readonly kind: 'insert'; readonly table: string; readonly values: JsonObject; readonly id?: number }
  | {
      readonly kind: 'update'
      readonly table: string
      readonly id: number
      readonly values: JsonObject
      readonly expect?: string
    }
  | { readonly kind: 'remove'; readonly table: string; readonly id: number; readonly expect?: string }

/** A record before and after a transaction; cascades make changes that no operation names. */
export interface Change {
  readonly table: string
  readonly id: number
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
}

/**
 * Why a transaction was refused. `index` is that of the operation in the batch.
 *
 * - `not_null`, `unique`, `foreign_key`, `check`: the value of `field` breaks the constraint.
 * - `restrict`: `count` records of `table` refer, by `field`, to the record that was to be removed.
 * - `missing`: there is no such record. `stale`: it is no longer the version that was expected.
 */
export type Violation =
  | { readonly kind: 'not_null' | 'unique' | 'foreign_key' | 'check'; readonly index: number; readonly field: string }
  | {
      readonly kind: 'restrict'
      readonly index: number
      readonly id: number
      readonly table: string
      readonly field: string
      readonly count: number
    }
  | { readonly kind: 'missing' | 'stale'; readonly index: number; readonly id: number }

/** Is told of changes. It must not throw: what it is told of has happened. */
export type ChangeListener = (changes: readonly Change[]) => void

export type TransactionMode = 'commit' | 'rehearse'

export type ChangeKind = 'create' | 'update' | 'delete'

/**
 * Which changes of a transaction leave an event behind, committed with them: the store alone knows what cascades change. Data, like
 * operations.
 *
 * The events are records of `table` with the fields `message_id` (the key; behind it `_2`, `_3` … for further events), `event` (a
 * ChangeKind), `model`, `record_id`, `data` (JSON of the record as it is, or, of one that was removed, as it was; without its secret
 * fields), `timestamp` and `pending` (the ids of those who are to be told).
 */
export interface EventRequest {
  readonly table: string
  /** By table, who is to be told of which changes; of others nothing is left behind. */
  readonly audience: ReadonlyMap<string, Partial<Readonly<Record<ChangeKind, readonly number[]>>>>
  /** A name that no other transaction has. */
  readonly key: string
  /** ISO 8601, in UTC. */
  readonly at: string
}

/** `records[i]` is what operation `i` left behind (for a removal: what was there). */
export type Outcome =
  | { readonly ok: true; readonly records: readonly StoredRecord[]; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly violations: readonly Violation[] }

/** How a store is doing. */
export interface StoreStatus {
  /** False once it refuses every transaction: after a disk failed to confirm a write, when opened for reading, when closed. */
  readonly takesWrites: boolean
  /** How long the journal is that is being written; 0 where there is none. */
  readonly journalBytes: number
  /** How many records there are, by table. */
  readonly records: ReadonlyMap<string, number>
}

/**
 * Where records are kept. Everything is asynchronous, takes whole batches, and gets its conditions as data, so that an
 * engine may live on another machine. Tables are those of the registry that the store was opened with.
 */
export interface Store {
  /** The records with these ids, in the order asked; undefined where there is none. */
  get(table: string, ids: readonly number[]): Promise<readonly (StoredRecord | undefined)[]>

  /** The slice of the matching records that the plan asks for, and how many match in all. */
  find(table: string, plan: Plan): Promise<{ readonly records: readonly StoredRecord[]; readonly total: number }>

  /** Those of some records, named by their ids, that match all filters. */
  matching(table: string, filters: readonly Filter[], ids: readonly number[]): Promise<ReadonlySet<number>>

  /** All matching records in order, in batches, as they were when the first batch was asked for. */
  stream(
    table: string,
    plan: { readonly filters: readonly Filter[]; readonly sort: readonly SortKey[] },
  ): AsyncIterable<readonly StoredRecord[]>

  /**
   * Applies all operations or none. Constraints are held against the state that the whole batch leaves behind.
   * When this resolves with `ok`, the changes are kept as safely as the engine keeps anything.
   *
   * @param mode `rehearse` finds out how it would end and applies nothing
   * @param order events to be left behind; they are among the changes of the outcome, behind all others
   * @throws {AppError} STORE_UNAVAILABLE when the changes could not be kept; then none is applied
   */
  transact(operations: readonly Operation[], mode?: TransactionMode, order?: EventRequest): Promise<Outcome>

  /**
   * Tells of every change from now on, in the very step in which it becomes visible to readers and in that order. Changes that
   * could not be kept are told of once more, as their opposites, in the step in which they are taken back.
   */
  onChange(follower: ChangeListener): void

  /** How the store is doing now. */
  status(): Promise<StoreStatus>

  /** Resolves once everything that was accepted is kept and nothing is held open. */
  close(): Promise<void>
}

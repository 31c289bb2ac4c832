import { hash } from 'node:crypto'
import type { RelationField } from '../model/field.ts'
import type { AggregateGroup, AggregatePlan } from '../query/aggregate.ts'
import type { Filter, Plan, SortKey } from '../query/plan.ts'
import type { Json, JsonObject } from '../util/json.ts'

/** A stored record. It is frozen; a change replaces the whole object. */
export type StoredRecord = JsonObject & { readonly id: number }

/**
 * One operation of a transaction. `expect` is the record as it was read; it must not have changed since. The record must match
 * `allowed`: an inserted one after the operation, an updated one before and after it, a removed one before; related records count as the
 * transaction leaves them.
 *
 * An `assert` changes nothing: it is `stale` unless the record is the expected one or, without an expected one, does not exist when the
 * transaction begins.
 */
export type Operation =
  | {
      readonly kind: 'insert'
      readonly table: string
      readonly values: JsonObject
      readonly id?: number
      readonly allowed?: Filter
      readonly refs?: readonly OperationRef[]
      /** How the change was made, for its history entry, if it differs from that of the transaction. */
      readonly via?: string
    }
  | {
      readonly kind: 'update'
      readonly table: string
      readonly id: number
      readonly values: JsonObject
      readonly expect?: StoredRecord
      readonly allowed?: Filter
      readonly refs?: readonly OperationRef[]
      readonly via?: string
    }
  | {
      readonly kind: 'remove'
      readonly table: string
      readonly id: number
      readonly expect?: StoredRecord
      readonly allowed?: Filter
      /** Records that the removal must not remove by a cascade: if it would, it is `denied`. */
      readonly protectedRecords?: ProtectedRecords
      readonly knownCascade?: KnownCascade
      readonly via?: string
    }
  | {
      readonly kind: 'assert'
      readonly table: string
      readonly id: number
      readonly expect: StoredRecord | undefined
      readonly allowed?: undefined
    }

/** A field that gets the id of the record that another insert of the batch creates; a list of ids gets it added. */
export interface OperationRef {
  readonly field: string
  /** Index of the insert. */
  readonly operation: number
}

/**
 * The records of some tables that the cascade of a removal changes or removes, as they were read. The removal is `stale` if its cascade would
 * reach others of these tables, does not reach one of them, or one of them has changed. Records with an operation of their own do not count.
 */
export interface KnownCascade {
  readonly tables: readonly string[]
  readonly records: readonly { readonly table: string; readonly record: StoredRecord }[]
}

/** The records of a table that match a filter as they are stored. */
export interface ProtectedRecords {
  readonly table: string
  readonly filter: Filter
}

/** A record before and after a transaction. Cascades cause changes without an operation of their own. */
export interface Change {
  readonly table: string
  readonly id: number
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
}

/**
 * Why a transaction was rejected. `index` is the index of the operation in the batch.
 *
 * - `not_null`, `unique`, `foreign_key`, `check`: the value of `field` violates the constraint.
 *   `together` are the other fields of a unique set.
 * - `restrict`: `count` records of `table` refer, by `field`, to the record to be removed.
 * - `file`: `field` has a file that is none of this record: `file` is the id of no row of the registry that is pending or was in this field of
 *   this record, or other bytes than its row, or is there twice.
 * - `missing`: the record does not exist. `stale`: it is not the expected record. `denied`: it is not `allowed`, or its removal would
 *   remove a protected record. `by` is the index of an earlier operation of the batch that has removed or changed the record, if that is why it
 *   is `missing` or `stale`.
 */
export type Violation =
  | {
      readonly kind: 'not_null' | 'unique' | 'foreign_key' | 'check'
      readonly index: number
      readonly field: string
      readonly together?: readonly string[]
    }
  | {
      readonly kind: 'restrict'
      readonly index: number
      readonly id: number
      readonly table: string
      readonly field: string
      readonly count: number
    }
  | { readonly kind: 'missing' | 'stale' | 'denied'; readonly index: number; readonly id: number; readonly by?: number }
  | { readonly kind: 'file'; readonly index: number; readonly field: string; readonly file: string }

/** Called with committed changes. An error that it throws is reported, and does not fail the write: the changes have happened. */
export type ChangeListener = (changes: readonly Change[]) => void

export type TransactionMode = 'commit' | 'rehearse'

export type ChangeKind = 'create' | 'update' | 'delete'

/**
 * The events that a transaction stores with its changes. Only the store knows the changes of cascades, so it creates the
 * events. Plain data, like operations.
 *
 * An event is a record of `table` with these fields: `message_id` (the key, followed by `_2`, `_3` … for further events),
 * `event` (a ChangeKind), `model`, `record_id`, `data` (JSON of the record after the change, or before its removal, without
 * secret fields), `timestamp` and `pending` (ids of the subscriptions to deliver to).
 */
export interface EventRequest {
  readonly table: string
  /** Subscription ids by table and kind of change. Other changes store no event. */
  readonly audience: ReadonlyMap<string, Partial<Readonly<Record<ChangeKind, readonly number[]>>>>
  /** A unique id of the transaction. */
  readonly key: string
  /** ISO 8601, in UTC. */
  readonly at: string
}

/**
 * The history entries that a transaction stores with its changes. Plain data, like operations.
 *
 * An entry is a record of `table` with the fields of `common`, and `model`, `record_id`, `action` (a ChangeKind), `via` and `changes`:
 * JSON of the fields that differ, `{field: {before, after}}`, null where the record did not exist or the field is empty. Values of
 * secret fields are left out, and the field has `secret: true` instead.
 */
export interface HistoryRequest {
  readonly table: string
  /** The tables whose changes are recorded. */
  readonly tables: ReadonlySet<string>
  /** Fields of all entries: time, user, request. */
  readonly common: JsonObject
  /** The value of `via`, where the operation has none of its own; changes without an operation of their own have `cascade`. */
  readonly via: string
}

/**
 * When a transaction moves files. It derives from its changes which files records get and give up, cascades included, and changes the rows of
 * the registry (`FILE_TABLE`) with them.
 */
export interface FilesRequest {
  /** The time at which files are released; ISO 8601, in UTC. */
  readonly at: string
}

/** Applies a part of a transaction: all of its operations or none. */
export type ApplyPart = (operations: readonly Operation[], notes?: SideRecords) => Promise<PartOutcome>

/** Whether a part was applied, and if not, why. */
export type PartOutcome =
  | { readonly ok: true; readonly records: readonly StoredRecord[] }
  | { readonly ok: false; readonly violations: readonly Violation[] }

/** Records about its changes that a transaction stores with them. They are the last changes of its outcome. */
export interface SideRecords {
  readonly events?: EventRequest | undefined
  readonly history?: HistoryRequest | undefined
  /** When absent, files are released at the time of the system's clock. */
  readonly files?: FilesRequest | undefined
}

/** `records[i]` is the result of operation `i`: the stored record or, for a removal, the removed one. */
export type Outcome =
  | { readonly ok: true; readonly records: readonly StoredRecord[]; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly violations: readonly Violation[] }

/** Matching records of one page, and the total number of matches. */
export interface FoundPage {
  readonly records: readonly StoredRecord[]
  readonly total: number
  /** The state of the tables that the page was read from, if the engine counts their changes. */
  readonly version?: number | string
}

/** Options of a read. */
export interface ReadOptions {
  /** Aborted when the answer is no longer needed. The read then ends as soon as the engine can end it, and throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a list. */
export interface FindOptions extends ReadOptions {
  /** A page of the same plan, from which the store may go on. It is returned if nothing has changed since. */
  readonly last?: FoundPage | undefined
  /** True if the reader does not use the total, so that no records beside those of the page are counted. */
  readonly withoutTotal?: boolean | undefined
}

/** The reads by which a write finds the records that it changes. */
export type RecordReader = Pick<Store, 'get' | 'stream'>

/** What a transaction does, and what it stores with its changes. */
export interface Decision {
  readonly operations: readonly Operation[]
  readonly notes?: SideRecords | undefined
}

/** Status of a store. */
export interface StoreStatus {
  /** False if every transaction is rejected: after a failed sync, when opened for reading, when closed. */
  readonly takesWrites: boolean
  /** Length of the present journal in bytes; 0 for engines without one. */
  readonly journalBytes: number
  /** Number of records by table. */
  readonly records: ReadonlyMap<string, number>
}

/**
 * Storage of records. All methods are asynchronous, take batches, and get conditions as plain data, so that an engine may run
 * on another machine. The store has the tables of the registry that it was opened with.
 */
export interface Store {
  /** True if other processes may change the records. `onChange` does not report their changes. */
  readonly isShared: boolean

  /** The records with these ids, in the order of the ids; undefined where no record exists. */
  get(table: string, ids: readonly number[], options?: ReadOptions): Promise<readonly (StoredRecord | undefined)[]>

  /** The records of the page that the plan describes, for readers that do not use the total. */
  find(table: string, plan: Plan, options: FindOptions & { readonly withoutTotal: true }): Promise<Pick<FoundPage, 'records'>>
  /** The page of matching records that the plan describes, and the total number of matches. */
  find(table: string, plan: Plan, options?: Omit<FindOptions, 'withoutTotal'>): Promise<FoundPage>

  /** The pages of several plans that are not repeated, and their totals. */
  findEach(table: string, plans: readonly Plan[], options?: ReadOptions): Promise<readonly FoundPage[]>

  /** The totals that a plan computes of each group of matching records, in the order of the keys; undefined if there are too many groups. */
  aggregate(table: string, plan: AggregatePlan, options?: ReadOptions): Promise<readonly AggregateGroup[] | undefined>

  /** The ids of the given records that match all filters. */
  matching(table: string, filters: readonly Filter[], ids: readonly number[]): Promise<ReadonlySet<number>>

  /** All matching records in order, in batches, as of the first batch. */
  stream(
    table: string,
    plan: { readonly filters: readonly Filter[]; readonly sort: readonly SortKey[] },
    options?: ReadOptions,
  ): AsyncIterable<readonly StoredRecord[]>

  /**
   * Applies all operations or none. Constraints are checked against the state after the whole batch. When this resolves with
   * `ok`, the changes are as durable as the engine makes them.
   *
   * @param mode `rehearse` validates without applying anything (dry run)
   * @throws {AppError} STORE_UNAVAILABLE if the changes could not be made durable; then none is applied
   */
  transact(operations: readonly Operation[], mode?: TransactionMode, notes?: SideRecords): Promise<Outcome>

  /**
   * Takes the next ids of a table, so that records can refer to each other before a transaction creates them. No later transaction is given
   * them; those that no transaction uses leave a gap.
   *
   * @param mode `rehearse` returns the ids that would be next, and takes none
   */
  takeIds(table: string, count: number, mode?: TransactionMode): Promise<readonly number[]>

  /**
   * Commits a transaction that is decided on locked records: no other transaction changes them until it ends. Undefined for an engine whose
   * transactions do not wait for each other.
   *
   * @param ids of the records; those that do not exist are not locked
   * @param decide reads the locked records as they are, and all others without a lock. It is called again after a race with other writes, so it
   * must have no effects of its own. What it throws ends the transaction
   * @throws {AppError} as `transact`
   */
  transactLocked?(table: string, ids: readonly number[], decide: (records: RecordReader) => Promise<Decision>): Promise<Outcome>

  /**
   * Does work while no other process does such work, for writes whose attempts would overtake each other. It locks no records. Undefined for an
   * engine that has its records alone.
   */
  inSharedTurn?<T>(work: () => Promise<T>): Promise<T>

  /**
   * A promise to wait for before a transaction can begin. Undefined if it begins at once, and for an engine whose transactions do not wait
   * for each other.
   */
  readonly running?: Promise<void> | undefined

  /**
   * Runs a transaction whose operations are given part by part, so that they need not be in memory at once. Constraints are checked after
   * each part, against the state after it. Undefined for an engine whose records are in memory anyway.
   *
   * @param mode `commit`: a part that is not applied ends the transaction; its violations may be incomplete, and `work` must throw.
   * `rehearse`: all violations of each part are found, further parts may follow, and everything is rolled back in the end
   * @param work gives the parts. What it throws rolls the transaction back. It is called again after a race with other writes, so it must begin
   * from the first part, and have no effects of its own
   * @throws {AppError} STORE_UNAVAILABLE, OUTCOME_UNKNOWN; WRITE_CONFLICT if concurrent writes keep refusing the transaction
   */
  transactInParts?<T>(mode: TransactionMode, work: (apply: ApplyPart) => Promise<T>): Promise<T>

  /**
   * Registers a listener of changes. It is called in the step in which readers see a change, in commit order. Changes that
   * could not be made durable are reported again as their opposites when they are reverted.
   *
   * @param onUnknown called after a transaction in parts, whose changes are not told
   */
  onChange(follower: ChangeListener, onUnknown?: () => void): void

  /** Present status of the store. */
  status(): Promise<StoreStatus>

  /** Resolves once all accepted changes are durable and all resources are released. */
  close(): Promise<void>
}

/** Number of versions of a generation: the records of transactions and responses in progress, with a margin. */
const GENERATION = 1000

/** The latest versions, and those before. They keep no record in memory that is replaced or removed. */
let versions = new WeakMap<StoredRecord, string>()
let former = new WeakMap<StoredRecord, string>()
let count = 0

/** The version of a record: equal for equal content, also after a restart. 96 bits of SHA-256, base64url. */
export function versionOf(record: StoredRecord): string {
  const known = versions.get(record) ?? former.get(record)
  if (known !== undefined) return known
  const version = versionOfJson(JSON.stringify(record))
  if (count++ === GENERATION) {
    former = versions
    versions = new WeakMap()
    count = 1
  }
  versions.set(record, version)
  return version
}

/** True if both records have the same version. */
export const isSameVersion = (a: StoredRecord, b: StoredRecord): boolean => a === b || versionOf(a) === versionOf(b)

/** True if both values leave the version of a record as it is. Lists and objects are compared by their texts, so their order counts. */
export function isSameValue(a: Json, b: Json): boolean {
  if (a === b) return true
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b)
}

/** The version of a record by its JSON. Not cached. */
export const versionOfJson = (json: string): string => hash('sha256', json, 'base64url').slice(0, 16)

/** The ids that a record refers to by one of its relation fields. */
export function referencesOf(record: JsonObject, field: RelationField['name']): readonly number[] {
  const value = record[field] ?? null
  if (typeof value === 'number') return [value]
  return Array.isArray(value) ? (value as readonly number[]) : []
}

/** Key of the table of history entries, whose fields `HistoryRequest` describes. */
export const HISTORY_TABLE = 'historyentry'

import type { FilterObject } from '../models/query.ts'
import type { PageQuery } from './calls.ts'

/** A change of a record. */
export interface HistoryEntry<Key extends string = string> {
  readonly id: number
  readonly model: Key
  readonly record_id: number
  readonly action: 'create' | 'update' | 'delete'
  readonly at: string
  /** Null for a change that no user made. */
  readonly user: { readonly id: number; readonly username: string | null } | null
  readonly via: 'api' | 'cli' | 'import' | 'mock' | 'cascade'
  /** The id of the request in the server's log. */
  readonly request_id: string | null
  /** By field. */
  readonly changes: Readonly<Record<string, HistoryChange>>
}

/** The change of a field. A value is null where the record did not exist or the field was empty. */
export interface HistoryChange {
  readonly before: unknown
  readonly after: unknown
  /** Present for a secret field, whose values are not recorded. */
  readonly secret?: true
  /** Present if the user could not view the record before or after the change; the values of that side are null. */
  readonly hidden?: true
}

/** Fields of history entries to sort by. */
export type HistorySortKey = 'id' | 'model' | 'record_id' | 'action' | 'at' | 'user_id' | 'username' | 'via' | 'request_id'

/** The query of a history; the latest changes come first unless `sort` is given. */
export interface HistoryQuery extends PageQuery {
  /** Filters, as of records: `{ action: 'update', username: 'ann', at__gte: '2026-01-01' }`. */
  readonly filters?: FilterObject | readonly string[] | undefined
  /** Groups of filters; an entry must match one filter of each group. */
  readonly any?: readonly (FilterObject | readonly string[])[] | undefined
  readonly sort?: readonly (HistorySortKey | `-${HistorySortKey}`)[] | undefined
}

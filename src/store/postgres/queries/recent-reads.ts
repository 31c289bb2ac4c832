import { LRUCache } from 'lru-cache'
import type { Plan } from '../../../query/plan.ts'
import type { Change, FoundPage, StoredRecord } from '../../store.ts'
import type { Queries } from './queries.ts'
import type { RecordReads } from './record-reads.ts'

/** Age from which a result is read again. In milliseconds. */
const MAX_AGE = 500
/** Maximum number of results that are remembered of a table. */
const CAPACITY = 10_000

/** Parts of `RecentReads`. */
interface RecentReadsParts {
  readonly records: RecordReads
  readonly queries: Queries
  /** A time in milliseconds that never goes back. */
  readonly now: () => number
}

/** A result, and when its read began. */
interface Recent {
  readonly at: number
  readonly result: Promise<unknown>
}

/**
 * Remembers for 500 ms the results of reads that need not be of this moment: the accounts, sessions and permissions that every request
 * reads.
 */
export class RecentReads {
  readonly #parts: RecentReadsParts
  readonly #tables = new Map<string, LRUCache<string, Recent>>()

  constructor(parts: RecentReadsParts) {
    this.#parts = parts
  }

  /** The records with these ids, in the order of the ids; undefined where no record exists. */
  get(table: string, ids: readonly number[]): Promise<readonly (StoredRecord | undefined)[]> {
    return this.#recall(table, ids.join(), () => this.#parts.records.get(table, ids))
  }

  /** The page of matching records that the plan describes, and the total. */
  find(table: string, plan: Plan): Promise<FoundPage> {
    return this.#recall(table, JSON.stringify(plan), () => this.#parts.queries.find(table, plan))
  }

  /** Forgets the results of changed tables, those of reads that are running too, so that this process sees its own changes. */
  forget(changes: readonly Change[]): void {
    for (const { table } of changes) this.#tables.delete(table)
  }

  /** Forgets all results. */
  forgetAll(): void {
    this.#tables.clear()
  }

  #recall<T>(table: string, key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#tables.get(table) ?? new LRUCache<string, Recent>({ max: CAPACITY })
    this.#tables.set(table, known)
    const at = this.#parts.now()
    const last = known.get(key)
    if (last !== undefined && at - last.at < MAX_AGE) return last.result as Promise<T>
    const result = read()
    const recent = { at, result }
    known.set(key, recent)
    result.catch(() => {
      if (known.get(key) === recent) known.delete(key)
    })
    return result
  }
}

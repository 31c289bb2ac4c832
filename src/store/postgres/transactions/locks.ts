import type { JsonObject } from '../../../util/json.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { joined, type Sql, sql } from '../sql.ts'

/** Maximum number of values of a field that a transaction locks: locks use memory that all connections share. */
const MAX_VALUES = 32

/** Texts that stand for what a transaction locks, by advisory locks, until it ends. */
export interface Locks {
  readonly shared: readonly string[]
  readonly exclusive: readonly string[]
}

/** Locks the ids of a table, so that its sequence is not moved. */
export const idLock = ({ sequence }: TableLayout): string => sequence

/** Values that a transaction sets in a table. */
interface SetValues {
  readonly table: string
  readonly values: JsonObject
}

/**
 * Exclusive locks of the unique values that a transaction sets. Two transactions that set the same value then wait for each other in one
 * order. Without them both would insert it and wait for each other when they commit, since unique constraints are checked then: a
 * deadlock, which the server notices after a second, and the transaction is repeated. The constraints hold in any case. Direct
 * statements of few records take none until they meet in a deadlock.
 *
 * Of many values only the first in order are locked, so that batches of the same values still wait for each other, and batches of different
 * values, which are frequent, do not.
 */
export function uniqueLocks(layout: Layout, writes: readonly SetValues[]): string[] {
  const keys = new Map<string, Set<unknown>>()
  const lock = (key: string, value: unknown) => {
    const values = keys.get(key) ?? new Set()
    keys.set(key, values.add(value))
  }
  for (const { table, values } of writes) {
    const { name, model } = layout.of(table)
    for (const { name: key, keyOf } of model.uniqueKeys) {
      const value = keyOf(values)
      if (value !== null) lock(JSON.stringify([layout.schema, name, key]), value)
    }
  }
  const locks = [...keys].flatMap(([key, values]) => {
    const named = [...values].map((value) => `${key} ${JSON.stringify(value)}`)
    return named.sort().slice(0, MAX_VALUES)
  })
  return locks.sort()
}

export const hasLocks = ({ shared, exclusive }: Locks): boolean => shared.length + exclusive.length > 0

/** Up to this number of locks a query names each of them, which PostgreSQL plans faster than a list. */
const FEW = 8

/** A query that takes locks in their order, the shared ones first. */
export function takeLocks({ shared, exclusive }: Locks): Sql {
  if (shared.length + exclusive.length <= FEW) {
    const each = [
      ...shared.map((key) => sql`pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`),
      ...exclusive.map((key) => sql`pg_advisory_xact_lock(hashtextextended(${key}, 0))`),
    ]
    return sql`select ${joined(each)}`
  }
  return sql`select pg_advisory_xact_lock_shared(hashtextextended("key", 0)) from unnest(${shared}::text[]) "key"
    union all select pg_advisory_xact_lock(hashtextextended("key", 0)) from unnest(${exclusive}::text[]) "key"`
}

import type { Json } from '../../../../util/json.ts'

/**
 * How a record is locked until the end of the transaction: `key share` as long as it must exist, `share` if its values must stay,
 * `update` if it is changed, `remove` if it may be removed.
 */
export type Lock = 'key share' | 'share' | 'update' | 'remove'

const STRENGTHS: readonly Lock[] = ['key share', 'share', 'update', 'remove']

/** What a transaction has to load of one table. */
export class Needs {
  /** Lock → ids. An id has only its strongest lock. */
  readonly records = new Map<Lock, Set<number>>()
  /** Unique field or set → values. */
  readonly owners = new Map<string, Set<Json>>()
  /** Relation field → targets. */
  readonly referrers = new Map<string, Set<number>>()

  get isEmpty(): boolean {
    return this.records.size === 0 && this.owners.size === 0 && this.referrers.size === 0
  }

  addRecord(id: number, lock: Lock): void {
    const strength = STRENGTHS.indexOf(lock)
    for (const [index, other] of STRENGTHS.entries()) {
      const ids = this.records.get(other)
      if (ids?.has(id) !== true) continue
      if (index >= strength) return
      ids.delete(id)
      if (ids.size === 0) this.records.delete(other)
    }
    add(this.records, lock, id)
  }

  addOwner(field: string, value: Json): void {
    add(this.owners, field, value)
  }

  addReferrers(field: string, target: number): void {
    add(this.referrers, field, target)
  }

  clear(): void {
    this.records.clear()
    this.owners.clear()
    this.referrers.clear()
  }
}

function add<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([value]))
  else known.add(value)
}

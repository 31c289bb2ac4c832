import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import type { Outcome, StoredRecord } from '../../store/store.ts'

/** Effect of a deletion on other records: deletes them, or removes their references. */
export interface Consequence {
  readonly model: string
  readonly action: 'cascade' | 'set_null'
  readonly count: number
}

/** References that prevent a deletion. */
export interface Block {
  readonly model: string
  readonly field: string
  readonly count: number
}

/** Consequences of a deletion. */
export interface RemovalForecast {
  readonly records: readonly StoredRecord[]
  /** The changes of other records; none if the deletion is blocked. */
  readonly consequences: readonly Consequence[]
  /** The references that prevent the deletion. */
  readonly blockedBy: readonly Block[]
}

/** The changes of a deletion to other records than those deleted by name, by model and action. Sessions and the like are left out. */
export function consequencesOf(
  outcome: Outcome,
  { model, registry, deleted }: { readonly model: Model; readonly registry: Registry; readonly deleted: readonly StoredRecord[] },
): Consequence[] {
  if (!outcome.ok) return []
  const named = new Set(deleted.map(({ id }) => id))
  const counts = new Map<string, Consequence>()
  for (const { table, id, after } of outcome.changes) {
    if ((table === model.key && named.has(id)) || registry.expect(table).internal) continue
    const action = after === undefined ? 'cascade' : 'set_null'
    const key = `${table} ${action}`
    counts.set(key, { model: table, action, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  return [...counts.values()]
}

/** The references that prevent a deletion, by model and field. */
export function blocksOf(outcome: Outcome): Block[] {
  const counts = new Map<string, Block>()
  for (const violation of outcome.ok ? [] : outcome.violations) {
    if (violation.kind !== 'restrict') continue
    const { table, field } = violation
    const key = `${table} ${field}`
    counts.set(key, { model: table, field, count: (counts.get(key)?.count ?? 0) + violation.count })
  }
  return [...counts.values()]
}

import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Change, Outcome, Store, StoredRecord, Violation } from '../store/store.ts'
import { groupBy } from '../util/json.ts'

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
  /** The number of those that the user may view. */
  readonly count: number
}

/** Consequences of a deletion, as far as the user may view them. */
export interface VisibleRemovals {
  readonly records: readonly StoredRecord[]
  /** The changes of other records; none if the deletion is blocked. */
  readonly consequences: readonly Consequence[]
  /** The references that prevent the deletion. */
  readonly blockedBy: readonly Block[]
}

/**
 * The part of an outcome that an actor may know: without changes of hidden records, and with counts of visible referrers. The records of a model
 * that the actor has no permission to view are hidden, too.
 */
export async function visibleOutcome(access: AccessRules, store: Store, actor: Actor, outcome: Outcome): Promise<Outcome> {
  const visible = (table: string) => {
    const model = access.registry.expect(table)
    return model.internal ? undefined : access.only(actor, 'view', model)
  }
  if (!outcome.ok) {
    const violations = outcome.violations.map(async (violation): Promise<Violation> => {
      const only = violation.kind === 'restrict' ? visible(violation.table) : undefined
      if (violation.kind !== 'restrict' || only === undefined) return violation
      const { table, field, id, count } = violation
      const filters = [{ field, operator: 'eq', value: id } as const, only]
      const [found] = await store.findEach(table, [{ filters, sort: [], offset: 0, limit: 0 }])
      return { ...violation, count: Math.min(count, found?.total ?? 0) }
    })
    return { ok: false, violations: await Promise.all(violations) }
  }
  const shown: Change[] = []
  for (const [table, changes] of groupBy(outcome.changes, ({ table }) => table)) {
    const only = visible(table)
    const ids = changes.map(({ id }) => id)
    const known = only === undefined ? undefined : await store.matching(table, [only], ids)
    // A cascade may reach more records than the arguments that fit on the stack of a call.
    for (const change of changes) if (known?.has(change.id) !== false) shown.push(change)
  }
  return { ...outcome, changes: shown }
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

import type { SiteAction, SiteModel } from '../../client/client.ts'
import type { Permission } from '../data/administration.ts'

export const RECORD_ACTIONS: readonly SiteAction[] = ['view', 'add', 'change', 'delete']

/** The permissions of a model; undefined for an action without a permission. */
export interface PermissionRow {
  readonly label: string
  readonly ids: Readonly<Record<SiteAction, number | undefined>>
}

/** Sorts permissions into rows by model and columns by action. Those of no model are in `others`. */
export function permissionRows(
  models: readonly SiteModel[],
  permissions: readonly Permission[],
): { rows: readonly PermissionRow[]; others: readonly Permission[] } {
  const byName = new Map(permissions.map((each) => [each.codename, each.id]))
  const rows = models.map(({ key, label }) => {
    const [view, add, change, remove] = RECORD_ACTIONS.map((action) => byName.get(`${action}_${key}`))
    return { label, ids: { view, add, change, delete: remove } }
  })
  const placed = new Set(rows.flatMap(({ ids }) => Object.values(ids)))
  return { rows, others: permissions.filter(({ id }) => !placed.has(id)) }
}

/** Applies the changes between two sets to a third, so that changes of others are kept. */
export function mergedIds(stored: readonly number[], before: ReadonlySet<number>, after: ReadonlySet<number>): readonly number[] {
  const kept = stored.filter((id) => !before.has(id) || after.has(id))
  const added = [...after].filter((id) => !before.has(id) && !stored.includes(id))
  return [...kept, ...added]
}

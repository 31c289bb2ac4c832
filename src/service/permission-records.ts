import { ACTIONS, codename, SYSTEM } from '../auth/permissions.ts'
import type { Registry } from '../model/registry.ts'
import type { Store } from '../store/store.ts'
import type { Records } from './records.ts'

/** Adds the four permissions of every registered model that are not there yet. */
export async function addMissingPermissions(registry: Registry, store: Store, records: Records): Promise<void> {
  const known = new Set<unknown>()
  for await (const batch of store.stream('permission', { filters: [], sort: [] })) {
    for (const permission of batch) known.add(permission.codename)
  }
  const wanted = registry.public.flatMap((model) =>
    ACTIONS.map((action) => ({ codename: codename(action, model), name: `Can ${action} ${model.label.toLowerCase()}` })),
  )
  const missing = wanted.filter((permission) => !known.has(permission.codename))
  if (missing.length > 0) {
    await records.load(
      SYSTEM,
      missing.map((data) => ({ model: 'permission', data })),
    )
  }
}

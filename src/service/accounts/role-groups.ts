import { SYSTEM } from '../../auth/permissions.ts'
import type { Role } from '../../auth/roles.ts'
import { AppError } from '../../errors.ts'
import type { FieldFilter } from '../../query/plan.ts'
import type { Store } from '../../store/store.ts'
import type { Records } from '../records/records.ts'

/**
 * Creates the groups of roles that do not exist yet. A group that exists keeps its permissions, since users may have changed them.
 *
 * @throws {AppError} CONFIG_INVALID if the project's own group model does not accept one
 */
export async function addMissingRoles(roles: readonly Role[], store: Store, records: Records): Promise<void> {
  if (roles.length === 0) return
  const existing = await valuesOf(store, 'group', { field: 'name', operator: 'in', values: roles.map(({ name }) => name) })
  const missing = roles.filter(({ name }) => !existing.has(name))
  const codenames = missing.flatMap(({ permissions }) => permissions)
  const ids = await valuesOf(store, 'permission', { field: 'codename', operator: 'in', values: codenames })
  const refused = await records.load(
    SYSTEM,
    missing.map(({ name, permissions }) => ({
      model: 'group',
      data: { name, permissions: permissions.map((each) => ids.get(each) ?? 0) },
    })),
  )
  const [first] = refused
  if (first === undefined) return
  const messages = Object.values(first.issues.toMessages()).flat().join(', ')
  throw new AppError('CONFIG_INVALID', `The group of the role '${missing[first.index]?.name}' cannot be stored: ${messages}`)
}

/** The ids of records by the value of the filtered field. */
async function valuesOf(store: Store, table: string, filter: FieldFilter): Promise<ReadonlyMap<unknown, number>> {
  const found = new Map<unknown, number>()
  for await (const batch of store.stream(table, { filters: [filter], sort: [] })) {
    for (const record of batch) found.set(record[filter.field], record.id)
  }
  return found
}

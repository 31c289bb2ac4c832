import { codename, SYSTEM } from '../auth/permissions.ts'
import type { Role } from '../auth/roles.ts'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import type { Project } from '../project/project.ts'
import { permissionName } from '../project/stored-models.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'

/**
 * Creates the groups of roles that do not exist yet. A group that exists keeps its permissions, since users may have changed them.
 *
 * @throws {AppError} CONFIG_INVALID if the project's own group model does not accept one
 */
async function addMissingRoles(roles: readonly Role[], store: Store, records: Records): Promise<void> {
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

/**
 * Creates what access to a project builds on: the permission records of its models, and the groups of its roles.
 *
 * @throws {AppError} CONFIG_INVALID if the project's own models do not accept them
 */
export async function addMissingGrants({ registry, roles }: Project, store: Store, records: Records): Promise<void> {
  await addMissingPermissions(registry, store, records)
  await addMissingRoles(roles, store, records)
}

/**
 * True if permissions and roles exist before the seed records, which may refer to them. A project that seeds permissions or groups
 * itself decides on their ids.
 */
export const grantsPrecedeSeeds = ({ roles, seeds }: Project): boolean =>
  roles.length > 0 && !seeds.some(({ model }) => model === 'permission' || model === 'group')

/**
 * Creates the missing permission records: four for each registered model, and one for each of its actions.
 *
 * @throws {AppError} CONFIG_INVALID if the project's own permission model does not accept them
 */
async function addMissingPermissions(registry: Registry, store: Store, records: Records): Promise<void> {
  const known = new Set<unknown>()
  for await (const batch of store.stream('permission', { filters: [], sort: [] })) {
    for (const permission of batch) known.add(permission.codename)
  }
  const wanted = registry.public.flatMap((model) =>
    registry.actionsOf(model).map((action) => ({ codename: codename(action, model), name: permissionName(action, model.key) })),
  )
  const missing = wanted.filter((permission) => !known.has(permission.codename))
  if (missing.length > 0) {
    const refused = await records.load(
      SYSTEM,
      missing.map((data) => ({ model: 'permission', data })),
    )
    const messages = new Set(refused.flatMap(({ issues }) => Object.values(issues.toMessages()).flat()))
    if (messages.size > 0) {
      throw new AppError('CONFIG_INVALID', `The permissions of the models cannot be stored: ${[...messages].join(', ')}`)
    }
  }
}

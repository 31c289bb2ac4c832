import { ACTIONS } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import type { Registry } from '../../model/registry.ts'
import type { Operation, Store, StoredRecord } from '../../store/store.ts'
import type { Json } from '../../util/json.ts'
import { SUBSCRIPTIONS } from '../../webhooks/models.ts'
import type { Records } from '../records/records.ts'

/**
 * Renames what refers to a renamed model by its name: its permissions, which users and groups keep, and the models of webhook
 * subscriptions. Nothing is left to rename when it is called again. The store renames the records themselves.
 */
export async function renameReferences(registry: Registry, store: Store, records: Records): Promise<void> {
  const renamed = registry.public.flatMap(({ key, was }) => (was === undefined ? [] : [{ key, was }]))
  if (renamed.length === 0) return
  const permissions = new Map<unknown, StoredRecord>()
  for await (const batch of store.stream('permission', ALL)) for (const each of batch) permissions.set(each.codename, each)
  const operations: Operation[] = []
  const replaced = new Map<number, number>()
  for (const { key, was } of renamed) {
    for (const action of ACTIONS) {
      const former = permissions.get(`${action}_${was}`)
      const present = permissions.get(`${action}_${key}`)
      if (former === undefined) continue
      if (present === undefined) operations.push(renamedPermission(former, `${action}_${key}`, `Can ${action}`, { key, was }))
      else replaced.set(former.id, present.id)
    }
  }
  operations.push(...(await replacedPermissions(store, replaced)))
  for (const id of replaced.keys()) operations.push({ kind: 'remove', table: 'permission', id })
  await commit(records, operations)
  await commit(records, await renamedSubscriptions(store, new Map(renamed.map(({ key, was }) => [was, key]))))
}

const ALL = { filters: [], sort: [] } as const

const update = (table: string, id: number, values: Record<string, Json>): Operation => ({ kind: 'update', table, id, values })

/** A name that an administrator chose stays. */
function renamedPermission(
  { id, name }: StoredRecord,
  codename: string,
  action: string,
  { key, was }: { key: string; was: string },
): Operation {
  const isOurs = name === `${action} ${was}`
  return update('permission', id, { codename, ...(isOurs && { name: `${action} ${key}`.slice(0, 255) }) })
}

/** Gives the holders of permissions the present ones, which a start without `was` has created. */
async function replacedPermissions(store: Store, presentIds: ReadonlyMap<number, number>): Promise<Operation[]> {
  if (presentIds.size === 0) return []
  const operations: Operation[] = []
  for (const table of ['user', 'group']) {
    const filters = [{ field: 'permissions', operator: 'in', values: [...presentIds.keys()] }] as const
    for await (const batch of store.stream(table, { filters, sort: [] })) {
      for (const { id, permissions } of batch) {
        const held = (permissions as readonly number[]).map((each) => presentIds.get(each) ?? each)
        operations.push(update(table, id, { permissions: [...new Set(held)] }))
      }
    }
  }
  return operations
}

async function renamedSubscriptions(store: Store, keys: ReadonlyMap<string, string>): Promise<Operation[]> {
  const operations: Operation[] = []
  for await (const batch of store.stream(SUBSCRIPTIONS, ALL)) {
    for (const { id, models } of batch) {
      if (!Array.isArray(models) || !models.some((model) => keys.has(String(model)))) continue
      const renamed = new Set(models.map((model: Json) => keys.get(String(model)) ?? model))
      operations.push(update(SUBSCRIPTIONS, id, { models: [...renamed] }))
    }
  }
  return operations
}

async function commit(records: Records, operations: readonly Operation[]): Promise<void> {
  if (operations.length === 0) return
  const outcome = await records.commitMigration(operations)
  if (outcome.ok) return
  const fields = outcome.violations.map((violation) => ('field' in violation ? violation.field : violation.kind))
  throw new AppError('RENAME_CONFLICT', `The permissions of renamed models cannot be renamed: ${[...new Set(fields)].join(', ')}`)
}

import { ACTIONS } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { LostName } from '../lint/project.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import type { StoredContent, StoredNames } from '../store/stored-models.ts'
import type { Json } from '../util/json.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'
import { SUBSCRIPTIONS } from '../webhooks/models.ts'

/** What the data still holds of a model that the project does not have any more. */
export interface RemovedModel {
  readonly key: string
  /** True if there is a table, with or without records. */
  readonly hasTable: boolean
  readonly records: number
  readonly permissions: readonly { readonly id: number; readonly codename: string }[]
}

/**
 * Finds stored tables and permissions of models that the project does not have. A permission counts only if the server created it for
 * a model: the model has a table, or the permission still has the name that the server gives.
 */
export function findRemovedModels({ tables, permissions }: StoredContent, registry: Registry): RemovedModel[] {
  const keys = new Set(registry.all.map(({ key }) => key))
  const removed = new Map<string, { -readonly [Member in keyof RemovedModel]: RemovedModel[Member] }>()
  for (const [key, records] of tables) {
    if (!keys.has(key)) removed.set(key, { key, hasTable: true, records, permissions: [] })
  }
  for (const { id, codename, name } of permissions) {
    const [, action, key = ''] = PERMISSION.exec(codename) ?? []
    if (action === undefined || keys.has(key)) continue
    const model = removed.get(key) ?? { key, hasTable: false, records: 0, permissions: [] }
    const isOfEveryModel = ACTIONS.some((each) => each === action)
    if (!(model.hasTable && isOfEveryModel) && name !== permissionName(action, key)) continue
    removed.set(key, { ...model, permissions: [...model.permissions, { id, codename }] })
  }
  return [...removed.values()]
}

/** The key of a model has no underscore. */
const PERMISSION = /^(\w+)_([a-z0-9]+)$/

/** The name of the permission that the server creates for an action on a model. */
export const permissionName = (action: string, key: string): string => `Can ${action} ${key}`.slice(0, 255)

/**
 * Pairs a stored name without a model or field with each model or field without stored values that it may have become: a field that
 * accepts all of the sampled values, or a model whose fields are for the most part the stored ones.
 */
export function findLostNames(stored: StoredNames, registry: Registry): LostName[] {
  const lost: LostName[] = []
  for (const [was, { records, fields }] of stored) {
    const model = registry.get(was)
    if (model !== undefined) lost.push(...lostFields(model, fields))
    else if (records > 0) {
      const candidates = registry.public.filter((each) => !stored.get(each.key)?.records && isSimilar(each, [...fields.keys()]))
      lost.push(...candidates.map(({ key }) => ({ model: key, field: undefined, was, records })))
    }
  }
  return lost
}

type StoredFields = NonNullable<ReturnType<StoredNames['get']>>['fields']

function lostFields(model: Model, stored: StoredFields): LostName[] {
  const empty = [...model.fields.values()].filter((field) => !field.system && !stored.has(field.name))
  return [...stored].flatMap(([was, { records, sample }]) => {
    if (model.fields.has(was)) return []
    const candidates = empty.filter((field) => acceptsAll(field, sample))
    return candidates.map((field) => ({ model: model.key, field: field.name, was, records }))
  })
}

const acceptsAll = ({ type }: Field, sample: readonly unknown[]): boolean =>
  sample.every((value) => (type.secret ? typeof value === 'string' && value.startsWith('$argon2') : type.read(value).ok))

function isSimilar(model: Model, stored: readonly string[]): boolean {
  const own = stored.filter((name) => model.fields.get(name)?.system === false)
  const all = stored.filter((name) => !['id', 'created_at', 'updated_at'].includes(name))
  const fields = [...model.fields.values()].filter(({ system }) => !system)
  return own.length > 0 && own.length * 2 >= all.length && own.length * 2 >= fields.length
}

/**
 * Renames what refers to a renamed model by its name: its permissions, which users and groups keep, the models of webhook
 * subscriptions, and saved views. Nothing is left to rename when it is called again. The store renames the records themselves.
 */
export async function renameReferences(registry: Registry, store: Store, records: Records): Promise<void> {
  const renamed = registry.public.flatMap(({ key, was }) => (was === undefined ? [] : [{ key, was }]))
  if (renamed.length === 0) return
  const permissions = new Map<unknown, StoredRecord>()
  for await (const batch of store.stream('permission', ALL)) for (const each of batch) permissions.set(each.codename, each)
  const operations: Operation[] = []
  const replaced = new Map<number, number>()
  for (const { key, was } of renamed) {
    for (const action of registry.actionsOf(registry.expect(key))) {
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
  const keys = new Map(renamed.map(({ key, was }) => [was, key]))
  await commit(records, [...(await renamedSubscriptions(store, keys)), ...(await renamedViews(store, keys))])
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

async function renamedViews(store: Store, keys: ReadonlyMap<string, string>): Promise<Operation[]> {
  const operations: Operation[] = []
  for await (const batch of store.stream(SAVED_VIEWS, ALL)) {
    for (const { id, model } of batch) {
      const key = keys.get(String(model))
      if (key !== undefined) operations.push(update(SAVED_VIEWS, id, { model: key }))
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

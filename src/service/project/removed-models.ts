import { ACTIONS } from '../../auth/permissions.ts'
import type { Registry } from '../../model/registry.ts'
import type { StoredContent } from '../../store/stored-names.ts'

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
    if (!model.hasTable && name !== permissionName(action, key)) continue
    removed.set(key, { ...model, permissions: [...model.permissions, { id, codename }] })
  }
  return [...removed.values()]
}

const PERMISSION = new RegExp(`^(${ACTIONS.join('|')})_(\\w+)$`)

/** The name of the permission that the server creates for an action on a model. */
export const permissionName = (action: string, key: string): string => `Can ${action} ${key}`.slice(0, 255)

import type { Model } from '../model/model.ts'

/** What can be done to the records of a model. */
export type Action = 'view' | 'add' | 'change' | 'delete'

/** All actions, in the order in which permission records are created. */
export const ACTIONS: readonly Action[] = ['view', 'add', 'change', 'delete']

/** The identity on whose behalf an operation runs. */
export interface Actor {
  /** Undefined for the server itself and for the CLI. */
  readonly userId: number | undefined
  readonly isSuperuser: boolean
  /** Codenames such as `change_post`. */
  readonly permissions: ReadonlySet<string>
}

/** The server itself. It may do everything and sees internal models. */
export const SYSTEM: Actor = { userId: undefined, isSuperuser: true, permissions: new Set() }

/** A user of the CLI in the project folder. It has the rights of a superuser and does not see internal models. */
export const SHELL: Actor = { ...SYSTEM }

/** `view_post` */
export const codename = (action: Action, model: Model): string => `${action}_${model.key}`

/** Decides whether an actor may perform an action on the records of a model. */
export function may(actor: Actor, action: Action, model: Model): boolean {
  return actor.isSuperuser || actor.permissions.has(codename(action, model))
}

const PRIVILEGED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['user', new Set(['is_superuser', 'groups', 'permissions'])],
  ['group', new Set(['permissions'])],
  // Renaming a permission changes what its holders may do.
  ['permission', new Set(['codename'])],
])

/** True for fields that grant permissions; only superusers may set them. */
export const isPrivileged = (model: Model, field: string): boolean => PRIVILEGED.get(model.key)?.has(field) === true

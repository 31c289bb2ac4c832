import type { Model } from '../model/model.ts'

/** What can be done to the records of a model. */
export type Action = 'view' | 'add' | 'change' | 'delete'

/** Every action, in the order in which permissions are made. */
export const ACTIONS: readonly Action[] = ['view', 'add', 'change', 'delete']

/** On whose behalf something is done. */
export interface Actor {
  /** Undefined for the server itself: seeds and the shell. */
  readonly userId: number | undefined
  readonly isSuperuser: boolean
  /** Codenames such as `change_post`. */
  readonly permissions: ReadonlySet<string>
}

/** The server itself, which may do everything. */
export const SYSTEM: Actor = { userId: undefined, isSuperuser: true, permissions: new Set() }

/** Whoever uses the shell where the data is: as a superuser, who sees no models of the server's own. */
export const SHELL: Actor = { ...SYSTEM }

/** `view_post` */
export const codename = (action: Action, model: Model): string => `${action}_${model.key}`

/** Decides whether an actor may do something to the records of a model. */
export function may(actor: Actor, action: Action, model: Model): boolean {
  return actor.isSuperuser || actor.permissions.has(codename(action, model))
}

const PRIVILEGED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['user', new Set(['is_superuser', 'groups', 'permissions'])],
  ['group', new Set(['permissions'])],
  // Whoever renames a permission changes what its holders may do.
  ['permission', new Set(['codename'])],
])

/** True for fields that give power: only a superuser may set them. */
export const isPrivileged = (model: Model, field: string): boolean => PRIVILEGED.get(model.key)?.has(field) === true

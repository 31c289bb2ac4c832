import { type Actor, inScope } from '../auth/permissions.ts'
import type { Filter } from '../query/plan.ts'
import type { StoredRecord } from '../store/store.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'
import type { Bound } from './condition.ts'

/** The permission to share saved views with everyone, and to change those that others have shared. */
export const SHARING = `change_${SAVED_VIEWS}`

/** The ids of the groups of an actor, also of a superuser. */
export const groupIdsOf = ({ user }: Actor): readonly number[] =>
  Array.isArray(user?.groups) ? (user.groups as readonly number[]) : []

/** Decides whether an actor may share saved views with everyone and with any group. */
export const mayShareWithAll = ({ isSuperuser, permissions }: Actor): boolean => isSuperuser || permissions.has(SHARING)

/** The saved views that are meant for an actor: their own, those of their groups, those of everyone. */
export function meantFor(actor: Actor): Filter {
  const own = ownOf(actor)
  const ofGroups = groupIdsOf(actor).map((value): Filter => ({ field: 'groups', operator: 'eq', value }))
  return { any: [...(own === undefined ? [] : [own]), { field: 'everyone', operator: 'eq', value: true }, ...ofGroups] }
}

/**
 * The saved views for which an actor, who is no superuser, may perform an action. All users keep views of their own, without permissions.
 * `change_savedview` and `delete_savedview` hold for the views that others have shared with them.
 */
export function savedViewBound(actor: Actor, action: string): Bound {
  const own = ownOf(actor)
  if (own === undefined) return false
  if (action === 'view') return meantFor(actor)
  if (action === 'add') return own
  return actor.permissions.has(`${action}_${SAVED_VIEWS}`) ? meantFor(actor) : own
}

/** Decides whether an actor may change or delete a saved view that is meant for them. */
export const mayActOnView = (actor: Actor, action: 'change' | 'delete', { user_id: owner }: StoredRecord): boolean =>
  (actor.key === undefined || inScope(actor.key, action, { key: SAVED_VIEWS })) &&
  (actor.isSuperuser || owner === actor.userId || actor.permissions.has(`${action}_${SAVED_VIEWS}`))

/** All that `savedViewBound` reads of an actor, as text. */
export const savedViewRights = (actor: Actor): string => JSON.stringify([actor.userId, groupIdsOf(actor)])

const ownOf = ({ userId }: Actor): Filter | undefined =>
  userId === undefined ? undefined : { field: 'user_id', operator: 'eq', value: userId }

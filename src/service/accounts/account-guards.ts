import type { Actor } from '../../auth/permissions.ts'
import type { Model } from '../../model/model.ts'
import type { Change, Outcome, Store, StoredRecord } from '../../store/store.ts'
import { forbidden } from '../model-access.ts'
import type { RecordData } from '../records/write-requests.ts'

/** The codenames that a user holds, directly and through groups. Says nothing of superusers, who need none. */
export async function grantsOf(store: Store, user: StoredRecord): Promise<ReadonlySet<string>> {
  const groups = await store.get('group', linksIn(user, 'groups'))
  const ids = new Set([user, ...groups].flatMap((holder) => (holder === undefined ? [] : linksIn(holder, 'permissions'))))
  const permissions = await store.get('permission', [...ids])
  return new Set(permissions.map((permission) => String(permission?.codename)))
}

/**
 * Keeps anybody from taking over an account that may do more than they may: a superuser's account is changed and deleted by
 * superusers alone, and the password of a user with other permissions by superusers and by that user.
 *
 * @param data what is to be set; undefined for a deletion
 * @throws {AppError} FORBIDDEN
 */
export async function guardAccount(
  store: Store,
  actor: Actor,
  model: Model,
  user: StoredRecord,
  data?: RecordData,
): Promise<void> {
  if (model.key !== 'user' || actor.isSuperuser) return
  if (user.is_superuser === true) throw forbidden()
  if (data === undefined || !Object.hasOwn(data, 'password')) return
  for (const codename of await grantsOf(store, user)) if (!actor.permissions.has(codename)) throw forbidden()
}

/**
 * Keeps superusers from going with a record that they refer to by a relation that cascades.
 *
 * @param outcome of removals that somebody else is about to make
 * @throws {AppError} FORBIDDEN
 */
export function guardSuperusers(outcome: Outcome): void {
  const goes = ({ table, before, after }: Change) => table === 'user' && before?.is_superuser === true && after === undefined
  if (outcome.ok && outcome.changes.some(goes)) throw forbidden()
}

/** The users, as they are now, that changes gave another password, or disabled or enabled. */
export function usersAffected(changes: readonly Change[]): StoredRecord[] {
  return changes.flatMap(({ table, before, after }) => {
    if (table !== 'user' || before === undefined || after === undefined) return []
    return changesAccess(before, after) ? [after] : []
  })
}

/** True when a user has another password by then, or is disabled or enabled. */
export const changesAccess = (before: StoredRecord, after: StoredRecord): boolean =>
  before.password !== after.password || before.is_active !== after.is_active

const linksIn = (record: StoredRecord, field: string): readonly number[] => {
  const ids = record[field]
  return Array.isArray(ids) ? (ids as readonly number[]) : []
}

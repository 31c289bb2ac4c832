import type { Actor } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { forbidden } from './lookup.ts'
import type { RecordData } from './requests.ts'

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

const linksIn = (record: StoredRecord, field: string): readonly number[] => {
  const ids = record[field]
  return Array.isArray(ids) ? (ids as readonly number[]) : []
}

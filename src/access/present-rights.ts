import { API_KEYS } from '../auth/account-models.ts'
import { unauthenticated } from '../auth/login-failure.ts'
import { type Actor, GIVEN_KEY_ID } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { isSameValue, type Store, type StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import type { AccessRules } from './access-rules.ts'

/** A user with all present rights. */
export async function actorOfUser(store: Pick<Store, 'get'>, user: StoredRecord, session?: string): Promise<Actor> {
  const isSuperuser = user.is_superuser === true
  return { userId: user.id, isSuperuser, user, session, ...(isSuperuser ? NO_GRANTS : await grantsOf(store, user)) }
}

/** Superusers need no permissions. */
const NO_GRANTS = { permissions: new Set<string>(), groups: new Set<string>() }

/** The codenames that a user holds directly and through groups, and the names of the groups. Superusers need none. */
export async function grantsOf(store: Pick<Store, 'get'>, user: StoredRecord): Promise<Pick<Actor, 'permissions' | 'groups'>> {
  const groups = await store.get('group', linksIn(user, 'groups'))
  const ids = new Set([user, ...groups].flatMap((holder) => (holder === undefined ? [] : linksIn(holder, 'permissions'))))
  const permissions = await store.get('permission', [...ids])
  return {
    permissions: new Set(permissions.map((permission) => String(permission?.codename))),
    groups: new Set(groups.map((group) => String(group?.name))),
  }
}

const linksIn = (record: StoredRecord, field: string): readonly number[] => {
  const ids = record[field]
  return Array.isArray(ids) ? (ids as readonly number[]) : []
}

/** Fields of a user that the server sets, and that no right depends on. */
const INCIDENTAL: ReadonlySet<string> = new Set(['last_login', 'updated_at'])

/**
 * Checks that a user still has the rights of an actor. A request gets its actor when it begins; a write that waited for others is judged again
 * before its commit.
 *
 * @throws {AppError} UNAUTHENTICATED for an account that was disabled or deleted meanwhile, WRITE_CONFLICT for other rights
 */
export async function checkPresentRights(store: Pick<Store, 'get'>, access: AccessRules, actor: Actor): Promise<void> {
  if (actor.key !== undefined) {
    const { id, owner } = actor.key
    if (id !== GIVEN_KEY_ID && (await store.get(API_KEYS, [id]))[0] === undefined) throw unauthenticated()
    return checkPresentRights(store, access, owner)
  }
  const { userId, user, isSuperuser } = actor
  // The server, the shell, and the server on behalf of a user keep their rights.
  if (userId === undefined || user === undefined || (isSuperuser && user.is_superuser !== true)) return
  const [present] = await store.get('user', [userId])
  if (present?.is_active !== true) throw unauthenticated()
  if ((present.is_superuser === true) !== isSuperuser) throw changed()
  if (isSuperuser) return
  // Conditions of `access:` may name any field of the user.
  if (!access.isEmpty && differs(present, user)) throw changed()
  const { permissions, groups } = await grantsOf(store, present)
  if (!isSameSet(permissions, actor.permissions) || !isSameSet(groups, actor.groups)) throw changed()
}

const changed = (): AppError =>
  new AppError('WRITE_CONFLICT', 'The permissions of the user have changed meanwhile; nothing was written. Repeat the request')

const differs = (present: StoredRecord, user: JsonObject): boolean =>
  present !== user &&
  Object.keys({ ...user, ...present }).some(
    (name) => !INCIDENTAL.has(name) && !isSameValue(present[name] ?? null, user[name] ?? null),
  )

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((each) => other.has(each))

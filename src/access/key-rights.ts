import { type Actor, ALL_SCOPE, codename, GENERAL_SCOPES, inScope } from '../auth/permissions.ts'
import type { Registry } from '../model/registry.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'

/** An API key of an actor, as it is stored or as the server was given it. */
export interface HeldKey extends Pick<StoredRecord, 'id'> {
  readonly scopes?: Json | undefined
  /** ISO 8601; null or absent for a key that does not expire. */
  readonly expires_at?: Json | undefined
}

const GENERAL: ReadonlySet<string> = new Set(GENERAL_SCOPES)

/**
 * The owner of an API key with the rights that are left within its scopes. With a scope other than `*` a superuser is none: what superusers alone
 * may do needs `*`, and everything else that asks for permissions finds those of the scopes.
 */
export function withinKey(owner: Actor, { id, scopes: written, expires_at: end }: HeldKey, registry: Registry): Actor {
  const scopes = new Set(Array.isArray(written) ? written.map(String) : [])
  const expiresAt = typeof end === 'string' ? Date.parse(end) : undefined
  const key = { id, scopes, scopeText: JSON.stringify([...scopes].sort()), expiresAt, owner }
  if (scopes.has(ALL_SCOPE)) return { ...owner, key }
  const named = [...scopes].filter((name) => !GENERAL.has(name))
  const covered = registry.public.flatMap((model) =>
    registry.actionsOf(model).flatMap((action) => (inScope(key, action, model) ? [codename(action, model)] : [])),
  )
  const permissions = new Set([...named, ...covered].filter((name) => owner.isSuperuser || owner.permissions.has(name)))
  return { ...owner, isSuperuser: false, permissions, key }
}

/** True for a stored key that has not expired. */
export const isCurrentKey = ({ expires_at: end }: HeldKey, now: number): boolean =>
  typeof end !== 'string' || now < Date.parse(end)

import { AppError } from '../errors.ts'
import { ACCESS_ACTIONS } from '../model/definition.ts'
import type { Model } from '../model/model.ts'
import type { JsonObject } from '../util/json.ts'
import { unauthenticated } from './login-failure.ts'

/** Actions on the records of a model. */
export type Action = (typeof ACCESS_ACTIONS)[number]

/** All actions, in the order in which permission records are created. */
export const ACTIONS: readonly Action[] = ACCESS_ACTIONS

/** The identity on whose behalf an operation runs. */
export interface Actor {
  /** Undefined for the server itself, the CLI, and requests without a token. */
  readonly userId: number | undefined
  readonly isSuperuser: boolean
  /** Codenames such as `change_post`. */
  readonly permissions: ReadonlySet<string>
  /** Names of the user's groups; empty for superusers, who need none. */
  readonly groups: ReadonlySet<string>
  /** The user's record, as stored; undefined for the server, the CLI, and requests without a token. */
  readonly user: JsonObject | undefined
  /** The id that all tokens of one session carry; undefined without a session. */
  readonly session?: string | undefined
  /** The API key of the request; undefined without one. The other members are then the rights of the owner within its scopes. */
  readonly key?: ActorKey | undefined
  /** When the token was issued, in milliseconds, if it belongs to no session. */
  readonly issuedAt?: number | undefined
  /** True for the session of a user who has to set up a second factor first. */
  readonly mustEnrol?: boolean | undefined
}

/** The API key that a request was sent with. */
export interface ActorKey {
  readonly id: number
  /** Codenames, `read`, `write` or `*`. */
  readonly scopes: ReadonlySet<string>
  /** The scopes as text, by which caches tell keys apart. */
  readonly scopeText: string
  /** In milliseconds; undefined for a key that does not expire. */
  readonly expiresAt: number | undefined
  /** The owner with all present rights. For `access/` only, which asks `inScope` first. */
  readonly owner: Actor
}

/** The id of the key that an ephemeral server was given. It is not stored. */
export const GIVEN_KEY_ID = 0

/** The scope of all rights of the owner of a key, but for those that no key has (`refuseKeys`). */
export const ALL_SCOPE = '*'

/** Scopes beside codenames: `read` is every permission to view, `write` every other one for the records of models, `*` all that the owner may do. */
export const GENERAL_SCOPES = ['read', 'write', ALL_SCOPE] as const

/** Decides whether scopes have a right that is no permission: to read what every user may read, or to write. */
export const hasScope = ({ scopes }: Pick<ActorKey, 'scopes'>, general: 'read' | 'write'): boolean =>
  scopes.has(ALL_SCOPE) || scopes.has(general)

/** Decides whether the scopes of a key name an action on the records of a model. */
export const inScope = (key: Pick<ActorKey, 'scopes'>, action: string, model: Pick<Model, 'key'>): boolean =>
  hasScope(key, action === 'view' ? 'read' : 'write') || key.scopes.has(codename(action, model))

/**
 * Refuses requests with an API key, whatever its scopes: keys manage no keys, second factors, passwords, sessions, addresses or identities,
 * and replace no accounts.
 *
 * @param what what is refused, for the message: `manage keys`
 * @throws {AppError} FORBIDDEN
 */
export function refuseKeys({ key }: Actor, what: string): void {
  if (key !== undefined) throw new AppError('FORBIDDEN', `A key cannot ${what}; log in as a user`)
}

/** The server itself. It may do everything and sees internal models. */
export const SYSTEM: Actor = {
  userId: undefined,
  isSuperuser: true,
  permissions: new Set(),
  groups: new Set(),
  user: undefined,
}

/**
 * A user of the CLI in the project folder. It has the rights of a superuser and does not see internal models. Callers compare actors with SYSTEM,
 * SHELL and ANONYMOUS by identity, so a copy of one is another actor.
 */
export const SHELL: Actor = { ...SYSTEM }

/** A request without a token. */
export const ANONYMOUS: Actor = { ...SYSTEM, isSuperuser: false }

/** `view_post` */
export const codename = (action: string, model: Pick<Model, 'key'>): string => `${action}_${model.key}`

/** Decides whether an actor has the permission to perform an action on the records of a model. */
export function isPermitted(actor: Actor, action: string, model: Model): boolean {
  return actor.isSuperuser || actor.permissions.has(codename(action, model))
}

/** Fields of users that give access to an account. */
const CREDENTIALS: ReadonlySet<string> = new Set(['password', 'email'])

/**
 * Refuses an API key that would set how a user logs in, so that a leaked key does not become a login.
 *
 * @param existing the stored record; undefined for a new user, who may get an address but no password
 * @throws {AppError} FORBIDDEN
 */
export function refuseCredentials(
  actor: Actor,
  model: Model,
  existing: JsonObject | undefined,
  data: Readonly<Record<string, unknown>>,
): void {
  if (actor.key === undefined || model.key !== 'user') return
  for (const name of CREDENTIALS) {
    if (!Object.hasOwn(data, name)) continue
    const isSame =
      existing === undefined
        ? name === 'email' || (data[name] ?? null) === null
        : name === 'email' && data[name] === existing[name]
    if (!isSame) refuseKeys(actor, `set the ${name} of a user`)
  }
}

const PRIVILEGED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['user', new Set(['is_superuser', 'groups', 'permissions'])],
  ['group', new Set(['permissions'])],
  // Renaming a permission changes what its holders may do.
  ['permission', new Set(['codename'])],
])

/** True for fields that grant permissions; only superusers may set them. */
export const isPrivileged = (model: Model, field: string): boolean => PRIVILEGED.get(model.key)?.has(field) === true

/** The error for every action that the actor may not perform: UNAUTHENTICATED without a token, FORBIDDEN with one. */
export const forbidden = (actor: Actor): AppError =>
  actor === ANONYMOUS ? unauthenticated() : new AppError('FORBIDDEN', 'User does not have permission to access this resource')

/** @throws {AppError} UNAUTHENTICATED without a token, FORBIDDEN with one */
export function superusersOnly(actor: Actor): void {
  if (!actor.isSuperuser) throw forbidden(actor)
}

/** `User with ID 999 does not exist` */
export const noSuchRecord = (model: { readonly name: string }, id: number): string => `${model.name} with ID ${id} does not exist`

import { LRUCache } from 'lru-cache'
import type { AccessRules } from '../access/access-rules.ts'
import { isCurrentKey, withinKey } from '../access/key-rights.ts'
import { actorOfUser } from '../access/present-rights.ts'
import { API_KEYS } from '../auth/account-models.ts'
import { hashOfKey, hintOf, isApiKey, KEY_PREFIX, makeApiKey } from '../auth/api-key.ts'
import { LoginFailure, unauthenticated } from '../auth/login-failure.ts'
import {
  type Actor,
  ALL_SCOPE,
  codename,
  forbidden,
  GENERAL_SCOPES,
  GIVEN_KEY_ID,
  noSuchRecord,
  refuseKeys,
  SHELL,
  SYSTEM,
  superusersOnly,
} from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Records } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { type Clock, DAY_MS, isoTime } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, firstMessages, meantOrKnown } from '../util/suggest.ts'
import { printable } from '../util/text.ts'
import { FieldIssues } from '../validate/issues.ts'
import { type AccountEvents, actedBy } from './account-events.ts'
import type { ActorCache } from './actor-cache.ts'
import type { RecentLogin } from './recent-login.ts'
import { type LoginClient, succeeds } from './sessions.ts'
import { firstSuperuser } from './users.ts'

/** An API key as the API returns it; `key` itself only once, when it is created. */
export interface ShownKey {
  readonly id: number
  readonly name: string
  readonly owner: { readonly id: number; readonly username: string }
  /** `adm_…` with the last four characters. */
  readonly hint: string
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

interface ApiKeyParts {
  readonly access: AccessRules
  readonly store: Store
  readonly records: Records
  readonly actors: ActorCache
  readonly events: AccountEvents
  readonly recent: Pick<RecentLogin, 'require'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** A key of the first superuser that is not stored, for an ephemeral server. */
  readonly givenKey?: string | undefined
}

/** Lifetimes of keys, in days. */
export const KEY_DAYS = { usual: 90, max: 3650 } as const

/** Maximum length of the name of a key. */
export const MAX_KEY_NAME = 100

/** Maximum number of scopes of a key. */
export const MAX_SCOPES = 500

/** Maximum number of keys of a user. */
const MAX_KEYS = 100

/** `last_used_at` is stored at most once in this time, in milliseconds. */
const USE_MS = 60_000

/** Keys whose hash and last use are remembered. */
const MAX_USED = 10_000

const MEMBERS = ['name', 'scopes', 'expires_in_days', 'user_id']

/**
 * API keys: texts by which programs act for a user, within scopes. A key is stored as its SHA-256, and its rights are those of its scopes that the
 * owner has at each request. No key, whatever its scopes, manages keys, passwords or other ways to log in.
 */
export class ApiKeys {
  readonly #parts: ApiKeyParts
  readonly #given: string | undefined
  /** The hashes of keys that were accepted, so that not every request computes one. Whether a key is still good is asked for each request. */
  readonly #hashes = new LRUCache<string, string>({ max: MAX_USED })
  /** When the use of a key was last noted, by id. */
  readonly #used = new Map<number, number>()

  constructor(parts: ApiKeyParts) {
    this.#parts = parts
    this.#given = parts.givenKey === undefined ? undefined : hashOfKey(parts.givenKey)
  }

  /** True for a bearer token that is a key, good or not; otherwise it is an access token. */
  isKey(token: string): boolean {
    return token.startsWith(KEY_PREFIX) || (this.#given !== undefined && hashOfKey(token) === this.#given)
  }

  /**
   * The present actor of a key.
   *
   * @throws {AppError} UNAUTHENTICATED for a key that is unknown, revoked or expired, or whose owner is disabled
   */
  async actorOf(token: string): Promise<Actor> {
    const { actors, clock } = this.#parts
    const known = this.#hashes.get(token)
    const hash = known ?? hashOfKey(token)
    if (hash === this.#given) return actors.of({ sub: 'given', jti: 'key' }, () => this.#readGiven())
    if (known === undefined && !isApiKey(token)) throw refused()
    const actor = await actors.of({ sub: 'key', jti: hash }, () => this.#read([{ field: 'hash', operator: 'eq', value: hash }]))
    if (known === undefined) this.#hashes.set(token, hash)
    const { id, expiresAt } = actor.key ?? { id: GIVEN_KEY_ID, expiresAt: undefined }
    const now = clock()
    if (expiresAt !== undefined && now >= expiresAt) throw refused()
    this.#noteUse(id, now)
    return actor
  }

  /** The present actor of a key of a user by its id, without the key: for links that were signed with it. @throws {AppError} UNAUTHENTICATED */
  async actorOfId(userId: number, id: number): Promise<Actor> {
    const { actors, clock } = this.#parts
    if (id === GIVEN_KEY_ID && this.#given !== undefined) return actors.of({ sub: 'given', jti: 'key' }, () => this.#readGiven())
    const filters: FieldFilter[] = [
      { field: 'id', operator: 'eq', value: id },
      { field: 'user_id', operator: 'eq', value: userId },
    ]
    const actor = await actors.of({ sub: String(userId), jti: `key ${id}` }, () => this.#read(filters))
    if (actor.key?.expiresAt !== undefined && clock() >= actor.key.expiresAt) throw refused()
    return actor
  }

  /**
   * Keys, newest first: the actor's own, or those of a user; of all users for a command of the project's shell.
   *
   * @param userId another user, for superusers
   * @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND
   */
  async list(actor: Actor, userId?: number): Promise<{ data: readonly ShownKey[]; total: number }> {
    refuseKeys(actor, 'manage keys')
    const owner = userId === undefined && actor === SHELL ? undefined : await this.#owner(actor, userId)
    const filters: FieldFilter[] = owner === undefined ? [] : [{ field: 'user_id', operator: 'eq', value: owner.id }]
    const plan = { filters, sort: [{ field: 'id', order: 'desc' }] as const, offset: 0, limit: 1000 }
    const { records, total } = await this.#parts.store.find(API_KEYS, plan)
    return { data: await this.#shown(records), total }
  }

  /**
   * Creates a key. The answer is the only place that ever has it.
   *
   * @param body `{name, scopes, expires_in_days?, user_id?}`
   * @throws {AppError} VALIDATION_FAILED by member; FORBIDDEN, RECORD_NOT_FOUND
   */
  async create(actor: Actor, body: unknown, client?: LoginClient): Promise<ShownKey & { readonly key: string }> {
    refuseKeys(actor, 'manage keys')
    const { records, clock, random, log, recent } = this.#parts
    await recent.require(actor)
    const { name, scopes, days, userId } = await this.#request(body)
    const owner = await this.#owner(actor, userId)
    if (owner.is_active !== true)
      throw new AppError('VALIDATION_FAILED', {
        user_id: [`User '${String(owner.username)}' is disabled; enable the user first, or name another owner`],
      })
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'eq', value: owner.id }]
    const { total } = await this.#parts.store.find(API_KEYS, { filters, sort: [], offset: 0, limit: 0 })
    if (total >= MAX_KEYS)
      throw new AppError('VALIDATION_FAILED', { name: [`A user has at most ${MAX_KEYS} keys; revoke one first`] })
    const key = makeApiKey(random)
    const expires_at = days === null ? null : isoTime(clock() + days * DAY_MS)
    const data = {
      user_id: owner.id,
      name,
      hash: hashOfKey(key),
      hint: hintOf(key),
      scopes: [...scopes],
      expires_at,
      last_used_at: null,
    }
    const stored = await records.create(SYSTEM, API_KEYS, { data })
    log.info('API key created', { event: 'key_created', key_id: stored.id, user_id: owner.id, by: actor.userId ?? 'system' })
    this.#note('key_created', actor, owner.id, client)
    const [shown] = await this.#shown([stored])
    if (shown === undefined) throw new Error('A key was not stored')
    return { ...shown, key }
  }

  /**
   * Revokes a key: one of the actor's own, or any for superusers.
   *
   * @returns the revoked key
   * @throws {AppError} RECORD_NOT_FOUND also for a key of another user; FORBIDDEN
   */
  async remove(actor: Actor, id: number, client?: LoginClient): Promise<ShownKey> {
    refuseKeys(actor, 'manage keys')
    const { store, records, log, recent } = this.#parts
    await recent.require(actor)
    const [key] = await store.get(API_KEYS, [id])
    if (key === undefined || (key.user_id !== actor.userId && !actor.isSuperuser)) throw noSuchKey(id)
    const [shown] = await this.#shown([key])
    if (shown === undefined || !(await succeeds(records.remove(SYSTEM, API_KEYS, id)))) throw noSuchKey(id)
    log.info('API key revoked', { event: 'key_revoked', key_id: id, user_id: shown.owner.id, by: actor.userId ?? 'system' })
    this.#note('key_revoked', actor, shown.owner.id, client)
    return shown
  }

  #note(event: 'key_created' | 'key_revoked', actor: Actor, owner: number, client: LoginClient | undefined): void {
    this.#parts.events.note(event, { user: { id: owner }, ...actedBy(actor, owner, client) })
  }

  async #readGiven(): Promise<Actor> {
    const { store, access } = this.#parts
    const user = await firstSuperuser(store)
    if (user === undefined) throw refused()
    return withinKey(await actorOfUser(store, user), { id: GIVEN_KEY_ID, scopes: [ALL_SCOPE], expires_at: null }, access.registry)
  }

  async #read(filters: readonly FieldFilter[]): Promise<Actor> {
    const { store, access, clock } = this.#parts
    const { records } = await store.find(API_KEYS, { filters, sort: [], offset: 0, limit: 1 }, { withoutTotal: true })
    const [key] = records
    const [user] = key === undefined ? [] : await store.get('user', [Number(key.user_id)])
    if (key === undefined || user?.is_active !== true || !isCurrentKey(key, clock())) throw refused()
    return withinKey(await actorOfUser(store, user), key, access.registry)
  }

  /** Notes the use of a key, at most once a minute. The request does not wait for it. */
  #noteUse(id: number, now: number): void {
    const last = this.#used.get(id)
    if (last !== undefined && Math.abs(now - last) < USE_MS) return
    if (this.#used.size >= MAX_USED) this.#used.clear()
    this.#used.set(id, now)
    // A key that was revoked just now, a full disk or a server that stops: a request does not fail by it.
    void this.#parts.records.updateInternal(API_KEYS, id, { last_used_at: isoTime(now) }).catch(() => {})
  }

  /** @param userId another user, for superusers; the actor by default */
  async #owner(actor: Actor, userId: number | undefined): Promise<StoredRecord> {
    const id = userId ?? actor.userId
    if (id === undefined)
      throw new AppError('INVALID_REQUEST', { user_id: ["Name the owner in 'user_id': the command line has no account"] })
    if (id !== actor.userId) superusersOnly(actor)
    const [user] = await this.#parts.store.get('user', [id])
    if (user !== undefined) return user
    if (userId === undefined) throw forbidden(actor)
    throw new AppError('RECORD_NOT_FOUND', noSuchRecord(this.#parts.access.registry.expect('user'), id))
  }

  async #shown(keys: readonly StoredRecord[]): Promise<readonly ShownKey[]> {
    const owners = await this.#parts.store.get(
      'user',
      keys.map(({ user_id: id }) => Number(id)),
    )
    return keys.map((key, index) => ({
      id: key.id,
      name: String(key.name),
      owner: { id: Number(key.user_id), username: String(owners[index]?.username ?? '') },
      hint: String(key.hint),
      scopes: (key.scopes ?? []) as readonly string[],
      created_at: String(key.created_at),
      expires_at: textOf(key.expires_at),
      last_used_at: textOf(key.last_used_at),
    }))
  }

  /** @throws {AppError} VALIDATION_FAILED */
  async #request(body: unknown): Promise<KeyRequest> {
    const members: Readonly<Record<string, unknown>> = isObject(body) ? body : {}
    const { name, scopes, expires_in_days: days = KEY_DAYS.usual, user_id: userId } = members
    const issues = new FieldIssues()
    for (const each of Object.keys(members).slice(0, 10))
      if (!MEMBERS.includes(each)) issues.add(each, `Field '${each}' does not exist${didYouMean(each, MEMBERS)}`)
    if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_KEY_NAME)
      issues.add('name', `name must be a text of 1 to ${MAX_KEY_NAME} characters, such as what the key is for`)
    else if (printable(name) !== name)
      issues.add('name', `name must be one line without control characters, not '${printable(name)}'`)
    const areTexts =
      Array.isArray(scopes) &&
      scopes.length > 0 &&
      scopes.length <= MAX_SCOPES &&
      scopes.every((each) => typeof each === 'string')
    if (areTexts) issues.add('scopes', ...(await this.#unknownScopes(scopes as string[])))
    else
      issues.add(
        'scopes',
        `scopes must be an array of 1 to ${MAX_SCOPES} names: ${GENERAL_SCOPES.join(', ')} or permissions such as view_user`,
      )
    if (days !== null && !(Number.isInteger(days) && Number(days) >= 1 && Number(days) <= KEY_DAYS.max))
      issues.add(
        'expires_in_days',
        `expires_in_days must be a whole number from 1 to ${KEY_DAYS.max}, or null for a key that does not expire`,
      )
    if (userId !== undefined && !(Number.isSafeInteger(userId) && Number(userId) > 0))
      issues.add('user_id', 'user_id must be the id of a user')
    issues.throwIfAny()
    return {
      name: String(name).trim(),
      scopes: [...new Set(scopes as string[])],
      days: days as number | null,
      userId: userId as number | undefined,
    }
  }

  /** Messages about scopes that are neither general, nor a permission of a model, nor another permission that is stored. */
  async #unknownScopes(scopes: readonly string[]): Promise<readonly string[]> {
    const { store, access } = this.#parts
    const ofModels = access.registry.public.flatMap((model) =>
      access.registry.actionsOf(model).map((action) => codename(action, model)),
    )
    const known = new Set<string>([...GENERAL_SCOPES, ...ofModels])
    const others = scopes.filter((name) => !known.has(name))
    if (others.length > 0) {
      const filters: FieldFilter[] = [{ field: 'codename', operator: 'in', values: others }]
      const { records } = await store.find('permission', { filters, sort: [], offset: 0, limit: others.length })
      for (const { codename: stored } of records) known.add(String(stored))
    }
    const all = [...known]
    return firstMessages(
      others.filter((name) => !known.has(name)),
      (name) => `Unknown scope '${name}'${didYouMean(name, all) || meantOrKnown(name, [...GENERAL_SCOPES, 'view_<model>'])}`,
    )
  }
}

interface KeyRequest {
  readonly name: string
  readonly scopes: readonly string[]
  readonly days: number | null
  readonly userId: number | undefined
}

const refused = (): AppError => unauthenticated(new LoginFailure('token_invalid'))

const noSuchKey = (id: number): AppError => new AppError('RECORD_NOT_FOUND', noSuchRecord({ name: 'Key' }, id))

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

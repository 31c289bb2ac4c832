import { createHash } from 'node:crypto'
import { SYSTEM } from '../../auth/permissions.ts'
import type { Claims } from '../../auth/token.ts'
import { AppError } from '../../errors.ts'
import type { FieldFilter } from '../../query/plan.ts'
import type { Operation, Store, StoredRecord } from '../../store/store.ts'
import { versionOf } from '../../store/version.ts'
import { type Clock, isoTime } from '../../util/clock.ts'
import { type Random, uniqueId } from '../../util/ids.ts'
import type { Records } from '../records/records.ts'

const SESSION = 'authsession'
/** Number of sessions ended in one transaction. */
const BATCH = 1000
/** Length of the account mark in a `jti`: 128 bits in base64url. */
const MARK_CHARACTERS = 22

/**
 * Sessions. Each login starts one; its id is the family of its tokens, which each `jti` begins with. A token is valid while a
 * session of its family exists. A token that was issued without a login has no session; its `jti` names its account.
 */
export class Sessions {
  readonly #records: Records
  readonly #store: Store
  readonly #clock: Clock
  /** Claims whose session was found open, with the epoch of that lookup. */
  readonly #open = new WeakMap<Claims, number>()
  /** Incremented whenever sessions end, so that all claims are looked up again. */
  #epoch = 0

  constructor({ records, store, clock }: { records: Records; store: Store; clock: Clock }) {
    this.#records = records
    this.#store = store
    this.#clock = clock
  }

  /**
   * Starts a session and deletes the user's expired ones.
   *
   * @param expiresAt in seconds
   */
  async begin(user: StoredRecord, family: string, tokenId: string, expiresAt: number): Promise<void> {
    await this.#end([
      { field: 'user_id', operator: 'eq', value: user.id },
      { field: 'expires_at', operator: 'lt', value: isoTime(this.#clock()) },
    ])
    const data = { user_id: user.id, family, token_id: tokenId, credential: credentialOf(user), expires_at: atSecond(expiresAt) }
    await this.#records.create(SYSTEM, SESSION, { data })
  }

  /** The session of a token; undefined if it has ended. */
  async of({ jti }: Claims): Promise<StoredRecord | undefined> {
    const filters: FieldFilter[] = [{ field: 'family', operator: 'eq', value: familyOf(jti) ?? '' }]
    const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: 1 })
    return records[0]
  }

  /**
   * Stores the next refresh token of a session.
   *
   * @returns false if a concurrent request has changed the session
   */
  async rotate(session: StoredRecord, tokenId: string, expiresAt: number): Promise<boolean> {
    const seen = versionOf(session)
    const data = { token_id: tokenId, expires_at: atSecond(expiresAt) }
    return succeeds(this.#records.update(SYSTEM, SESSION, session.id, { data }, { precondition: (version) => version === seen }))
  }

  /** Ends a session and thereby all tokens of its family. */
  async end({ id }: StoredRecord): Promise<void> {
    await succeeds(this.#records.remove(SYSTEM, SESSION, id))
    this.#epoch++
  }

  /** Operations that end all sessions of the users, for the caller's transaction. The caller calls `ended` after the commit. */
  async endingOf(users: readonly StoredRecord[]): Promise<Operation[]> {
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'in', values: users.map(({ id }) => id) }]
    const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY })
    return records.map(({ id }) => ({ kind: 'remove', table: SESSION, id }))
  }

  /** Invalidates the cached lookups after sessions have ended. */
  ended(): void {
    this.#epoch++
  }

  /** True if the session of the claims was looked up in the present epoch and was open. */
  isKnownOpen(claims: Claims): boolean {
    return this.#open.get(claims) === this.#epoch
  }

  /**
   * True if the access token belongs to an open session that started with the user's present password, or was issued without a
   * login for this account and password.
   */
  async isOpen(claims: Claims, user: StoredRecord): Promise<boolean> {
    const epoch = this.#epoch
    const open = familyOf(claims.jti) === undefined ? isIssuedTo(claims, user) : await this.#isOfSession(claims, user)
    if (open) this.#open.set(claims, epoch)
    return open
  }

  async #isOfSession(claims: Claims, user: StoredRecord): Promise<boolean> {
    const session = await this.of(claims)
    return session !== undefined && isOf(session, user)
  }

  async #end(filters: FieldFilter[]): Promise<void> {
    for (;;) {
      const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: BATCH })
      if (records.length === 0) return
      // If a concurrent request has ended one of them, the remaining ones are looked up again.
      await succeeds(this.#records.removeMany(SYSTEM, SESSION, { ids: records.map(({ id }) => id) }))
      this.#epoch++
    }
  }
}

/** True if the session belongs to this user and started with the present password. */
export const isOf = (session: StoredRecord, user: StoredRecord): boolean =>
  session.user_id === user.id && session.credential === credentialOf(user)

/** Identifies a password without revealing its stored hash. */
const credentialOf = (user: StoredRecord): string => createHash('sha256').update(String(user.password)).digest('base64url')

/**
 * The `jti` of a token issued without a login. Ids restart when data is replaced, so an id alone could name another account.
 * The token is valid for this account while its password does not change.
 */
export const tokenIdFor = (user: StoredRecord, random: Random): string => `${uniqueId(random)}:${accountMark(user)}`

const isIssuedTo = ({ jti }: Claims, user: StoredRecord): boolean => jti.slice(jti.indexOf(':') + 1) === accountMark(user)

/** Identifies an account and its password without revealing the stored hash. */
function accountMark(user: StoredRecord): string {
  const account = JSON.stringify([user.id, user.created_at, credentialOf(user)])
  return createHash('sha256').update(account).digest('base64url').slice(0, MARK_CHARACTERS)
}

/** The family that a `jti` names; undefined for a token without a session. */
function familyOf(jti: string): string | undefined {
  const end = jti.indexOf('.')
  return end === -1 ? undefined : jti.slice(0, end)
}

const atSecond = (seconds: number): string => isoTime(seconds * 1000)

const OVERTAKEN: ReadonlySet<string> = new Set([
  'RECORD_NOT_FOUND',
  'UPDATE_TARGET_MISSING',
  'PRECONDITION_FAILED',
  'VALIDATION_FAILED',
])

/** False if a concurrent request has changed or deleted the session or its user. */
export async function succeeds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof AppError && OVERTAKEN.has(error.code)) return false
    throw error
  }
}

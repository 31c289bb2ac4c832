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
/** How many sessions are ended in one transaction. */
const BATCH = 1000
/** Of what names an account in a `jti`: 128 bits. */
const MARK_CHARACTERS = 22

/**
 * Who is logged in: a session for each login, under the name of its family of tokens. A token belongs to the family that its
 * `jti` begins with, and is good for as long as there is a session of that family. One that was issued without a login has no session;
 * its `jti` names the account that it is for.
 */
export class Sessions {
  readonly #records: Records
  readonly #store: Store
  readonly #clock: Clock
  /** Claims whose session was found open, and the epoch in which it was. */
  readonly #open = new WeakMap<Claims, number>()
  /** Another one begins whenever sessions end, so that all claims are held against the sessions anew. */
  #epoch = 0

  constructor({ records, store, clock }: { records: Records; store: Store; clock: Clock }) {
    this.#records = records
    this.#store = store
    this.#clock = clock
  }

  /** Begins a session. Those of the user that have expired are cleared away. @param expiresAt in seconds */
  async begin(user: StoredRecord, family: string, tokenId: string, expiresAt: number): Promise<void> {
    await this.#end([
      { field: 'user_id', operator: 'eq', value: user.id },
      { field: 'expires_at', operator: 'lt', value: isoTime(this.#clock()) },
    ])
    const data = { user_id: user.id, family, token_id: tokenId, credential: credentialOf(user), expires_at: atSecond(expiresAt) }
    await this.#records.create(SYSTEM, SESSION, { data })
  }

  /** The session of a token; undefined when it has ended. */
  async of({ jti }: Claims): Promise<StoredRecord | undefined> {
    const filters: FieldFilter[] = [{ field: 'family', operator: 'eq', value: familyOf(jti) ?? '' }]
    const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: 1 })
    return records[0]
  }

  /**
   * Puts the next refresh token in the place of the present one.
   *
   * @returns false when the session changed since it was read: somebody else was first
   */
  async rotate(session: StoredRecord, tokenId: string, expiresAt: number): Promise<boolean> {
    const seen = versionOf(session)
    const data = { token_id: tokenId, expires_at: atSecond(expiresAt) }
    return succeeds(this.#records.update(SYSTEM, SESSION, session.id, { data }, (version) => version === seen))
  }

  /** Ends a session, and with it every token of its family. */
  async end({ id }: StoredRecord): Promise<void> {
    await succeeds(this.#records.remove(SYSTEM, SESSION, id))
    this.#epoch++
  }

  /** What ends every session of some users, to be part of another transaction; `ended` is to be called behind it. */
  async endingOf(users: readonly StoredRecord[]): Promise<Operation[]> {
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'in', values: users.map(({ id }) => id) }]
    const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY })
    return records.map(({ id }) => ({ kind: 'remove', table: SESSION, id }))
  }

  /** Sessions have ended: all claims are held against them anew. */
  ended(): void {
    this.#epoch++
  }

  /** True when the claims of an access token are known to be of an open session: they were held against it since any has ended. */
  isKnownOpen(claims: Claims): boolean {
    return this.#open.get(claims) === this.#epoch
  }

  /**
   * True when an access token is of a session that is open, and began with the password that the user still has; or was issued for this
   * very account, with this password.
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
      // When another request has ended one of them meanwhile, those that are left are looked up anew.
      await succeeds(this.#records.removeMany(SYSTEM, SESSION, { ids: records.map(({ id }) => id) }))
      this.#epoch++
    }
  }
}

/** True when a session is of this user, and began with the password that they have now. */
export const isOf = (session: StoredRecord, user: StoredRecord): boolean =>
  session.user_id === user.id && session.credential === credentialOf(user)

/** Names the password that a session began with, without giving away what is stored of it. */
const credentialOf = (user: StoredRecord): string => createHash('sha256').update(String(user.password)).digest('base64url')

/**
 * The `jti` of a token that is issued without a login. Ids begin anew when data is replaced, so an id alone may be another's by then:
 * the token is good for this account, and for as long as it has this password.
 */
export const tokenIdFor = (user: StoredRecord, random: Random): string => `${uniqueId(random)}:${accountMark(user)}`

const isIssuedTo = ({ jti }: Claims, user: StoredRecord): boolean => jti.slice(jti.indexOf(':') + 1) === accountMark(user)

/** Names an account as it was made, with its password, without giving away what is stored of that. */
function accountMark(user: StoredRecord): string {
  const account = JSON.stringify([user.id, user.created_at, credentialOf(user)])
  return createHash('sha256').update(account).digest('base64url').slice(0, MARK_CHARACTERS)
}

/** What a `jti` says of the session; undefined for a token that has none. */
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

/** False when a session, or the user that it is of, was changed or removed by another request meanwhile. */
export async function succeeds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof AppError && OVERTAKEN.has(error.code)) return false
    throw error
  }
}

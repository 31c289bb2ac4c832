import { createHash } from 'node:crypto'
import { SESSIONS as SESSION } from '../auth/account-models.ts'
import { SYSTEM } from '../auth/permissions.ts'
import type { Claims } from '../auth/token.ts'
import { AppError } from '../errors.ts'
import type { AccountLockout } from '../limit/lockout.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { OpenTransaction, WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import { type FoundPage, type Operation, type Store, type StoredRecord, versionOf } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { Json } from '../util/json.ts'

/** Number of sessions ended in one transaction. */
const BATCH = 1000
/** Time for which a replaced refresh token in a cookie stays good, in milliseconds: other tabs may have sent it at the same time. */
const COOKIE_GRACE_MS = 10_000
/** Maximum number of replaced tokens that a session remembers. */
const MAX_REPLACED = 20
/** Number of characters of a `User-Agent` that are stored. */
export const MAX_USER_AGENT = 200

/** The client that logs in or refreshes. */
export interface LoginClient {
  readonly address?: string | undefined
  /** The header `User-Agent`; its first 200 characters are stored. */
  readonly userAgent?: string | undefined
  /** The id of the request, for the log of the account. */
  readonly requestId?: string | undefined
}

/** How a user has logged in. */
export type LoginMethod = 'password' | 'oidc'

/** The refresh token to store in a session. */
export interface NextToken {
  /** The `jti` of the token. */
  readonly tokenId: string
  /** End of the token's lifetime, in seconds. */
  readonly expiresAt: number
  readonly client: LoginClient
}

/** A refresh token that was replaced, and when. */
interface ReplacedToken {
  readonly token_id: string
  /** In milliseconds. */
  readonly at: number
}

/**
 * Sessions. Each login starts one; its id is the family of its tokens, which each `jti` begins with. A token is valid while a
 * session of its family exists. A token that was issued without a login has no session; its `jti` names its account.
 */
export class Sessions {
  readonly #records: Records
  readonly #store: Store
  readonly #clock: Clock

  constructor({ records, store, clock }: { records: Records; store: Store; clock: Clock }) {
    this.#records = records
    this.#store = store
    this.#clock = clock
  }

  /**
   * Starts a session and deletes the user's expired ones. For `SessionStart`, which asks for what a login needs.
   *
   * @param inCookie true if the refresh token is sent in a cookie, and accepted from there only
   * @returns the id of the session; undefined if a concurrent request has deleted the user
   */
  async begin(
    user: StoredRecord,
    family: string,
    next: NextToken,
    { method, inCookie }: { method: LoginMethod; inCookie: boolean },
  ): Promise<number | undefined> {
    await this.#end([
      { field: 'user_id', operator: 'eq', value: user.id },
      { field: 'expires_at', operator: 'lt', value: isoTime(this.#clock()) },
    ])
    const own = { user_id: user.id, family, credential: credentialOf(user), in_cookie: inCookie }
    const data = { ...own, method, authenticated_at: isoTime(this.#clock()), ...this.#valuesOf(next) }
    let id: number | undefined
    const begun = this.#records.create(SYSTEM, SESSION, { data }).then((session) => {
      id = session.id
    })
    return (await succeeds(begun)) ? id : undefined
  }

  /** The session of a token; undefined if it has ended. */
  of({ jti }: Claims): Promise<StoredRecord | undefined> {
    return this.ofFamily(sessionFamilyOf(jti) ?? '')
  }

  /** The session that is the given family; undefined if it has ended. */
  async ofFamily(family: string): Promise<StoredRecord | undefined> {
    const filters: FieldFilter[] = [{ field: 'family', operator: 'eq', value: family }]
    const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: 1 })
    return records[0]
  }

  /**
   * Stores the next refresh token of a session.
   *
   * @returns false if a concurrent request has changed the session
   */
  async rotate(session: StoredRecord, next: NextToken): Promise<boolean> {
    const seen = versionOf(session)
    const last = { token_id: String(session.token_id), at: this.#clock() }
    const replaced = session.in_cookie === true ? [...this.#justReplaced(session), last].slice(-MAX_REPLACED) : null
    const data = { ...this.#valuesOf(next), replaced }
    return succeeds(this.#records.update(SYSTEM, SESSION, session.id, { data }, { precondition: (version) => version === seen }))
  }

  /**
   * Notes that the user of a session has proved again who they are.
   *
   * @returns false if the session has ended
   */
  confirm({ id }: StoredRecord): Promise<boolean> {
    return succeeds(this.#records.updateInternal(SESSION, id, { authenticated_at: isoTime(this.#clock()) }))
  }

  /** True if a session's refresh token is in a cookie and the given one was replaced less than 10 seconds ago. */
  isJustReplaced(session: StoredRecord, tokenId: string): boolean {
    return session.in_cookie === true && this.#justReplaced(session).some(({ token_id: id }) => id === tokenId)
  }

  /** The session of a user by its id; undefined if it has ended or is another user's. */
  async ofUser(userId: number, id: number): Promise<StoredRecord | undefined> {
    const [session] = await this.#store.get(SESSION, [id])
    return session?.user_id === userId && this.#isUnexpired(session) ? session : undefined
  }

  /** The latest sessions of a user that have not expired, newest first, and their total. */
  listOf(userId: number, limit: number): Promise<FoundPage> {
    const filters: FieldFilter[] = [
      { field: 'user_id', operator: 'eq', value: userId },
      { field: 'expires_at', operator: 'gt', value: isoTime(this.#clock()) },
    ]
    return this.#store.find(SESSION, { filters, sort: [{ field: 'id', order: 'desc' }], offset: 0, limit })
  }

  /** Ends a session and thereby all tokens of its family. */
  async end({ id }: Pick<StoredRecord, 'id'>): Promise<void> {
    await succeeds(this.#records.remove(SYSTEM, SESSION, id))
  }

  /** Ends all sessions of a user. */
  endAll(userId: number): Promise<void> {
    return this.#end([{ field: 'user_id', operator: 'eq', value: userId }])
  }

  /** The hooks by which a changed password or active state ends the sessions of the user in the same transaction. */
  hooks(lockout: AccountLockout): WriteHooks {
    return {
      inTransaction: (transaction) => {
        const users = transaction.write.options?.dryRun === true ? [] : transaction.operations.flatMap(userAffected)
        return users.length > 0 ? this.#endIn(transaction, users) : undefined
      },
      afterCommit: async (changes) => {
        const users = changes.filter(({ table, before, after }) => table === 'user' && changesAccess(before, after))
        // New credentials work at once.
        for (const { after } of users) await lockout.forgive(String(after?.username))
      },
    }
  }

  /** Ends the sessions of users, but for the one that the write keeps. */
  async #endIn(transaction: OpenTransaction, users: readonly StoredRecord[]): Promise<void> {
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'in', values: users.map(({ id }) => id) }]
    const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY })
    const endings = records.map((session): Operation => {
      const { id } = session
      const isKept = transaction.write.options?.keptSession === id
      const user = isKept ? users.find((each) => each.id === session.user_id) : undefined
      if (user === undefined) return { kind: 'remove', table: SESSION, id }
      return { kind: 'update', table: SESSION, id, values: { credential: credentialOf(user) }, expect: session }
    })
    transaction.operations = [...transaction.operations, ...endings]
  }

  /**
   * True if the access token belongs to an open session that started with the user's present password, or was issued without a
   * login for this account and password.
   */
  async isOpen(claims: Claims, user: StoredRecord): Promise<boolean> {
    const family = sessionFamilyOf(claims.jti)
    if (family === undefined) return isIssuedTo(claims, user)
    const session = await this.ofFamily(family)
    return session !== undefined && isOf(session, user)
  }

  #valuesOf({ tokenId, expiresAt, client: { address, userAgent } }: NextToken): Record<string, Json> {
    return {
      token_id: tokenId,
      expires_at: atSecond(expiresAt),
      last_used_at: isoTime(this.#clock()),
      address: address ?? null,
      user_agent: userAgent?.slice(0, MAX_USER_AGENT) || null,
    }
  }

  /** The replaced tokens that a cookie may still hold. The clock may have been set back since. */
  #justReplaced({ replaced }: StoredRecord): readonly ReplacedToken[] {
    const known = Array.isArray(replaced) ? (replaced as readonly unknown[] as readonly ReplacedToken[]) : []
    return known.filter(({ at }) => Math.abs(this.#clock() - at) < COOKIE_GRACE_MS)
  }

  #isUnexpired({ expires_at: end }: StoredRecord): boolean {
    return String(end) > isoTime(this.#clock())
  }

  async #end(filters: FieldFilter[]): Promise<void> {
    for (;;) {
      const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: BATCH })
      if (records.length === 0) return
      // If a concurrent request has ended one of them, the remaining ones are looked up again.
      const areEnded = await succeeds(this.#records.removeMany(SYSTEM, SESSION, { ids: records.map(({ id }) => id) }))
      if (areEnded && records.length < BATCH) return
    }
  }
}

/** True if the password or the active state of a user differs. */
export const changesAccess = (before: StoredRecord | undefined, after: StoredRecord | undefined): boolean =>
  before !== undefined && after !== undefined && (before.password !== after.password || before.is_active !== after.is_active)

/** The user after an operation that changes its password or active state. */
function userAffected(operation: Operation): StoredRecord[] {
  if (operation.kind !== 'update' || operation.table !== 'user' || operation.expect === undefined) return []
  const user = { ...operation.expect, ...operation.values }
  return changesAccess(operation.expect, user) ? [user] : []
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

/** Length of the account mark in a `jti`: 128 bits in base64url. */
const MARK_CHARACTERS = 22

/** True if the session belongs to this user and the present password. */
export const isOf = (session: StoredRecord, user: StoredRecord): boolean =>
  session.user_id === user.id && session.credential === credentialOf(user)

/** Identifies a password without revealing its stored hash. */
const credentialOf = (user: StoredRecord): string => createHash('sha256').update(String(user.password)).digest('base64url')

/**
 * The `jti` of a token issued without a login. Ids restart when data is replaced, so an id alone could name another account.
 * The token is valid for this account while its password does not change.
 */
export const tokenIdFor = (user: StoredRecord, random: Random): string => `${uniqueId(random)}:${accountMark(user)}`

/** True if a token without a session was issued to this account with its present password. */
const isIssuedTo = ({ jti }: Claims, user: StoredRecord): boolean => jti.slice(jti.indexOf(':') + 1) === accountMark(user)

/** Identifies an account and its password without revealing the stored hash. */
function accountMark(user: StoredRecord): string {
  const account = JSON.stringify([user.id, user.created_at, credentialOf(user)])
  return createHash('sha256').update(account).digest('base64url').slice(0, MARK_CHARACTERS)
}

/** The family that a `jti` names; undefined for a token without a session. */
export function sessionFamilyOf(jti: string): string | undefined {
  const end = jti.indexOf('.')
  return end === -1 ? undefined : jti.slice(0, end)
}

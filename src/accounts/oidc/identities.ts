import { IDENTITIES } from '../../auth/identity-models.ts'
import { type Actor, forbidden, noSuchRecord, SYSTEM } from '../../auth/permissions.ts'
import type { ProviderSettings } from '../../config/define.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import type { Model } from '../../model/model.ts'
import type { FieldFilter } from '../../query/plan.ts'
import type { OpenTransaction, WriteHooks } from '../../records/hooks.ts'
import type { Records } from '../../records/records.ts'
import { type Operation, type Store, type StoredRecord, versionOf } from '../../store/store.ts'
import { type Clock, isoTime } from '../../util/clock.ts'
import type { JsonObject } from '../../util/json.ts'
import type { AccountEvents } from '../account-events.ts'
import { isOvertaken } from '../acting-users.ts'
import { inSmallLetters, usersWithAddress } from '../addresses.ts'
import type { RecentLogin } from '../recent-login.ts'
import type { LoginClient } from '../sessions.ts'
import { hasPassword } from '../users.ts'
import type { VerifiedAddresses } from '../verified-addresses.ts'
import { accountValues } from './new-account.ts'
import type { ProvenIdentity } from './provider.ts'

/** An identity as the API returns it. */
export interface ShownIdentity {
  readonly id: number
  /** Name of the provider; null if the settings do not have it any more. */
  readonly provider: string | null
  readonly title: string
  readonly subject: string
  readonly email: string | null
  readonly created_at: string
}

/** The account that an identity logs in to. */
export interface Admission {
  readonly user: StoredRecord
  /** False for an account that the identity is to be linked with, once its user is let in. */
  readonly isLinked: boolean
}

export interface IdentityParts {
  readonly store: Store
  readonly records: Pick<Records, 'create' | 'update' | 'commitInternal'>
  readonly providers: readonly ProviderSettings[]
  /** The model of users. */
  readonly users: Model
  readonly verified: Pick<VerifiedAddresses, 'requiring'>
  /** Tells the user by mail, where mails are sent. */
  readonly tell: (user: StoredRecord, provider: ProviderSettings) => Promise<void>
  readonly recent: RecentLogin
  readonly events: Pick<AccountEvents, 'note'>
  readonly clock: Clock
  readonly log: Log
}

/** Attempts of a write that concurrent ones overtake. */
const MAX_ATTEMPTS = 5
/** More identities than a user has. */
const MAX_IDENTITIES = 100

/** Identities at providers, and the accounts that they log in to. An identity is an issuer and a subject, and nothing else. */
export class Identities {
  /** Create the identity of a user with the user. */
  readonly hooks: WriteHooks = { inTransaction: (transaction) => this.#addIdentity(transaction) }
  readonly #parts: IdentityParts

  constructor(parts: IdentityParts) {
    this.#parts = parts
  }

  /**
   * The account that an identity logs in to. An unknown identity gets to an account that exists only by an address that both sides have verified:
   * otherwise, a user who registers the address of another person first would share the account with them.
   *
   * @param client of the request
   * @throws {AppError} IDENTITY_NOT_LINKED
   */
  async admit(provider: ProviderSettings, identity: ProvenIdentity, client?: LoginClient): Promise<Admission> {
    const known = await this.#userOf(provider, identity)
    if (known !== undefined) return { user: known, isLinked: true }
    const address = allowedAddress(provider, identity)
    if (address === undefined) throw notLinked(provider)
    if ((await usersWithAddress(this.#parts.store, address)).length === 0) {
      if (!provider.create) throw notLinked(provider)
      return { user: await this.#create(provider, identity, address, client), isLinked: true }
    }
    const { user } = await this.#linkable(provider, identity)
    return { user, isLinked: false }
  }

  /**
   * Links an identity with the account that `admit` found by its address, under the conditions of the present.
   *
   * @param client of the request
   * @throws {AppError} IDENTITY_NOT_LINKED
   */
  async linkByAddress(
    user: StoredRecord,
    provider: ProviderSettings,
    identity: ProvenIdentity,
    client: LoginClient,
  ): Promise<void> {
    const conditions = async () => {
      const present = await this.#linkable(provider, identity)
      if (present.user.id !== user.id) throw notLinked(provider)
      return present.conditions
    }
    const isLinked = await this.link(user, provider, identity, { client, conditions })
    if (!isLinked) throw notLinked(provider)
    await this.#parts.tell(user, provider)
  }

  /**
   * Links an identity with an account.
   *
   * @param client of the request
   * @param session id of the session in which the user asked for it
   * @param conditions makes operations that are refused unless the account may still get the identity; or throws
   * @returns false if it is linked with another account
   * @throws {AppError} WRITE_CONFLICT
   */
  async link(
    user: StoredRecord,
    provider: ProviderSettings,
    identity: ProvenIdentity,
    {
      client,
      session,
      conditions,
    }: {
      readonly client: LoginClient
      readonly session?: number
      readonly conditions: () => Promise<readonly Operation[]>
    },
  ): Promise<boolean> {
    const { records, events, clock } = this.#parts
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const known = await this.#find(identity)
      if (known !== undefined) return known.user_id === user.id
      const values = { user_id: user.id, ...valuesOf(identity, clock) }
      const { ok } = await records.commitInternal([...(await conditions()), { kind: 'insert', table: IDENTITIES, values }])
      if (!ok) continue
      events.note('identity_linked', { user, client, method: provider.name, session })
      return true
    }
    throw keepsChanging('The account')
  }

  /** Lets the groups that the provider's claim stands for follow it. Other groups stay, and nothing makes a superuser. @throws {AppError} WRITE_CONFLICT */
  async followGroups(user: StoredRecord, { groups }: ProviderSettings, { groups: wanted }: ProvenIdentity): Promise<void> {
    if (groups === undefined) return
    const { store, records, log } = this.#parts
    const names = [...new Set(Object.values(groups.map))]
    const filters: FieldFilter[] = [{ field: 'name', operator: 'in', values: names }]
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { records: mapped } = await store.find('group', { filters, sort: [], offset: 0, limit: names.length })
      const [present] = await store.get('user', [user.id])
      const before = present?.groups
      if (present === undefined || (before !== undefined && before !== null && !Array.isArray(before))) return
      const held = (before ?? []) as readonly number[]
      const all = new Set(mapped.map(({ id }) => id))
      const kept = held.filter((id) => !all.has(id))
      const given = mapped.filter(({ name }) => wanted.includes(String(name))).map(({ id }) => id)
      const next = [...kept, ...given]
      if (next.length === held.length && next.every((id) => held.includes(id))) return
      // Another write may take a group away meanwhile, which stays so.
      const seen = versionOf(present)
      const precondition = (version: string) => version === seen
      if (!(await isCurrent(records.update(SYSTEM, 'user', user.id, { data: { groups: next } }, { precondition })))) continue
      log.info('Groups follow a provider', { event: 'groups_followed', user_id: user.id, groups: wanted })
      return
    }
    throw keepsChanging('The account')
  }

  /** The identities of the actor, oldest first. @throws {AppError} FORBIDDEN for an actor without an account */
  async list(actor: Actor): Promise<{ data: readonly ShownIdentity[]; total: number }> {
    if (actor.userId === undefined) throw forbidden(actor)
    const found = await this.#of(actor.userId)
    return { data: found.map((each) => this.#shown(each)), total: found.length }
  }

  /**
   * Removes an identity of the actor.
   *
   * @throws {AppError} INSUFFICIENT_USER_AUTHENTICATION; RECORD_NOT_FOUND also for one of another user; LAST_WAY_IN if the user could not log in any more;
   *   WRITE_CONFLICT
   */
  async unlink(actor: Actor, id: number, client: LoginClient): Promise<ShownIdentity> {
    const { store, records, events, recent } = this.#parts
    await recent.require(actor)
    if (actor.userId === undefined) throw forbidden(actor)
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [user] = await store.get('user', [actor.userId])
      const all = await this.#of(actor.userId)
      const identity = all.find((each) => each.id === id)
      if (user === undefined || identity === undefined)
        throw new AppError('RECORD_NOT_FOUND', noSuchRecord({ name: 'Identity' }, id))
      const isUsable = ({ issuer }: StoredRecord) => this.#parts.providers.some((provider) => provider.issuer === issuer)
      const other = all.find((each) => each.id !== id && isUsable(each))
      if (!hasPassword(user) && other === undefined && isUsable(identity)) throw lastWayIn()
      // Of two removals at once that rely on each other's identity, the second is judged again.
      const stays: Operation[] = hasPassword(user)
        ? [{ kind: 'assert', table: 'user', id: user.id, expect: user }]
        : other === undefined
          ? []
          : [{ kind: 'assert', table: IDENTITIES, id: other.id, expect: other }]
      const { ok } = await records.commitInternal([...stays, { kind: 'remove', table: IDENTITIES, id, expect: identity }])
      if (!ok) continue
      const shown = this.#shown(identity)
      events.note('identity_unlinked', { user, client, method: shown.provider ?? undefined })
      return shown
    }
    throw keepsChanging('The identity')
  }

  /** Creates an account with its identity. */
  async #create(
    provider: ProviderSettings,
    identity: ProvenIdentity,
    email: string,
    client?: LoginClient,
  ): Promise<StoredRecord> {
    const { store, records, users, events, clock, log } = this.#parts
    const options = { identity: valuesOf(identity, clock), origin: { requestId: client?.requestId } }
    try {
      const user = await records.create(SYSTEM, 'user', { data: await accountValues(store, users, identity, email) }, options)
      events.note('identity_linked', { user, client, method: provider.name })
      return user
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      // Another request may have created it.
      const known = await this.#userOf(provider, identity)
      if (known !== undefined) return known
      log.warn('No account could be created for an identity', { provider: provider.name, error })
      throw notLinked(provider)
    }
  }

  /** Adds the identity of a user who is created. */
  async #addIdentity(transaction: OpenTransaction): Promise<void> {
    const { identity, dryRun } = transaction.write.options ?? {}
    if (identity === undefined || dryRun === true) return
    const { issuer, subject } = identity
    if ((await this.#find({ issuer: String(issuer), subject: String(subject) })) !== undefined)
      throw keepsChanging('The identity')
    const { operations } = transaction
    const created = operations.findIndex(({ kind, table }) => kind === 'insert' && table === 'user')
    const refs = [{ field: 'user_id', operation: created }]
    transaction.operations = [...operations, { kind: 'insert', table: IDENTITIES, values: identity, refs }]
  }

  /**
   * The account of an address to which an identity may get by it, and operations that are refused once that has changed.
   *
   * @throws {AppError} IDENTITY_NOT_LINKED
   */
  async #linkable(
    provider: ProviderSettings,
    identity: ProvenIdentity,
  ): Promise<{ readonly user: StoredRecord; readonly conditions: readonly Operation[] }> {
    const { store, verified } = this.#parts
    const address = provider.link === 'verified_email' ? allowedAddress(provider, identity) : undefined
    const [user, ...others] = address === undefined ? [] : await usersWithAddress(store, address)
    if (user === undefined || others.length > 0 || user.is_superuser === true) throw notLinked(provider)
    // Read before the identities, since each link by an address changes it.
    const conditions = await verified.requiring(user)
    const hasOther = (await this.#of(user.id)).some(({ issuer }) => issuer === identity.issuer)
    if (conditions === undefined || hasOther) throw notLinked(provider)
    return { user, conditions }
  }

  /** The account that an identity is linked with; undefined for an unknown identity. */
  async #userOf(provider: ProviderSettings, identity: ProvenIdentity): Promise<StoredRecord | undefined> {
    const known = await this.#find(identity)
    if (known === undefined) return undefined
    const [user] = await this.#parts.store.get('user', [Number(known.user_id)])
    if (user === undefined) throw notLinked(provider)
    return user
  }

  async #find({ issuer, subject }: Pick<ProvenIdentity, 'issuer' | 'subject'>): Promise<StoredRecord | undefined> {
    const filters: FieldFilter[] = [
      { field: 'subject', operator: 'eq', value: subject },
      { field: 'issuer', operator: 'eq', value: issuer },
    ]
    return (await this.#parts.store.find(IDENTITIES, { filters, sort: [], offset: 0, limit: 1 })).records[0]
  }

  async #of(userId: number): Promise<readonly StoredRecord[]> {
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'eq', value: userId }]
    const sort = [{ field: 'id', order: 'asc' } as const]
    return (await this.#parts.store.find(IDENTITIES, { filters, sort, offset: 0, limit: MAX_IDENTITIES })).records
  }

  #shown({ id, issuer, subject, email, created_at }: StoredRecord): ShownIdentity {
    const provider = this.#parts.providers.find((each) => each.issuer === issuer)
    return {
      id,
      provider: provider?.name ?? null,
      title: provider?.title ?? String(issuer),
      subject: String(subject),
      email: typeof email === 'string' ? email : null,
      created_at: String(created_at),
    }
  }
}

/** The address of an identity by which it may get an account: verified by the provider, and of a domain of the settings. */
function allowedAddress({ domains }: ProviderSettings, { email, isVerified }: ProvenIdentity): string | undefined {
  if (!isVerified || email === undefined) return undefined
  const domain = inSmallLetters(email.slice(email.lastIndexOf('@') + 1))
  return domains === undefined || domains.includes(domain) ? email : undefined
}

/** The same error for every reason, so that clients cannot learn which addresses have accounts. */
const notLinked = ({ title }: ProviderSettings): AppError =>
  new AppError(
    'IDENTITY_NOT_LINKED',
    `No account is linked with this identity of ${title}; log in and link it, or ask an administrator for an account`,
  )

const valuesOf = ({ issuer, subject, email }: ProvenIdentity, clock: Clock): JsonObject => {
  const now = isoTime(clock())
  return { issuer, subject, email: email ?? null, created_at: now, updated_at: now }
}

/** False if another write has changed or deleted the record since it was read. */
const isCurrent = (update: Promise<unknown>): Promise<boolean> =>
  update.then(
    () => true,
    (error: unknown) => {
      if (isOvertaken(error)) return false
      throw error
    },
  )

const keepsChanging = (what: string): AppError =>
  new AppError('WRITE_CONFLICT', `${what} keeps changing under other writes; try again`)

const lastWayIn = (): AppError =>
  new AppError(
    'LAST_WAY_IN',
    'The account has no password, so this identity is the last way in; link another one first, or ask an administrator to set a password',
  )

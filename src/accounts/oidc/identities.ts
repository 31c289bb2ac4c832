import { IDENTITIES } from '../../auth/identity-models.ts'
import { type Actor, forbidden, noSuchRecord, SYSTEM } from '../../auth/permissions.ts'
import type { ProviderSettings } from '../../config/define.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import type { Model } from '../../model/model.ts'
import type { FieldFilter } from '../../query/plan.ts'
import type { Records } from '../../records/records.ts'
import type { Operation, Store, StoredRecord } from '../../store/store.ts'
import { type Clock, isoTime } from '../../util/clock.ts'
import type { AccountEvents } from '../account-events.ts'
import { inSmallLetters } from '../addresses.ts'
import type { RecentLogin } from '../recent-login.ts'
import type { LoginClient } from '../sessions.ts'
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
  /** True if the user has proved to own the address that the account has at present. */
  readonly hasVerifiedAddress: (user: StoredRecord) => Promise<boolean>
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
/** More accounts than have an address that contains another one. */
const MAX_FOUND = 1000

/** Identities at providers, and the accounts that they log in to. An identity is an issuer and a subject, and nothing else. */
export class Identities {
  readonly #parts: IdentityParts

  constructor(parts: IdentityParts) {
    this.#parts = parts
  }

  /**
   * The account that an identity logs in to. An unknown identity gets to an account that exists only by an address that both sides have verified:
   * otherwise, whoever registers an address of another person first would share the account with them.
   *
   * @param client of the request
   * @throws {AppError} IDENTITY_NOT_LINKED
   */
  async admit(provider: ProviderSettings, identity: ProvenIdentity, client?: LoginClient): Promise<Admission> {
    const known = await this.#find(identity)
    if (known !== undefined) {
      const [user] = await this.#parts.store.get('user', [Number(known.user_id)])
      if (user === undefined) throw notLinked(provider)
      return { user, isLinked: true }
    }
    const address = allowedAddress(provider, identity)
    if (address === undefined) throw notLinked(provider)
    const [owner, ...others] = await this.#usersOf(address)
    if (owner === undefined) {
      if (!provider.create) throw notLinked(provider)
      const user = await this.#create(provider, identity, address)
      return { user, isLinked: await this.link(user, provider, identity, { client, isAsked: true }) }
    }
    const mayLink =
      provider.link === 'verified_email' &&
      others.length === 0 &&
      owner.is_superuser !== true &&
      (await this.#parts.hasVerifiedAddress(owner)) &&
      !(await this.#of(owner.id)).some(({ issuer }) => issuer === identity.issuer)
    if (!mayLink) throw notLinked(provider)
    return { user: owner, isLinked: false }
  }

  /**
   * Links an identity with an account.
   *
   * @param client of the request
   * @param isAsked true if the user has asked for it, who is not told by mail then
   * @returns false if it is linked with another account
   */
  async link(
    user: StoredRecord,
    provider: ProviderSettings,
    { issuer, subject, email }: ProvenIdentity,
    { client, isAsked }: { readonly client?: LoginClient | undefined; readonly isAsked: boolean },
  ): Promise<boolean> {
    const now = isoTime(this.#parts.clock())
    const values = { user_id: user.id, issuer, subject, email: email ?? null, created_at: now, updated_at: now }
    const { ok } = await this.#parts.records.commitInternal([{ kind: 'insert', table: IDENTITIES, values }])
    if (!ok) return (await this.#find({ issuer, subject }))?.user_id === user.id
    this.#parts.events.note('identity_linked', { user, client, method: provider.name })
    if (!isAsked) await this.#parts.tell(user, provider)
    return true
  }

  /** Lets the groups that the provider's claim stands for follow it. Other groups stay, and nothing makes a superuser. */
  async followGroups(user: StoredRecord, { groups }: ProviderSettings, { groups: wanted }: ProvenIdentity): Promise<void> {
    if (groups === undefined) return
    const { store, records, log } = this.#parts
    const names = [...new Set(Object.values(groups.map))]
    const filters: FieldFilter[] = [{ field: 'name', operator: 'in', values: names }]
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
    await records.update(SYSTEM, 'user', user.id, { data: { groups: next } })
    log.info('Groups follow a provider', { event: 'groups_followed', user_id: user.id, groups: wanted })
  }

  /** The identities of the actor, oldest first. @throws {AppError} FORBIDDEN for an actor without an account */
  async list(actor: Actor): Promise<{ data: readonly ShownIdentity[]; total: number }> {
    if (actor.userId === undefined) throw forbidden(actor)
    const found = await this.#of(actor.userId)
    return { data: found.map((each) => this.#shown(each)), total: found.length }
  }

  /** The identities of a user, oldest first. */
  async listOf(userId: number): Promise<readonly ShownIdentity[]> {
    return (await this.#of(userId)).map((each) => this.#shown(each))
  }

  /**
   * Removes an identity of the actor.
   *
   * @throws {AppError} INSUFFICIENT_USER_AUTHENTICATION; RECORD_NOT_FOUND also for one of another user; LAST_WAY_IN if the user could not log in any more
   */
  async unlink(actor: Actor, id: number, client: LoginClient): Promise<ShownIdentity> {
    const { store, records, events, recent } = this.#parts
    await recent.require(actor)
    if (actor.userId === undefined) throw forbidden(actor)
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [user] = await store.get('user', [actor.userId])
      const all = await this.#of(actor.userId)
      const identity = all.find((each) => each.id === id)
      if (user === undefined || identity === undefined) break
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
    throw new AppError('RECORD_NOT_FOUND', noSuchRecord({ name: 'Identity' }, id))
  }

  async #create(provider: ProviderSettings, identity: ProvenIdentity, email: string): Promise<StoredRecord> {
    const { store, records, users, log } = this.#parts
    try {
      return await records.create(SYSTEM, 'user', { data: await accountValues(store, users, identity, email) })
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      log.warn('No account could be created for an identity', { provider: provider.name, error })
      throw notLinked(provider)
    }
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

  /** The accounts with an address, in any case of its letters. */
  async #usersOf(address: string): Promise<readonly StoredRecord[]> {
    const filters: FieldFilter[] = [{ field: 'email', operator: 'icontains', value: address }]
    const { records } = await this.#parts.store.find('user', { filters, sort: [], offset: 0, limit: MAX_FOUND })
    return records.filter(({ email }) => inSmallLetters(String(email)) === inSmallLetters(address))
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

const hasPassword = ({ password }: StoredRecord): boolean => typeof password === 'string' && password !== ''

/** The same error for every reason, so that nobody learns which addresses have accounts. */
const notLinked = ({ title }: ProviderSettings): AppError =>
  new AppError(
    'IDENTITY_NOT_LINKED',
    `No account is linked with this identity of ${title}; log in and link it, or ask an administrator for an account`,
  )

const lastWayIn = (): AppError =>
  new AppError(
    'LAST_WAY_IN',
    'The account has no password, so this identity is the last way in; set a password or link another one first',
  )

import { type Actor, noSuchRecord, SYSTEM, superusersOnly } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { hasDefault, isSettable } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Records } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { isObject } from '../util/json.ts'
import { readTexts } from '../validate/issues.ts'
import { readRecord } from '../validate/record.ts'
import type { AccountEvents } from './account-events.ts'
import type { AccountMails } from './account-mails.ts'
import { inSmallLetters, userWithAddress } from './addresses.ts'
import { invitationText } from './mail-texts.ts'
import { type OneTimeTokens, refusedToken } from './one-time-tokens.ts'
import type { LoginClient } from './sessions.ts'
import type { VerifiedAddresses } from './verified-addresses.ts'

interface InvitationParts {
  readonly store: Store
  readonly records: Records
  readonly tokens: OneTimeTokens
  readonly mails: AccountMails
  readonly verified: VerifiedAddresses
  readonly events: AccountEvents
  readonly user: Model
}

/** An open invitation as the API returns it. */
export interface ShownInvitation {
  readonly id: number
  readonly email: string
  /** Ids of the groups of the new account. */
  readonly groups: readonly number[]
  /** Null for one of the shell. */
  readonly invited_by: { readonly id: number; readonly username: string } | null
  readonly created_at: string
  readonly expires_at: string
}

/** An invitation as the answer to its creation has it, with the link, which is shown once. */
export interface NewInvitation extends ShownInvitation {
  readonly link: string
  /** Whether a mail with the link will be sent. */
  readonly mailed: boolean
}

/** Fields that an accepted invitation sets. */
const SET = new Set(['username', 'email', 'password', 'groups'])

/** Links by which people create an account of their own, with the groups that a superuser has chosen. */
export class Invitations {
  readonly #parts: InvitationParts

  constructor(parts: InvitationParts) {
    this.#parts = parts
  }

  /**
   * Invites an address. Another open invitation of the address is replaced.
   *
   * @param body `{email, groups?}`
   * @throws {AppError} FORBIDDEN; VALIDATION_FAILED also for an address that has an account; NOT_SET_UP
   */
  async create(actor: Actor, body: unknown, client: LoginClient): Promise<NewInvitation> {
    superusersOnly(actor)
    const { store, tokens, mails, events } = this.#parts
    const { email, groups } = this.#read(body)
    if ((await userWithAddress(store, email)) !== undefined) {
      throw new AppError('VALIDATION_FAILED', { email: [`email '${email}' has an account already; it needs no invitation`] })
    }
    const known = await store.get('group', groups)
    const missing = groups.filter((_, index) => known[index] === undefined)
    if (missing.length > 0) {
      throw new AppError('VALIDATION_FAILED', { groups: missing.map((id) => `groups: ${noSuchRecord({ name: 'Group' }, id)}`) })
    }
    const former = (await tokens.open('invitation')).filter(
      (token) => inSmallLetters(dataOf(token).email) === inSmallLetters(email),
    )
    const created = tokens.create('invitation', undefined, { email, groups: [...groups], by: actor.userId ?? null })
    const link = mails.link('accept-invitation', created.token)
    const mail = mails.areOn ? await mails.operationsOf({ to: email, ...invitationText(mails, link) }) : []
    const replaced = former.map(({ id }) => ({ kind: 'remove', table: 'onetimetoken', id }) as const)
    const stored = await tokens.store(created, [...mail, ...replaced])
    if (stored === undefined)
      throw new AppError('WRITE_CONFLICT', `Another invitation of '${email}' has just been changed; try again`)
    if (actor.userId !== undefined) events.note('invited', { user: { id: actor.userId }, client })
    const [shown] = await this.#shown([stored])
    return { ...(shown as ShownInvitation), link, mailed: mails.areOn }
  }

  /** The open invitations, latest first. @throws {AppError} FORBIDDEN */
  async list(actor: Actor): Promise<{ readonly data: readonly ShownInvitation[]; readonly total: number }> {
    superusersOnly(actor)
    const data = await this.#shown(await this.#parts.tokens.open('invitation'))
    return { data, total: data.length }
  }

  /** Withdraws an open invitation. @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND */
  async remove(actor: Actor, id: number): Promise<ShownInvitation> {
    superusersOnly(actor)
    const { tokens } = this.#parts
    const found = (await tokens.open('invitation')).find((token) => token.id === id)
    const [shown] = found === undefined ? [] : await this.#shown([found])
    if (found === undefined || shown === undefined || !(await tokens.spend(found))) {
      throw new AppError('RECORD_NOT_FOUND', noSuchRecord({ name: 'Invitation' }, id))
    }
    return shown
  }

  /**
   * Creates the account of an invitation, which is spent with it. Its address counts as verified: the link was sent there.
   *
   * @param body `{token, username, password}`
   * @throws {AppError} VALIDATION_FAILED
   */
  async accept(body: unknown, client: LoginClient): Promise<StoredRecord> {
    const { store, records, tokens, verified, events } = this.#parts
    const [text, username, password] = readTexts(body, ['token', 'username', 'password'], { strict: true })
    const token = await tokens.find('invitation', text)
    const { email, groups, by } = dataOf(token)
    if (!(await this.#mayInvite(by))) throw refusedToken()
    if ((await userWithAddress(store, email)) !== undefined) throw refusedToken()
    const known = await store.get('group', groups)
    const data = { username, email, password, groups: known.flatMap((group) => (group === undefined ? [] : [group.id])) }
    const options = { spentToken: token.id, origin: { requestId: client.requestId } }
    const user = await records.create(SYSTEM, 'user', { data }, options).catch((error: unknown) => {
      // Another request has created the account meanwhile.
      throw error instanceof AppError && Object.hasOwn(Object(error.details), 'email') ? refusedToken() : error
    })
    await verified.add(user)
    events.note('invitation_accepted', { user, client })
    return user
  }

  /** True while the inviter is an active superuser; otherwise the invitation is invalid. */
  async #mayInvite(userId: number | null): Promise<boolean> {
    if (userId === null) return true
    const [user] = await this.#parts.store.get('user', [userId])
    return user?.is_active === true && user.is_superuser === true
  }

  #read(body: unknown): { readonly email: string; readonly groups: readonly number[] } {
    const { user } = this.#parts
    const { groups = [], ...others } = isObject(body) ? body : {}
    const [email] = readTexts(others, ['email'], { strict: true })
    const { email: faults = [] } = readRecord(user, { email }, {}).issues.toMessages()
    if (faults.length > 0) throw new AppError('VALIDATION_FAILED', { email: faults })
    const isList = Array.isArray(groups) && groups.length <= 1000 && groups.every((id) => Number.isSafeInteger(id) && id > 0)
    if (!isList) throw new AppError('VALIDATION_FAILED', { groups: ['groups must be a list of ids of groups'] })
    const needed = [...user.fields.values()].filter((field) => field.required && isSettable(field) && !hasDefault(field))
    const further = needed.filter(({ name }) => !SET.has(name)).map(({ name }) => `'${name}'`)
    if (further.length > 0) {
      throw new AppError(
        'INVALID_REQUEST',
        `Users of this project must have ${further.join(', ')}, which an invitation does not set; add users with \`admin users add\``,
      )
    }
    return { email, groups: [...new Set(groups as number[])] }
  }

  async #shown(tokens: readonly StoredRecord[]): Promise<readonly ShownInvitation[]> {
    const ids = [...new Set(tokens.flatMap((token) => dataOf(token).by ?? []))]
    const users = new Map(
      (await this.#parts.store.get('user', ids)).flatMap((user) => (user === undefined ? [] : [[user.id, user]])),
    )
    return tokens.map((token) => {
      const { email, groups, by } = dataOf(token)
      const user = by === null ? undefined : users.get(by)
      const invited_by = user === undefined ? null : { id: user.id, username: String(user.username) }
      const { id, created_at, expires_at } = token
      return { id, email, groups, invited_by, created_at: String(created_at), expires_at: String(expires_at) }
    })
  }
}

interface InvitationData {
  readonly email: string
  readonly groups: readonly number[]
  /** Id of the superuser; null for the shell. */
  readonly by: number | null
}

const dataOf = ({ data }: StoredRecord): InvitationData => data as unknown as InvitationData

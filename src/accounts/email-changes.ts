import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Records } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { readTexts } from '../validate/issues.ts'
import { readRecord } from '../validate/record.ts'
import type { AccountEvents } from './account-events.ts'
import type { AccountMails } from './account-mails.ts'
import { ownAccount, updateOwnAccount } from './acting-users.ts'
import { userWithAddress } from './addresses.ts'
import { addressChangedText, otherAddressText, verificationText } from './mail-texts.ts'
import { notStored, type OneTimeTokens, refusedToken } from './one-time-tokens.ts'
import { changesAccess, type LoginClient } from './sessions.ts'
import type { VerifiedAddresses } from './verified-addresses.ts'

/** Maximum number of open links of a user. */
const MAX_OPEN = 5

interface EmailChangeParts {
  readonly store: Store
  readonly records: Records
  readonly tokens: OneTimeTokens
  readonly mails: AccountMails
  readonly verified: VerifiedAddresses
  readonly events: AccountEvents
  readonly user: Model
  /** Refuses an actor whose login was too long ago. */
  readonly requireRecent: (actor: Actor) => Promise<void>
}

/** Verifies the addresses of users, and changes the own one. A new address counts when it is verified; the former one is told. */
export class EmailChanges {
  readonly #parts: EmailChangeParts

  constructor(parts: EmailChangeParts) {
    this.#parts = parts
  }

  /**
   * Sends a link to an address that the actor wants to have, or to the present one. Does not tell whether another account has it.
   *
   * @param body `{email}`
   * @throws {AppError} FORBIDDEN for an actor without an account; INSUFFICIENT_USER_AUTHENTICATION, VALIDATION_FAILED, NOT_SET_UP, RATE_LIMITED
   */
  async request(actor: Actor, body: unknown): Promise<void> {
    const { store, tokens, mails } = this.#parts
    const user = await ownAccount(this.#parts, actor)
    await this.#parts.requireRecent(actor)
    const [email] = readTexts(body, ['email'], { strict: true })
    const { email: faults = [] } = readRecord(this.#parts.user, { email }, user).issues.toMessages()
    if (faults.length > 0) throw new AppError('VALIDATION_FAILED', { email: faults })
    mails.expectMail()
    if ((await tokens.open('email', user.id)).length >= MAX_OPEN) throw tooMany()
    const created = tokens.create('email', user, { email })
    const named = mails.named(user)
    const link = mails.link('verify-email', created.token)
    const other = await userWithAddress(store, email)
    const isFree = other === undefined || other.id === user.id
    const toNew = isFree ? await mails.operationsOf({ to: email, ...verificationText(named, link) }) : []
    const isOther = email !== user.email
    const toPresent = isOther ? await mails.operationsOf({ to: String(user.email), ...otherAddressText(named) }) : []
    // A token without a mail is stored as well, so that both cases count.
    if ((await tokens.store(created, [...toNew, ...toPresent])) === undefined) throw notStored()
  }

  /**
   * Makes the address of a link that of the actor, verified. Only the user who asked for it can: another user who opens the link must not verify
   * their address for that user.
   *
   * @param body `{token}`
   * @throws {AppError} FORBIDDEN, VALIDATION_FAILED
   */
  async verify(actor: Actor, body: unknown, client: LoginClient): Promise<void> {
    const { tokens, records, verified, mails, events } = this.#parts
    const { id } = await ownAccount(this.#parts, actor)
    const [text] = readTexts(body, ['token'], { strict: true })
    const token = await tokens.find('email', text)
    const user = await tokens.userOf(token)
    if (user.id !== id) throw refusedToken()
    const { email } = token.data as unknown as { readonly email: string }
    if (email === user.email) {
      if (!(await tokens.spend(token, await verified.operationsFor(user)))) throw refusedToken()
    } else {
      const options = {
        spentToken: token.id,
        isNoted: true,
        origin: { requestId: client.requestId },
        precondition: (_: string, now: StoredRecord) => !changesAccess(user, now) && now.email === user.email,
      }
      const changed = await updateOwnAccount(records, user, { email }, options, refusedToken)
      await verified.add(changed)
      events.note('email_changed', { user, client })
      await mails.tell(user, addressChangedText)
    }
    events.note('email_verified', { user, client })
  }

  /**
   * Notes that the present address of a user is verified, for the shell.
   *
   * @throws {AppError} RECORD_NOT_FOUND
   */
  async confirm(userId: number, client: LoginClient): Promise<string> {
    const [user] = await this.#parts.store.get('user', [userId])
    if (user === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(this.#parts.user, userId))
    await this.#parts.verified.add(user)
    this.#parts.events.note('email_verified', { user, client: { requestId: client.requestId }, method: 'shell' })
    return String(user.email)
  }
}

const tooMany = (): AppError =>
  new AppError('RATE_LIMITED', `At most ${MAX_OPEN} links are open at once; try again tomorrow, or use one of them`, {
    retryAfter: 86_400,
  })

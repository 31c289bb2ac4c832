import { noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { Records } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Timer } from '../util/clock.ts'
import { readTexts } from '../validate/issues.ts'
import { readRecord } from '../validate/record.ts'
import type { AccountEvents } from './account-events.ts'
import type { AccountMails } from './account-mails.ts'
import { updateOwnAccount } from './acting-users.ts'
import { inSmallLetters, userWithAddress } from './addresses.ts'
import { passwordSetText, resetText } from './mail-texts.ts'
import { notStored, type OneTimeTokens, refusedToken } from './one-time-tokens.ts'
import { changesAccess, type LoginClient } from './sessions.ts'
import { hasPassword } from './users.ts'

/** Interval in which requests for links are worked on, in milliseconds. Their answers do not wait for it, so they tell nothing of it. */
const WORK_MS = 500
/** Maximum number of requests worked on in an interval, and of those that wait. */
const AT_ONCE = 20
const MAX_WAITING = 1000
const MINUTE_MS = 60_000
/** Maximum number of open links of a user. */
const MAX_OPEN = 3

interface ResetParts {
  readonly store: Store
  readonly records: Records
  readonly tokens: OneTimeTokens
  readonly mails: AccountMails
  readonly events: AccountEvents
  readonly user: Model
  readonly timer: Timer
  readonly log: Log
  /** The setting `accounts.password_reset`. */
  readonly isOn: boolean
  /** Asks for the second factor of a user who has one. */
  readonly requireFactor: (user: StoredRecord, otp: string | undefined, client: LoginClient) => Promise<unknown>
}

interface Request {
  readonly address: string
  readonly client: LoginClient
}

const OFF = 'Users cannot ask for links to set another password; `accounts: { password_reset: true }` in the settings lets them'

/** Links by which users who have forgotten their password set another one. */
export class PasswordResets {
  readonly #parts: ResetParts
  #waiting: Request[] = []
  #cancel: (() => void) | undefined
  #working: Promise<void> = Promise.resolve()
  /** Number of requests that were dropped since the log was told. */
  #dropped = 0

  constructor(parts: ResetParts) {
    this.#parts = parts
  }

  /**
   * Asks for a link for the account with an address. What follows is decided later, so that neither the answer nor its time tells whether there is
   * such an account.
   *
   * @throws {AppError} NOT_SET_UP; VALIDATION_FAILED for a body without an address
   */
  request(body: unknown, client: LoginClient): void {
    if (!this.#parts.isOn) throw new AppError('NOT_SET_UP', OFF)
    const [address] = readTexts(body, ['email'], { strict: true })
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ address, client })
    else if (this.#dropped++ === 0) this.#parts.timer(MINUTE_MS, () => this.#tellOfDropped())
    this.#plan()
  }

  /** Works on the requests that wait. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) this.#work()
    await this.#working
  }

  async stop(): Promise<void> {
    this.#cancel?.()
    await this.flush()
  }

  /**
   * A link for a user, for an administrator to hand over.
   *
   * @throws {AppError} RECORD_NOT_FOUND, INVALID_REQUEST for an account that cannot log in with a password, NOT_SET_UP
   */
  async link(userId: number): Promise<{ readonly link: string; readonly expires_at: string }> {
    const { store, tokens, mails } = this.#parts
    const [user] = await store.get('user', [userId])
    if (user === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(this.#parts.user, userId))
    if (!mayReset(user)) {
      const reason = user.is_active === true ? 'has no password' : 'is disabled'
      throw new AppError(
        'INVALID_REQUEST',
        `User '${String(user.username)}' ${reason}, so no link sets another one; see \`admin users passwd\` and \`admin users enable\``,
      )
    }
    const created = tokens.create('reset', user)
    const link = mails.link('reset-password', created.token)
    if ((await tokens.store(created)) === undefined) throw notStored()
    return { link, expires_at: created.expiresAt }
  }

  /**
   * Sets another password with the token of a link, which is spent with it. All sessions of the user end, and other links of the user become
   * invalid. Begins no session.
   *
   * @param body `{token, new_password, otp?}`
   * @throws {AppError} VALIDATION_FAILED; UNAUTHENTICATED for a missing or wrong second factor, which does not spend the token
   */
  async reset(body: unknown, client: LoginClient): Promise<void> {
    const { tokens, records, events } = this.#parts
    const [text, password, otp] = readReset(body)
    const token = await tokens.find('reset', text)
    const user = await tokens.userOf(token)
    const faults = passwordFaults(this.#parts.user, user, password, 'new_password')
    if (faults.length > 0) throw new AppError('VALIDATION_FAILED', { new_password: faults })
    await this.#parts.requireFactor(user, otp, client)
    const options = {
      spentToken: token.id,
      isNoted: true,
      origin: { requestId: client.requestId },
      precondition: (_: string, now: StoredRecord) => !changesAccess(user, now) && now.email === user.email,
    }
    await updateOwnAccount(records, user, { password }, options, refusedToken)
    events.note('password_reset', { user, client })
    await this.#parts.mails.tell(user, passwordSetText)
  }

  #tellOfDropped(): void {
    this.#parts.log.warn('Requests for links to set another password were dropped: too many waited', { requests: this.#dropped })
    this.#dropped = 0
  }

  #plan(): void {
    this.#cancel ??= this.#parts.timer(WORK_MS, () => {
      this.#cancel = undefined
      this.#work()
      if (this.#waiting.length > 0) this.#plan()
    })
  }

  #work(): void {
    const requests = this.#waiting.splice(0, AT_ONCE)
    this.#working = this.#working.then(() => this.#sendAll(requests))
  }

  async #sendAll(requests: readonly Request[]): Promise<void> {
    const asked = new Map(requests.map((request) => [inSmallLetters(request.address), request]))
    for (const request of asked.values()) {
      await this.#send(request).catch((error: unknown) => {
        this.#parts.log.error('A link to set another password could not be sent', { error })
      })
    }
  }

  async #send({ address, client }: Request): Promise<void> {
    const { store, tokens, mails, events } = this.#parts
    const user = await userWithAddress(store, address)
    if (user === undefined || !mayReset(user)) return
    events.note('password_reset_requested', { user, client })
    if ((await tokens.open('reset', user.id)).length >= MAX_OPEN) return
    const created = tokens.create('reset', user)
    const mail = { to: String(user.email), ...resetText(mails.named(user), mails.link('reset-password', created.token)) }
    await tokens.store(created, await mails.operationsOf(mail))
  }
}

/** Users without a password, and disabled ones, cannot log in with a new one. */
const mayReset = (user: StoredRecord): boolean => user.is_active === true && hasPassword(user)

/** The messages about a new password by the rules of the model, with the name of the member that it was sent as. */
export function passwordFaults(model: Model, user: StoredRecord, password: string, name: string): readonly string[] {
  const { password: messages = [] } = readRecord(model, { password }, user).issues.toMessages()
  return messages.map((message) => message.replace(/^password /, `${name} `))
}

/** @throws {AppError} VALIDATION_FAILED */
function readReset(body: unknown): readonly [token: string, password: string, otp: string | undefined] {
  const hasOtp = Object.hasOwn(Object(body), 'otp')
  const [token = '', password = '', otp] = readTexts(body, ['token', 'new_password', ...(hasOtp ? ['otp'] : [])], {
    strict: true,
  })
  return [token, password, otp]
}

import type { Actor } from '../auth/permissions.ts'
import type { JobQueue } from '../code/job-queue.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import type { AccountEvents } from './account-events.ts'
import { AccountMails } from './account-mails.ts'
import { EmailChanges } from './email-changes.ts'
import { Invitations } from './invitations.ts'
import { OneTimeTokens } from './one-time-tokens.ts'
import { PasswordResets } from './password-resets.ts'
import type { LoginClient } from './sessions.ts'
import { VerifiedAddresses } from './verified-addresses.ts'

interface AccountLinksParts {
  readonly store: Store
  readonly records: Records
  readonly queue: JobQueue
  readonly settings: Settings
  readonly events: AccountEvents
  /** The model of users. */
  readonly user: Model
  readonly clock: Clock
  readonly timer: Timer
  readonly random: Random
  readonly log: Log
  /** Asks for the second factor of a user who has one. */
  readonly requireFactor: (user: StoredRecord, otp: string | undefined, client: LoginClient) => Promise<unknown>
  /** Refuses an actor whose login was too long ago. */
  readonly requireRecent: (actor: Actor) => Promise<void>
}

/** What accounts do by links that are good once: resets, invitations, verified addresses. */
export class AccountLinks {
  readonly mails: AccountMails
  readonly tokens: OneTimeTokens
  readonly verified: VerifiedAddresses
  readonly resets: PasswordResets
  readonly invitations: Invitations
  readonly emails: EmailChanges
  readonly hooks: readonly WriteHooks[]

  constructor(parts: AccountLinksParts) {
    const mails = new AccountMails(parts)
    const tokens = new OneTimeTokens(parts)
    const verified = new VerifiedAddresses(parts)
    const all = { ...parts, mails, tokens, verified }
    this.mails = mails
    this.tokens = tokens
    this.verified = verified
    this.resets = new PasswordResets({ ...all, isOn: parts.settings.accounts.password_reset })
    this.invitations = new Invitations(all)
    this.emails = new EmailChanges(all)
    this.hooks = [verified.hooks, tokens.hooks]
  }

  /** Begins the background work of a server. */
  begin(): Promise<void> {
    return this.tokens.begin()
  }

  async stop(): Promise<void> {
    this.tokens.stop()
    await this.resets.stop()
  }
}

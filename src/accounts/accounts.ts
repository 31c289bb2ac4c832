import type { AccessRules } from '../access/access-rules.ts'
import type { PasswordHasher } from '../auth/password.ts'
import { Sealer } from '../auth/sealing.ts'
import type { TokenIssuer } from '../auth/token.ts'
import type { JobQueue } from '../code/job-queue.ts'
import type { Settings } from '../config/settings.ts'
import type { AccountLockout } from '../limit/lockout.ts'
import type { Log } from '../log/log.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import type { Resolve } from '../webhooks/url-guard.ts'
import { webhookGuard } from '../webhooks/webhooks.ts'
import { AccountEvents, accountEventHooks } from './account-events.ts'
import { accountGuards } from './account-guards.ts'
import { AccountLinks } from './account-links.ts'
import { accountLog } from './account-log.ts'
import { ActorCache } from './actor-cache.ts'
import { ApiKeys } from './api-keys.ts'
import { Logins } from './logins.ts'
import { addressChangedText, identityLinkedText } from './mail-texts.ts'
import { guardedFetch } from './oidc/guarded-fetch.ts'
import { Identities } from './oidc/identities.ts'
import { SingleSignOn } from './oidc/single-sign-on.ts'
import { OwnAccounts } from './own-accounts.ts'
import { OwnFactors } from './own-factors.ts'
import { RecentLogin } from './recent-login.ts'
import { savedViewGuard } from './saved-view-guard.ts'
import { SecondFactors } from './second-factors.ts'
import { SessionStart } from './session-start.ts'
import { Sessions } from './sessions.ts'

interface AccountParts {
  readonly access: AccessRules
  readonly store: Store
  readonly records: Records
  readonly tokens: TokenIssuer
  readonly lockout: AccountLockout
  /** Counts wrong codes of second factors. */
  readonly factorLockout: AccountLockout
  readonly settings: Settings
  /** The key by which tokens are signed and secrets sealed. */
  readonly secret: string
  readonly hasher: PasswordHasher
  readonly clock: Clock
  readonly timer: Timer
  readonly random: Random
  readonly log: Log
  /** A key of the first superuser, for an ephemeral server. */
  readonly givenKey?: string | undefined
  /** Resolves the host names of providers. */
  readonly resolve: Resolve | undefined
  readonly queue: JobQueue
}

/** Logins, sessions and second factors, the log of accounts, and the hooks that guard accounts, end sessions and log changes of accounts. */
export class Accounts {
  readonly events: AccountEvents
  readonly logins: Logins
  /** Begins every session. */
  readonly starts: SessionStart
  readonly factors: SecondFactors
  readonly recent: RecentLogin
  readonly keys: ApiKeys
  readonly own: OwnAccounts
  readonly ownFactors: OwnFactors
  readonly identities: Identities
  readonly singleSignOn: SingleSignOn
  readonly links: AccountLinks
  readonly hooks: readonly WriteHooks[]
  readonly #hasFormerSecrets: boolean

  constructor(parts: AccountParts) {
    const sessions = new Sessions(parts)
    const events = new AccountEvents({ ...parts, days: parts.settings.accounts.log_days })
    const user = parts.access.registry.expect('user')
    this.events = events
    const { settings, secret, random } = parts
    const actors = new ActorCache(parts.store)
    const sealer = new Sealer({ secret, previous: settings.secret_keys_previous }, 'second factor', random)
    this.factors = new SecondFactors({
      ...parts,
      events,
      sealer,
      lockout: parts.factorLockout,
      setting: settings.accounts.two_factor,
      issuer: settings.ui.title,
      onChange: () => actors.clear(),
    })
    this.starts = new SessionStart({ ...parts, sessions, events, factors: this.factors })
    this.recent = new RecentLogin({ ...parts, sessions })
    this.keys = new ApiKeys({ ...parts, actors, events, recent: this.recent })
    const { keys } = this
    this.logins = new Logins({ ...parts, sessions, events, actors, keys, starts: this.starts, factors: this.factors })
    this.own = new OwnAccounts({ ...parts, sessions, events, user, factors: this.factors })
    this.ownFactors = new OwnFactors({ ...parts, sessions, events, user, factors: this.factors, recent: this.recent })
    this.links = new AccountLinks({
      ...parts,
      events,
      user,
      requireFactor: (account, otp, client) => this.factors.require(account, otp, client),
      requireRecent: (actor) => this.recent.require(actor),
    })
    this.identities = new Identities({
      ...parts,
      providers: settings.accounts.providers ?? [],
      users: user,
      recent: this.recent,
      events,
      verified: this.links.verified,
      tell: (account, provider) => this.links.mails.tell(account, (named) => identityLinkedText(named, provider.title)),
    })
    this.singleSignOn = new SingleSignOn({
      ...parts,
      identities: this.identities,
      starts: this.starts,
      sessions,
      tokens: this.links.tokens,
      recent: this.recent,
      sealer: new Sealer({ secret, previous: settings.secret_keys_previous }, 'single sign-on', random),
      fetch: guardedFetch(webhookGuard(settings, parts.resolve)),
    })
    this.#hasFormerSecrets = (settings.secret_keys_previous ?? []).length > 0
    this.hooks = [
      this.logins.actors.hooks,
      accountGuards({ ...parts, requireRecent: (actor) => this.recent.require(actor) }),
      savedViewGuard(parts.store),
      sessions.hooks(parts.lockout),
      accountLog(parts.log),
      accountEventHooks(events, (former) => this.links.mails.tellAll(former, addressChangedText)),
      ...this.links.hooks,
      this.identities.hooks,
    ]
  }

  /** Begins the background work of a server. */
  async begin(): Promise<void> {
    const resealing = this.#hasFormerSecrets ? this.factors.reseal() : undefined
    await Promise.all([this.events.begin(), this.links.begin(), resealing])
  }

  async stop(): Promise<void> {
    await this.links.stop()
    await this.events.stop()
  }
}

import type { AccessRules } from '../access/access-rules.ts'
import type { PasswordHasher } from '../auth/password.ts'
import type { TokenIssuer } from '../auth/token.ts'
import type { Settings } from '../config/settings.ts'
import type { AccountLockout } from '../limit/lockout.ts'
import type { Log } from '../log/log.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import { AccountEvents, accountEventHooks } from './account-events.ts'
import { accountGuards } from './account-guards.ts'
import { accountLog } from './account-log.ts'
import { Logins } from './logins.ts'
import { OwnAccounts } from './own-accounts.ts'
import { savedViewGuard } from './saved-view-guard.ts'
import { Sessions } from './sessions.ts'

interface AccountParts {
  readonly access: AccessRules
  readonly store: Store
  readonly records: Records
  readonly tokens: TokenIssuer
  readonly lockout: AccountLockout
  readonly hasher: PasswordHasher
  readonly clock: Clock
  readonly timer: Timer
  readonly random: Random
  readonly log: Log
  readonly settings: Pick<Settings, 'accounts'>
}

/** Logins and sessions, the log of accounts, and the hooks that guard accounts, end sessions and log changes of accounts. */
export class Accounts {
  readonly events: AccountEvents
  readonly logins: Logins
  readonly own: OwnAccounts
  readonly hooks: readonly WriteHooks[]

  constructor(parts: AccountParts) {
    const sessions = new Sessions(parts)
    const events = new AccountEvents({ ...parts, days: parts.settings.accounts.log_days })
    this.events = events
    this.logins = new Logins({ ...parts, sessions, events })
    this.own = new OwnAccounts({ ...parts, sessions, events, user: parts.access.registry.expect('user') })
    this.hooks = [
      this.logins.actors.hooks,
      accountGuards(parts),
      savedViewGuard(parts.store),
      sessions.hooks(parts.lockout),
      accountLog(parts.log),
      accountEventHooks(events),
    ]
  }

  /** Begins the background work of a server. */
  begin(): Promise<void> {
    return this.events.begin()
  }

  stop(): Promise<void> {
    return this.events.stop()
  }
}

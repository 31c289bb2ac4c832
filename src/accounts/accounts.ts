import type { AccessRules } from '../access/access-rules.ts'
import type { PasswordHasher } from '../auth/password.ts'
import type { TokenIssuer } from '../auth/token.ts'
import type { AccountLockout } from '../limit/lockout.ts'
import type { Log } from '../log/log.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
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
  readonly random: Random
  readonly log: Log
}

/** Logins and sessions, and the hooks that guard accounts, end sessions and log changes of accounts. */
export class Accounts {
  readonly logins: Logins
  readonly own: OwnAccounts
  readonly hooks: readonly WriteHooks[]

  constructor(parts: AccountParts) {
    const sessions = new Sessions(parts)
    this.logins = new Logins({ ...parts, sessions })
    this.own = new OwnAccounts({ ...parts, sessions, user: parts.access.registry.expect('user') })
    this.hooks = [
      this.logins.actors.hooks,
      accountGuards(parts),
      savedViewGuard(parts.store),
      sessions.hooks(parts.lockout),
      accountLog(parts.log),
    ]
  }
}

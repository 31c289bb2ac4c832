import { type AccountLockout, accountDigest, LOCKOUT_POLICY, type LockoutPolicy } from './lockout.ts'

/** The failed logins by the digest of the account, of all processes that share a database. */
export interface FailedLogins {
  /** Counts a failure, unless the name is locked. */
  addFailure(name: string, policy: LockoutPolicy): Promise<void>
  /** Resets the failures of a name and returns true, unless it is locked. */
  reset(name: string, policy: LockoutPolicy): Promise<boolean>
  isLocked(name: string, policy: LockoutPolicy): Promise<boolean>
  /** Forgets a name, locked or not. */
  remove(name: string): Promise<void>
}

/** The lockout of all processes that share a database. Each attempt is decided and counted by one statement, with the clock of the database. */
export class SharedLockout implements AccountLockout {
  readonly #failed: FailedLogins
  readonly #policy: LockoutPolicy

  constructor(failed: FailedLogins, policy = LOCKOUT_POLICY) {
    this.#failed = failed
    this.#policy = policy
  }

  async admit(account: string, succeeded: boolean): Promise<boolean> {
    const name = accountDigest(account)
    if (succeeded) return this.#failed.reset(name, this.#policy)
    await this.#failed.addFailure(name, this.#policy)
    return false
  }

  locks(account: string): Promise<boolean> {
    return this.#failed.isLocked(accountDigest(account), this.#policy)
  }

  /** Called after a commit, so it does not fail: a lock that could not be removed ends by itself. */
  async forgive(account: string): Promise<void> {
    await this.#failed.remove(accountDigest(account)).catch(() => {})
  }
}

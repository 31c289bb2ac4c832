import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../util/clock.ts'

/** When accounts are locked, and for how long; times in milliseconds. */
interface LockoutPolicy {
  /** Number of consecutive failures that causes the first lock. */
  readonly failures: number
  /** Durations of the locks of a series: the failure that causes the first one, and each further failure, causes the next. */
  readonly series: readonly number[]
  /**
   * Duration of each lock after the series. Between them the account is open to as many failures as before the first lock, so that an
   * attacker cannot exclude the owner without end.
   */
  readonly longest: number
  /** Failures are forgotten after this time without a counted attempt or a lock. */
  readonly memory: number
  /** Whether a success makes failures forgotten. */
  readonly forgives: boolean
  /** Failures are stored for this time, which is the longest memory of any policy, since they share a table. */
  readonly kept: number
  /** Approximate maximum number of accounts tracked. */
  readonly capacity: number
}

const KEPT = 24 * 60 * 60_000

const LOCKOUT_POLICY: LockoutPolicy = {
  failures: 5,
  // Doubled up to a quarter of an hour; an hour in all.
  series: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 777].map((seconds) => seconds * 1000),
  longest: 60 * 60_000,
  memory: 60 * 60_000,
  forgives: true,
  kept: KEPT,
  capacity: 100_000,
}

/**
 * For codes of second factors, which are short: at most 120 wrong ones are compared in any 24 hours, however they are spread, and whenever the
 * owner logs in.
 */
export const FACTOR_POLICY: LockoutPolicy = { ...LOCKOUT_POLICY, longest: 75 * 60_000, memory: KEPT, forgives: false }

/** Duration of the lock that a failure causes, in milliseconds; 0 for none. */
function lockAfter(count: number, { failures, series, longest }: Pick<LockoutPolicy, 'failures' | 'series' | 'longest'>): number {
  const index = count - failures
  if (index < series.length) return series[index] ?? 0
  return (index - series.length + 1) % failures === 0 ? longest : 0
}

/** Settings of the lockout in memory. */
interface LockoutOptions extends Partial<LockoutPolicy> {
  readonly clock: Clock
}

/** Slows down password guessing on one account. */
export interface AccountLockout {
  /**
   * Decides about a login and counts it. Called after the password was checked, so that concurrent attempts are counted one
   * after another. While the account is locked, attempts do not count.
   *
   * @param succeeded whether the password was correct
   * @returns whether the login may proceed
   */
  admit(account: string, succeeded: boolean): boolean | Promise<boolean>

  /** True while the account is locked. */
  locks(account: string): boolean | Promise<boolean>

  /** Resets the failures of an account, for example after its password was set. */
  forgive(account: string): void | Promise<void>
}

interface FailureCount {
  readonly failures: number
  readonly at: number
  readonly lockedUntil: number
}

/**
 * The lockout of one process. Slows down password guessing on one account from many addresses: after some consecutive failures each further one doubles the
 * lock (OWASP Authentication Cheat Sheet, "Account Lockout"). A series of locks lasts an hour in all; then five further failures lock for an hour. Names are counted whether or not an account exists, so that locks
 * reveal nothing.
 *
 * Memory is bounded: each name costs a digest of fixed length, and the most recently used names are kept. Locked names are kept
 * apart from others, so that a flood of names does not evict locks.
 */
export class Lockout implements AccountLockout {
  readonly #clock: Clock
  readonly #policy: LockoutPolicy
  readonly #counting: LRUCache<string, FailureCount>
  readonly #locked: LRUCache<string, FailureCount>

  constructor(options: LockoutOptions) {
    const { clock, ...policy } = { ...LOCKOUT_POLICY, ...options }
    const { capacity } = policy
    this.#clock = clock
    this.#policy = policy
    this.#counting = lastUsed(capacity)
    // Each of these took several attempts, so there are fewer of them.
    this.#locked = lastUsed(Math.ceil(capacity / 5))
  }

  admit(account: string, succeeded: boolean): boolean {
    const name = accountDigest(account)
    const now = this.#clock()
    const known = this.#recall(name, now)
    if (known !== undefined && now < known.lockedUntil) return false
    if (succeeded && this.#policy.forgives) this.#forget(name)
    if (!succeeded) this.#note(name, now, (known?.failures ?? 0) + 1)
    return succeeded
  }

  locks(account: string): boolean {
    const now = this.#clock()
    return now < (this.#recall(accountDigest(account), now)?.lockedUntil ?? 0)
  }

  forgive(account: string): void {
    this.#forget(accountDigest(account))
  }

  /** Number of tracked names. */
  get size(): number {
    return this.#counting.size + this.#locked.size
  }

  #recall(name: string, now: number): FailureCount | undefined {
    const standing = this.#locked.get(name) ?? this.#counting.get(name)
    // An entry from the future was written before the clock was set back. It would never expire.
    if (standing === undefined || standing.at > now) return undefined
    return now - Math.max(standing.at, standing.lockedUntil) > this.#policy.memory ? undefined : standing
  }

  #note(name: string, now: number, failures: number): void {
    const lock = lockAfter(failures, this.#policy)
    this.#forget(name)
    const standings = failures < this.#policy.failures ? this.#counting : this.#locked
    standings.set(name, { failures, at: now, lockedUntil: lock === 0 ? 0 : now + lock })
  }

  #forget(name: string): void {
    this.#counting.delete(name)
    this.#locked.delete(name)
  }
}

/** A submitted name may be long, or a password, so only its digest is kept. The forms in which a name can be typed have one. */
const accountDigest = (account: string): string =>
  createHash('sha256').update(account.normalize('NFC')).digest('base64url').slice(0, 22)

/** The option `max` would allocate memory for all names at once, at every start. */
const lastUsed = (names: number): LRUCache<string, FailureCount> => new LRUCache({ maxSize: names, sizeCalculation: () => 1 })

/** The failed logins by the digest of the account, of all processes that share a database. */
export interface FailedLogins {
  /** Counts a failure, unless the name is locked. */
  addFailure(name: string, policy: LockoutPolicy): Promise<void>
  /** Resets the failures of a name, if the policy forgives, and returns true; unless it is locked. */
  reset(name: string, policy: LockoutPolicy): Promise<boolean>
  isLocked(name: string, policy: LockoutPolicy): Promise<boolean>
  /** Forgets a name, locked or not. */
  remove(name: string): Promise<void>
}

/** The lockout of all processes that share a database. Each attempt is decided and counted by one statement, with the clock of the database. */
export class SharedLockout implements AccountLockout {
  readonly #failed: FailedLogins
  readonly #policy: LockoutPolicy
  readonly #scope: string

  /** @param scope tells names apart from those of another lockout */
  constructor(failed: FailedLogins, policy = LOCKOUT_POLICY, scope = '') {
    this.#failed = failed
    this.#policy = policy
    this.#scope = scope
  }

  async admit(account: string, succeeded: boolean): Promise<boolean> {
    const name = this.#nameOf(account)
    if (succeeded) return this.#failed.reset(name, this.#policy)
    await this.#failed.addFailure(name, this.#policy)
    return false
  }

  locks(account: string): Promise<boolean> {
    return this.#failed.isLocked(this.#nameOf(account), this.#policy)
  }

  /** Called after a commit, so it does not fail: a lock that could not be removed ends by itself. */
  async forgive(account: string): Promise<void> {
    await this.#failed.remove(this.#nameOf(account)).catch(() => {})
  }

  /** Digests have a fixed length, so that a scope makes a name that no other account has. */
  #nameOf(account: string): string {
    return this.#scope + accountDigest(account)
  }
}

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../util/clock.ts'

/** When accounts are locked, and for how long; times in milliseconds. */
export interface LockoutPolicy {
  /** Number of consecutive failures that causes the first lock. */
  readonly failures: number
  /** Duration of the first lock; each further failure doubles it. */
  readonly shortest: number
  /** Maximum duration of a lock, so that an attacker cannot exclude the owner for long. */
  readonly longest: number
  /** Failures are forgotten after this time without a counted attempt. */
  readonly memory: number
  /** Approximate maximum number of accounts tracked. */
  readonly capacity: number
}

export const LOCKOUT_POLICY: LockoutPolicy = {
  failures: 5,
  shortest: 1000,
  longest: 15 * 60_000,
  memory: 60 * 60_000,
  capacity: 100_000,
}

/** Settings of the lockout in memory. */
export interface LockoutOptions extends Partial<LockoutPolicy> {
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

interface Standing {
  readonly failures: number
  readonly at: number
  readonly lockedUntil: number
}

/**
 * The lockout of one process. Slows down password guessing on one account from many addresses: after some consecutive failures each further one doubles the
 * lock (OWASP Authentication Cheat Sheet, "Account Lockout"). Names are counted whether or not an account exists, so that locks
 * reveal nothing.
 *
 * Memory is bounded: each name costs a digest of fixed length, and the most recently used names are kept. Locked names are kept
 * apart from others, so that a flood of names does not evict locks.
 */
export class Lockout implements AccountLockout {
  readonly #clock: Clock
  readonly #failures: number
  readonly #shortest: number
  readonly #longest: number
  readonly #memory: number
  readonly #counting: LRUCache<string, Standing>
  readonly #locked: LRUCache<string, Standing>

  constructor(options: LockoutOptions) {
    const { clock, failures, shortest, longest, memory, capacity } = { ...LOCKOUT_POLICY, ...options }
    this.#clock = clock
    this.#failures = failures
    this.#shortest = shortest
    this.#longest = longest
    this.#memory = memory
    this.#counting = lastUsed(capacity)
    // Each of these took several attempts, so there are fewer of them.
    this.#locked = lastUsed(Math.ceil(capacity / 5))
  }

  admit(account: string, succeeded: boolean): boolean {
    const name = accountDigest(account)
    const now = this.#clock()
    const known = this.#recall(name, now)
    if (known !== undefined && now < known.lockedUntil) return false
    if (succeeded) this.#forget(name)
    else this.#note(name, now, (known?.failures ?? 0) + 1)
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

  #recall(name: string, now: number): Standing | undefined {
    const standing = this.#locked.get(name) ?? this.#counting.get(name)
    // An entry from the future was written before the clock was set back. It would never expire.
    return standing === undefined || standing.at > now || now - standing.at > this.#memory ? undefined : standing
  }

  #note(name: string, now: number, failures: number): void {
    const beyond = failures - this.#failures
    this.#forget(name)
    if (beyond < 0) this.#counting.set(name, { failures, at: now, lockedUntil: 0 })
    else this.#locked.set(name, { failures, at: now, lockedUntil: now + Math.min(this.#longest, this.#shortest * 2 ** beyond) })
  }

  #forget(name: string): void {
    this.#counting.delete(name)
    this.#locked.delete(name)
  }
}

/** A submitted name may be long, or a password, so only its digest is kept. */
export const accountDigest = (account: string): string => createHash('sha256').update(account).digest('base64url').slice(0, 22)

/** The option `max` would allocate memory for all names at once, at every start. */
const lastUsed = (names: number): LRUCache<string, Standing> => new LRUCache({ maxSize: names, sizeCalculation: () => 1 })

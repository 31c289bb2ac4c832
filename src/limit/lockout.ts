import { createHash } from 'node:crypto'
import type { Clock } from '../util/clock.ts'
import { GenerationalCache } from '../util/generational-cache.ts'

/** How an account is guarded; times in milliseconds. */
export interface LockoutOptions {
  readonly clock: Clock
  /** Which failure in a row is the first to lock. */
  readonly failures?: number
  /** How long the first lock lasts; each further failure doubles it. */
  readonly shortest?: number
  /** No lock lasts longer, so that nobody keeps the owner out for long. */
  readonly longest?: number
  /** After so long without an attempt that counts, failures are forgotten. */
  readonly memory?: number
  /** How many accounts are remembered, about. */
  readonly capacity?: number
}

interface Standing {
  readonly failures: number
  readonly at: number
  readonly lockedUntil: number
}

/**
 * Slows down whoever guesses the password of one account from many addresses: after some failures in a row every further one
 * locks the account for twice as long (OWASP Authentication Cheat Sheet, "Account Lockout"). It knows names, not accounts, so that
 * one that nobody has is locked like any other.
 *
 * Memory is bounded: a name costs a digest of fixed length, and the names used last are kept. Names that are locked are
 * kept apart from those that are not, so that a flood of names pushes no lock out.
 */
export class Lockout {
  readonly #clock: Clock
  readonly #failures: number
  readonly #shortest: number
  readonly #longest: number
  readonly #memory: number
  readonly #counting: GenerationalCache<string, Standing>
  readonly #locked: GenerationalCache<string, Standing>

  constructor(options: LockoutOptions) {
    this.#clock = options.clock
    this.#failures = options.failures ?? 5
    this.#shortest = options.shortest ?? 1000
    this.#longest = options.longest ?? 15 * 60_000
    this.#memory = options.memory ?? 60 * 60_000
    const capacity = options.capacity ?? 100_000
    this.#counting = new GenerationalCache(capacity)
    // Each of these took several attempts, so there are fewer of them.
    this.#locked = new GenerationalCache(capacity / 5)
  }

  /**
   * Judges an attempt to log in, and counts it. It is asked when the password has been checked: however many attempts are
   * made at once, they are judged one after another. While the account is locked no attempt counts, right or wrong.
   *
   * @param succeeded whether the password was right
   * @returns whether the login may go on
   */
  admit(account: string, succeeded: boolean): boolean {
    const name = digest(account)
    const now = this.#clock()
    const known = this.#recall(name, now)
    if (known !== undefined && now < known.lockedUntil) return false
    if (succeeded) this.#forget(name)
    else this.#note(name, now, (known?.failures ?? 0) + 1)
    return succeeded
  }

  /** True while an account is locked. */
  locks(account: string): boolean {
    const now = this.#clock()
    return now < (this.#recall(digest(account), now)?.lockedUntil ?? 0)
  }

  /** Forgets the failures of an account, such as one whose password has just been set. */
  forgive(account: string): void {
    this.#forget(digest(account))
  }

  /** How many names are remembered; one may count twice. */
  get size(): number {
    return this.#counting.size + this.#locked.size
  }

  #recall(name: string, now: number): Standing | undefined {
    const standing = this.#locked.get(name) ?? this.#counting.get(name)
    // What lies in the future was noted by a clock that has been set back since; it would never be forgotten.
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

/** What is typed as a name may be long, or a password: neither is kept. */
const digest = (account: string): string => createHash('sha256').update(account).digest('base64url').slice(0, 22)

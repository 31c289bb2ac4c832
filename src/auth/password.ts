import limit from 'p-limit'
import { AppError } from '../errors.ts'

/** Turns passwords into what is stored of them, and holds passwords against that. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  /**
   * False for a wrong password and for a stored text that is no hash.
   *
   * @throws {AppError} RATE_LIMITED when too many others wait for the same
   */
  verify(hash: string, password: string): Promise<boolean>
}

/** The part of a library that is needed to make and check hashes. */
interface Argon2 {
  hash(password: string, options: { memoryCost: number; timeCost: number; parallelism: number }): Promise<string>
  verify(stored: string, password: string): Promise<boolean>
}

/** How many passwords are held against hashes at once, and how many may wait for it: at some 20 ms each, a few seconds. */
const VERIFYING = 2
const MAX_WAITING = 200
const RETRY_AFTER_SECONDS = 5

/**
 * argon2id with OWASP's parameters: 19 MiB of memory, two passes, one lane. Runs off the event loop: one hash is made and two
 * are checked at a time at the most, so that neither takes all memory and all threads, and passwords that are set by the
 * thousand keep nobody from logging in.
 *
 * @param load gets the library. The native addon is loaded when a password first turns up, not at every start.
 */
export function argon2id(load: () => Promise<Argon2> = () => import('@node-rs/argon2')): PasswordHasher {
  const hashing = limit(1)
  const verifying = limit(VERIFYING)
  return {
    hash: (password) => hashing(async () => (await load()).hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })),
    async verify(stored, password) {
      if (verifying.pendingCount >= MAX_WAITING) {
        const words = `Too many logins at once; try again in ${RETRY_AFTER_SECONDS} seconds`
        throw new AppError('RATE_LIMITED', words, { retryAfter: RETRY_AFTER_SECONDS })
      }
      return verifying(async () => (await load()).verify(stored, password).catch(() => false))
    },
  }
}

/** A hash that no password has, to be held against where there is no user, so that both answers take as long. */
export const NOBODYS_HASH = '$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlzIQ$3xEn3T7hpbeUGfOtNkEyGKm1XoZTtXRUbNTPEHvmpeY'

import limit from 'p-limit'
import { AppError } from '../errors.ts'
import type { Argon2 } from './argon2.ts'

/** Hashes and verifies passwords. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  /**
   * Returns false for a wrong password and for a stored text that is not a hash.
   *
   * @throws {AppError} RATE_LIMITED if too many verifications are waiting
   */
  verify(hash: string, password: string): Promise<boolean>
}

/** @returns undefined if the binary, an optional dependency of the library, is not installed or does not run here */
const loadNative = (): Promise<Argon2 | undefined> => import('@node-rs/argon2').catch(() => undefined)

/** True if the native library runs here. */
export const hasNativeArgon2 = async (): Promise<boolean> => (await loadNative()) !== undefined

/** Loads the native library, or else one in JavaScript, which makes the same hashes and takes about ten times as long. */
const loadArgon2 = async (): Promise<Argon2> => (await loadNative()) ?? (await import('./argon2-thread.ts')).argon2InThread

/** Maximum number of concurrent verifications, and of those waiting. At about 20 ms each, the queue lasts a few seconds. */
const VERIFYING = 2
const MAX_WAITING = 200
const RETRY_AFTER_SECONDS = 5

/**
 * argon2id with the parameters of the OWASP Password Storage Cheat Sheet: 19 MiB of memory, two passes, one lane. It runs in
 * other threads. At most one hash and two verifications run concurrently, so that they take neither all memory nor all
 * threads, and bulk creation of users does not block logins.
 *
 * @param load loads the library; on first use, not at start
 */
export function argon2id(load: () => Promise<Argon2> = loadArgon2): PasswordHasher {
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

/**
 * Compares a password in its normal form (NFKC), in which passwords are stored, and then as it was typed: earlier versions have hashed it so.
 * Whether a user exists changes neither the number of comparisons nor their duration.
 */
export function normalizing(hasher: PasswordHasher): PasswordHasher {
  return {
    hash: (password) => hasher.hash(password.normalize('NFKC')),
    async verify(stored, password) {
      const normal = password.normalize('NFKC')
      if (await hasher.verify(stored, normal)) return true
      return normal !== password && hasher.verify(stored, password)
    },
  }
}

/** A hash that matches no password. Verified for unknown users, so that the response takes as long as for known ones. */
export const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlzIQ$3xEn3T7hpbeUGfOtNkEyGKm1XoZTtXRUbNTPEHvmpeY'

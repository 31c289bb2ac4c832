import { AppError } from '../errors.ts'

/** Maximum numbers of uploads at a time. */
export interface UploadGateLimits {
  readonly ofUser: number
  readonly ofAll: number
}

export const UPLOAD_GATE_LIMITS: UploadGateLimits = { ofUser: 4, ofAll: 32 }

/** `Retry-After` of refused uploads. */
const RETRY_AFTER_SECONDS = 5

/** Limits how many uploads this process receives at a time, so that slow ones do not take all connections, and one user not those of others. */
export class UploadGate {
  readonly #limits: UploadGateLimits
  readonly #byUser = new Map<number, number>()
  #count = 0

  constructor(limits: UploadGateLimits = UPLOAD_GATE_LIMITS) {
    this.#limits = limits
  }

  /**
   * Runs an upload, from before its body is read until its response.
   *
   * @param userId undefined for the shell of the project, which counts among all only
   * @throws {AppError} RATE_LIMITED, UPLOADS_BUSY
   */
  async run<T>(userId: number | undefined, upload: () => T | Promise<T>): Promise<T> {
    const { ofUser, ofAll } = this.#limits
    const own = userId === undefined ? 0 : (this.#byUser.get(userId) ?? 0)
    if (own >= ofUser) {
      const words = `At most ${ofUser} uploads of a user are received at a time; try again when one has ended`
      throw new AppError('RATE_LIMITED', words, { retryAfter: RETRY_AFTER_SECONDS })
    }
    if (this.#count >= ofAll) {
      const words = `At most ${ofAll} uploads are received at a time; try again in ${RETRY_AFTER_SECONDS} seconds`
      throw new AppError('UPLOADS_BUSY', words, { retryAfter: RETRY_AFTER_SECONDS })
    }
    this.#change(userId, 1)
    try {
      return await upload()
    } finally {
      this.#change(userId, -1)
    }
  }

  #change(userId: number | undefined, by: 1 | -1): void {
    this.#count += by
    if (userId === undefined) return
    const count = (this.#byUser.get(userId) ?? 0) + by
    if (count === 0) this.#byUser.delete(userId)
    else this.#byUser.set(userId, count)
  }
}

import { AppError } from '../errors.ts'
import { formatBytes } from '../util/bytes.ts'

/** What an upload in flight counts as in the quota of its user. */
export interface QuotaReservation {
  /** Undefined for the shell and the system, which have no quota. */
  readonly userId: number | undefined
  /** In bytes. */
  size: number
}

/**
 * The quota of the uploads of a user that no record has yet. An upload of this process counts from its reservation on; one of another process that
 * shares the store, once it is registered.
 */
export class UploadQuota {
  readonly #maxBytes: number
  readonly #pendingBytes: (userId: number) => Promise<number>
  /** In the order in which they got their size. There are no more than the uploads at a time. */
  readonly #inFlight = new Set<QuotaReservation>()
  /** Number of reservations that became smaller or ended. */
  #ends = 0

  /** @param pendingBytes returns the size of the registered uploads of a user, in bytes */
  constructor(maxBytes: number, pendingBytes: (userId: number) => Promise<number>) {
    this.#maxBytes = maxBytes
    this.#pendingBytes = pendingBytes
  }

  /**
   * Runs an upload with a reservation.
   *
   * @param size of its files together in bytes, as far as it is known
   * @throws {AppError} UPLOAD_QUOTA; what `upload` throws
   */
  async run<T>(userId: number | undefined, size: number, upload: (reservation: QuotaReservation) => Promise<T>): Promise<T> {
    const reservation = { userId, size }
    this.#inFlight.add(reservation)
    try {
      await this.check(reservation, size)
      return await upload(reservation)
    } finally {
      this.#inFlight.delete(reservation)
      this.#ends++
    }
  }

  /**
   * Raises a reservation to at least a size, and checks it beside what was reserved before it.
   *
   * @throws {AppError} UPLOAD_QUOTA
   */
  async check(reservation: QuotaReservation, size: number): Promise<void> {
    const { userId } = reservation
    if (size > reservation.size) {
      reservation.size = size
      // Those that were checked without the additional bytes come first now.
      this.#inFlight.delete(reservation)
      this.#inFlight.add(reservation)
    }
    // The shell and the system act for the operator of the server, and wait for no records.
    if (userId === undefined) return
    for (;;) {
      const ends = this.#ends
      const reserved = this.#reservedUpTo(reservation)
      if (reserved + (await this.#pendingBytes(userId)) <= this.#maxBytes) return
      // One that was registered meanwhile has been counted twice.
      if (ends === this.#ends) throw this.#exceeded()
    }
  }

  /** Takes registered bytes out of a reservation: they count as pending now. */
  registered(reservation: QuotaReservation, size: number): void {
    reservation.size = Math.max(0, reservation.size - size)
    this.#ends++
  }

  #reservedUpTo(last: QuotaReservation): number {
    let sum = 0
    for (const each of this.#inFlight) {
      if (each.userId === last.userId) sum += each.size
      if (each === last) break
    }
    return sum
  }

  #exceeded(): AppError {
    const words = `Your uploads that no record has yet would have more than ${formatBytes(this.#maxBytes)}; save their records, or delete uploads`
    return new AppError('UPLOAD_QUOTA', words)
  }
}

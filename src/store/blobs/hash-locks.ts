/** Excludes work for the same hashes. */
export interface HashLocks {
  /** As `BlobStore.exclusively`. */
  exclusively<T>(hashes: string | readonly string[], work: () => Promise<T>): Promise<T>
  /**
   * Called within such work before bytes are removed. Resolves if the exclusion still holds, or if the caller has asked for none.
   *
   * @throws {AppError} STORE_UNAVAILABLE if it was lost
   */
  confirm(sha256: string): Promise<void>
}

/** For each key, the end of the work that was asked for last. */
const lastWork = new Map<string, Promise<void>>()

/**
 * Runs work in this process after all earlier work for one of the same keys. Since all keys are taken at once, no two works wait for each
 * other.
 */
export async function inTurnOf<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  const own = new Set(keys)
  const earlier = [...own].map((key) => lastWork.get(key))
  for (const key of own) lastWork.set(key, done)
  await Promise.all(earlier)
  try {
    return await work()
  } finally {
    for (const key of own) if (lastWork.get(key) === done) lastWork.delete(key)
    end()
  }
}

/** Exclusion in this process, for bytes that no other process uses. */
export class ProcessLocks implements HashLocks {
  readonly #place: string

  /** @param place where the bytes are: all locks of a place exclude each other */
  constructor(place: string) {
    this.#place = place
  }

  exclusively<T>(hashes: string | readonly string[], work: () => Promise<T>): Promise<T> {
    return inTurnOf(
      [hashes].flat().map((hash) => `${this.#place}\0${hash}`),
      work,
    )
  }

  async confirm(): Promise<void> {}
}

import type { StoredRecord } from '../../store.ts'

/** A record before and after a change: absent before creation and after deletion. */
interface Replacement {
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
}

/** Number of changes kept. Catching up with more would take longer than a new query. */
const LENGTH = 128

/** The latest changes of a table, from which cached results catch up. */
export class RecentChanges {
  readonly #before: (StoredRecord | undefined)[] = new Array(LENGTH).fill(undefined)
  readonly #after: (StoredRecord | undefined)[] = new Array(LENGTH).fill(undefined)
  #count = 0

  /** Total number of changes so far. */
  get count(): number {
    return this.#count
  }

  note(before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    const place = this.#count++ % LENGTH
    this.#before[place] = before
    this.#after[place] = after
  }

  /** The changes after the first `count`, in order; undefined if they are no longer kept. */
  since(count: number): readonly Replacement[] | undefined {
    if (count === this.#count) return NONE
    if (this.#count - count > LENGTH) return undefined
    return Array.from({ length: this.#count - count }, (_, index) => {
      const place = (count + index) % LENGTH
      return { before: this.#before[place], after: this.#after[place] }
    })
  }
}

const NONE: readonly Replacement[] = []

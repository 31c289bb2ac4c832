import type { StoredRecord } from '../../store.ts'

/** What became of a record: absent before it was created and after it was removed. */
interface Replacement {
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
}

/** How many changes are kept: catching up with more would take longer than asking anew. */
const LENGTH = 128

/** The last changes of a table, for whoever knows it as it was a few changes ago. */
export class RecentChanges {
  readonly #before: (StoredRecord | undefined)[] = new Array(LENGTH).fill(undefined)
  readonly #after: (StoredRecord | undefined)[] = new Array(LENGTH).fill(undefined)
  #count = 0

  /** How many changes there have been. */
  get count(): number {
    return this.#count
  }

  note(before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    const place = this.#count++ % LENGTH
    this.#before[place] = before
    this.#after[place] = after
  }

  /** The changes behind the first `count`, in their order; undefined when they are no longer known. */
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

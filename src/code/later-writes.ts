import { isSameValue } from '../store/store.ts'
import type { Json } from '../util/json.ts'

/** Number of runs of a transaction with what the former one has found. */
const MAX_RUNS = 5

/** Values by field. */
type Values = Map<string, Json>

/**
 * What code writes to records whose hooks have run. The transaction then runs again, and these hooks get the values at once, so that they are
 * called once for the whole change, until a run writes what the former one did.
 */
export class LaterWrites {
  /** What the former run has found, by key of the record. */
  readonly #known: ReadonlyMap<string, Values>
  readonly #found = new Map<string, Values>()
  readonly #runs: number

  private constructor(known: ReadonlyMap<string, Values>, runs: number) {
    this.#known = known
    this.#runs = runs
  }

  /** @param former that of the former run */
  static after(former: LaterWrites | undefined): LaterWrites {
    if (former === undefined) return new LaterWrites(new Map(), 1)
    const runs = former.#runs + 1
    return new LaterWrites(runs > MAX_RUNS ? new Map() : former.#found, runs)
  }

  /** False if runs keep writing other values: then hooks are called again for what is new. */
  get areFollowed(): boolean {
    return this.#runs <= MAX_RUNS
  }

  /** What is written to a record after its hooks have run. */
  of(key: string): ReadonlyMap<string, Json> | undefined {
    return this.#known.get(key)
  }

  /** Notes a value that is written to a record whose hooks have run. @returns true if they have got it */
  note(key: string, name: string, value: Json): boolean {
    const values = this.#found.get(key) ?? new Map<string, Json>()
    this.#found.set(key, values.set(name, value))
    return this.knows(key, name) && isSameValue(this.#known.get(key)?.get(name) ?? null, value)
  }

  /** True if hooks have got a value of a field before it is written. */
  knows(key: string, name: string): boolean {
    return this.#known.get(key)?.has(name) === true
  }

  /** True if all hooks have got what was written after them, and nothing else. */
  get areKnown(): boolean {
    if (this.#found.size !== this.#known.size) return false
    for (const [key, values] of this.#found) {
      const known = this.#known.get(key)
      if (known?.size !== values.size) return false
      for (const [name, value] of values) if (!known.has(name) || !isSameValue(known.get(name) ?? null, value)) return false
    }
    return true
  }
}

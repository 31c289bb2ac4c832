import { setImmediate } from 'node:timers/promises'

/** Length of a slice in milliseconds: short beside what other requests notice, long beside the cost of a turn of the event loop. */
const SLICE_MS = 8

export interface SliceOptions {
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number
  /** Yields to the event loop. */
  readonly pause?: () => Promise<unknown>
}

/** Divides long work into slices, between which other work runs: `if (slices.isOver) await slices.next()`. */
export class Slices {
  readonly #now: () => number
  readonly #pause: () => Promise<unknown>
  #begun: number

  constructor({ now = () => performance.now(), pause = () => setImmediate() }: SliceOptions = {}) {
    this.#now = now
    this.#pause = pause
    this.#begun = now()
  }

  /** True if the present slice is over. */
  get isOver(): boolean {
    return this.#now() - this.#begun >= SLICE_MS
  }

  /** Lets other work run and begins the next slice. */
  async next(): Promise<void> {
    await this.#pause()
    this.#begun = this.#now()
  }
}

/**
 * Slices of works that run beside each other. All of them together have one slice in a turn of the event loop; those that wait go on one
 * after another.
 */
export class SharedSlices {
  readonly #now: () => number
  readonly #pause: () => Promise<unknown>
  /** When the slice of this turn began; undefined before. */
  #begun: number | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor({ now = () => performance.now(), pause = () => setImmediate() }: SliceOptions = {}) {
    this.#now = now
    this.#pause = pause
  }

  /** True if the slice of this turn is over. */
  get isOver(): boolean {
    return this.#now() - (this.#begun ?? this.#begin()) >= SLICE_MS
  }

  #begin(): number {
    const begun = this.#now()
    this.#begun = begun
    void this.#pause().then(() => {
      if (this.#begun === begun) this.#begun = undefined
    })
    return begun
  }

  /** Lets other work run, that of earlier calls first, and begins the slice of a turn. */
  async next(): Promise<void> {
    this.#last = this.#last.then(this.#pause)
    await this.#last
    this.#begin()
  }
}

/** Transforms items in slices, in their order. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  transform: (item: T, index: number) => R,
  slices = new Slices(),
): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    results.push(transform(item, results.length))
    if (slices.isOver) await slices.next()
  }
  return results
}

/** Work in steps, which ends with a result. */
export type Steps<T> = Generator<void, T>

/**
 * Runs the steps of one slice.
 *
 * @returns the result; undefined if steps are left
 */
export function runSlice<T>(steps: Steps<T>, slices: Pick<Slices, 'isOver'>): { readonly result: T } | undefined {
  do {
    const { done, value } = steps.next()
    if (done === true) return { result: value }
  } while (!slices.isOver)
  return undefined
}

/** Runs steps in slices. */
export async function runInSlices<T>(steps: Steps<T>, slices: Pick<Slices, 'isOver' | 'next'> = new Slices()): Promise<T> {
  for (;;) {
    const end = runSlice(steps, slices)
    if (end !== undefined) return end.result
    await slices.next()
  }
}

/** Number of items that a step of `Steps` deals with. */
export const STEP = 64

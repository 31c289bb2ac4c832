/** Random numbers that are the same every time (Marsaglia, xorshift). */
export class Random {
  #state: number

  /** @param seed not 0 */
  constructor(seed: number) {
    this.#state = seed
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % end
  }

  /** True once in so many times. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** Items, as many as `below` says, made one by one. */
  list<T>(below: number, make: () => T): T[] {
    return Array.from({ length: this.below(below) }, make)
  }
}

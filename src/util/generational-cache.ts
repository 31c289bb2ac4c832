/**
 * Remembers what was used last, and no more of it than `capacity`. Two generations: what is asked for moves into the young one;
 * when that has taken half of the capacity it becomes the old one, whose predecessor is forgotten. So nothing is kept in order,
 * and an entry costs no more than its place in a map.
 */
export class GenerationalCache<K, V> {
  readonly #half: number
  readonly #weigh: (key: K, value: V) => number
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #weight = 0

  /**
   * @param capacity the most that all entries weigh together
   * @param weigh what an entry weighs, 1 unless said otherwise; one of more than half of the capacity is not remembered
   */
  constructor(capacity: number, weigh: (key: K, value: V) => number = () => 1) {
    this.#half = capacity / 2
    this.#weigh = weigh
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    const weight = this.#weigh(key, value)
    if (weight > this.#half) {
      this.delete(key)
      return
    }
    if (this.#weight + weight > this.#half) {
      this.#old = this.#young
      this.#young = new Map()
      this.#weight = 0
    }
    this.#young.set(key, value)
    this.#weight += weight
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  /** How many entries are remembered; one that is in both generations counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}

/**
 * Least-recently-used cache in two generations. A hit moves an entry to the young generation. When that holds half of the
 * capacity, it becomes the old one and the previous old one is dropped. No order is maintained, so an entry costs only its
 * place in a map.
 */
export class GenerationalCache<K, V> {
  readonly #half: number
  readonly #weigh: (key: K, value: V) => number
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #weight = 0

  /**
   * @param capacity maximum total weight
   * @param weigh weight of an entry, 1 by default; entries above half of the capacity are not cached
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

  /** Number of entries; an entry in both generations counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}

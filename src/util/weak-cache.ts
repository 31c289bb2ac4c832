/**
 * Cache keyed by objects, in two generations of `size` entries. Two small weak maps, since garbage collection is slow for a
 * weak map with an entry for every record.
 */
export class WeakCache<K extends WeakKey, V> {
  readonly #size: number
  #young = new WeakMap<K, V>()
  #old = new WeakMap<K, V>()
  #count = 0

  constructor(size: number) {
    this.#size = size
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: K, value: V): void {
    if (++this.#count > this.#size) {
      this.#old = this.#young
      this.#young = new WeakMap()
      this.#count = 1
    }
    this.#young.set(key, value)
  }
}

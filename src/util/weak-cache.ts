/**
 * What was found out lately about objects, for as long as they live and no more than two generations of `size` follow. Two small
 * generations, since a garbage collector takes long over a weak map with an entry for everything there is.
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

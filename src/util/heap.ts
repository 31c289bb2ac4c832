/** Compares two items: negative if the first comes first. */
export type Order<T> = (a: T, b: T) => number

/** A binary heap (priority queue). `add` and `take` cost O(log n). */
export class Heap<T> {
  readonly #order: Order<T>
  #items: T[] = []

  constructor(order: Order<T>) {
    this.#order = order
  }

  get size(): number {
    return this.#items.length
  }

  /** The first item. */
  get first(): T | undefined {
    return this.#items[0]
  }

  /** All items, in no order. */
  get items(): readonly T[] {
    return this.#items
  }

  /** Replaces the content in O(n). */
  replaceAll(items: Iterable<T>): void {
    this.#items = [...items]
    for (let at = (this.#items.length >>> 1) - 1; at >= 0; at--) this.#sink(at)
  }

  add(item: T): void {
    this.#items.push(item)
    this.#rise(this.#items.length - 1)
  }

  /** Removes and returns the first item. */
  take(): T | undefined {
    return this.#takeAt(0)
  }

  /** Removes and returns the first item that matches, in O(n). */
  remove(isWanted: (item: T) => boolean): T | undefined {
    const at = this.#items.findIndex(isWanted)
    return at === -1 ? undefined : this.#takeAt(at)
  }

  #takeAt(at: number): T | undefined {
    const taken = this.#items[at]
    const last = this.#items.pop()
    if (last === undefined || at >= this.#items.length) return taken
    this.#items[at] = last
    this.#sink(at)
    this.#rise(at)
    return taken
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >>> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1
      if (left >= this.#items.length) return
      const right = left + 1
      const child = right < this.#items.length && this.#isBefore(right, left) ? right : left
      if (!this.#isBefore(child, at)) return
      this.#swap(at, child)
      at = child
    }
  }

  #isBefore(a: number, b: number): boolean {
    return this.#order(this.#items[a] as T, this.#items[b] as T) < 0
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a] as T
    this.#items[a] = this.#items[b] as T
    this.#items[b] = item
  }
}

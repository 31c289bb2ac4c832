const PAGE = 256
const NONE = -1

/** A map from ids to small numbers, in pages of adjacent ids: fast where ids that follow each other are used one after the other. */
export class IdPages {
  readonly #pages = new Map<number, Int32Array>()
  /** The page of the latest id, and its number. */
  #page: Int32Array | undefined
  #number = NONE

  /** The number of an id, or -1. */
  get(id: number): number {
    return this.#pageOf(id)?.[id % PAGE] ?? NONE
  }

  set(id: number, value: number): void {
    const page = this.#pageOf(id) ?? this.#add(id)
    page[id % PAGE] = value
  }

  #pageOf(id: number): Int32Array | undefined {
    const number = Math.floor(id / PAGE)
    if (number !== this.#number) {
      this.#number = number
      this.#page = this.#pages.get(number)
    }
    return this.#page
  }

  #add(id: number): Int32Array {
    const page = new Int32Array(PAGE).fill(NONE)
    this.#pages.set(Math.floor(id / PAGE), page)
    this.#page = page
    return page
  }
}

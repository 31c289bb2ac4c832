import type { Response } from '../responses/response.ts'

/**
 * The responses in flight, in no order.
 *
 * An array rather than a `Set`: V8 replaces the table of a set after some dozen changes, and the old table refers to the new
 * one. Once the old table is in the old generation, it keeps a third of all requests alive until a full garbage collection.
 */
export class InFlightRequests implements Iterable<Response> {
  readonly #responses: Response[] = []

  get size(): number {
    return this.#responses.length
  }

  add(response: Response): void {
    response.place = this.#responses.length
    this.#responses.push(response)
  }

  delete(response: Response): void {
    const { place } = response
    if (this.#responses[place] !== response) return
    const last = this.#responses.pop() as Response
    if (last === response) return
    last.place = place
    this.#responses[place] = last
  }

  [Symbol.iterator](): Iterator<Response> {
    return this.#responses[Symbol.iterator]()
  }
}

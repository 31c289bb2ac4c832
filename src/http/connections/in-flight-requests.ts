import type { Response } from '../responses/security-headers.ts'

/**
 * The responses that are being given, in no order.
 *
 * An array, not a `Set`: V8 makes the table of a set anew after some dozen changes, and the former one, which refers to its successor,
 * keeps all that was in it from being collected soon, once it is old itself. Of every third request nothing would go before all
 * memory is looked through.
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

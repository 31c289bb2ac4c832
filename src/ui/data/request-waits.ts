import { systemWait, type Wait } from '../../client/transport.ts'

/** A wait before requests are repeated that the server has refused for now. */
export interface RequestWait {
  /** Whether the user sends too many requests, or the server is busy. */
  readonly cause: 'rate_limit' | 'unavailable'
  /** Its end, as the milliseconds of `Date.now()`. */
  readonly until: number
}

/** The waits of the page, which tells the user about them. */
export class RequestWaits {
  readonly #wait: Wait
  readonly #waits = new Set<RequestWait>()
  readonly #listeners = new Set<() => void>()
  #last: RequestWait | undefined

  constructor(wait: Wait = systemWait) {
    this.#wait = wait
  }

  /** The present wait that ends last; undefined if no request waits. */
  readonly last = (): RequestWait | undefined => this.#last

  /** Registers a listener for changes of the last wait; returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits. @throws the reason of the signal when it is aborted */
  async wait(seconds: number, cause: RequestWait['cause'], signal?: AbortSignal): Promise<void> {
    const wait = { cause, until: Date.now() + seconds * 1000 }
    this.#waits.add(wait)
    this.#update()
    try {
      await this.#wait(seconds * 1000, signal)
    } finally {
      this.#waits.delete(wait)
      this.#update()
    }
  }

  #update(): void {
    const last = [...this.#waits].sort((one, other) => other.until - one.until)[0]
    if (last === this.#last) return
    this.#last = last
    for (const listener of this.#listeners) listener()
  }
}

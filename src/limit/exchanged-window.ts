import type { RequestExchange } from './request-exchange.ts'
import type { RequestWindow, Verdict } from './sliding-window.ts'

/** A window that counts in this process and exchanges the numbers with the others, so that it costs no round trip while requests arrive. */
export class ExchangedWindow implements RequestWindow {
  readonly #exchange: RequestExchange
  readonly #name: string
  readonly #limit: number

  /** @param name of the limit; callers of limits with different names are counted separately */
  constructor(exchange: RequestExchange, name: string, limit: number) {
    this.#exchange = exchange
    this.#name = name
    this.#limit = limit
  }

  take(caller: string): Verdict | Promise<Verdict> {
    const name = `${this.#name} ${caller}`
    const ready = this.#exchange.prepare(name)
    return ready === undefined ? this.#decide(name) : ready.then(() => this.#decide(name))
  }

  #decide(name: string): Verdict {
    const { count, resetMs } = this.#exchange.standingOf(name)
    const allowed = count < this.#limit
    if (allowed) this.#exchange.add(name)
    const remaining = Math.max(0, this.#limit - count - (allowed ? 1 : 0))
    return { allowed, limit: this.#limit, remaining, resetSeconds: Math.ceil(resetMs / 1000) }
  }
}

import type { Clock } from '../util/clock.ts'
import type { Timer } from '../util/timer.ts'
import { ExchangedWindow } from './exchanged-window.ts'
import { RequestExchange, type RequestLog } from './request-exchange.ts'
import { type RequestWindow, type Verdict, WINDOW_MS } from './sliding-window.ts'

/** Requests by caller in a database, each decided and counted by one statement. */
export interface CallerCounts {
  /** @returns the number of requests in the window after this one, and the milliseconds until the oldest leaves it */
  take(
    caller: string,
    limit: number,
    windowMs: number,
  ): Promise<{ readonly allowed: boolean; readonly count: number; readonly resetMs: number }>
}

/** Parts of `SharedLimits`. */
export interface SharedLimitsParts {
  readonly callers: CallerCounts
  readonly log: RequestLog
  readonly clock: Clock
  readonly timer: Timer
}

/** The limits of requests that all processes of a database share. Limits with different names count separately. */
export class SharedLimits {
  readonly #callers: CallerCounts
  readonly #exchange: RequestExchange

  constructor({ callers, log, clock, timer }: SharedLimitsParts) {
    this.#callers = callers
    this.#exchange = new RequestExchange({ log, windowMs: WINDOW_MS, clock, timer })
  }

  /** A window that is exact, at the cost of a statement for each request. */
  exact(name: string, limit: number): RequestWindow {
    return {
      take: async (caller): Promise<Verdict> => {
        const { allowed, count, resetMs } = await this.#callers.take(`${name} ${caller}`, limit, WINDOW_MS)
        return { allowed, limit, remaining: Math.max(0, limit - count), resetSeconds: Math.ceil(resetMs / 1000) }
      },
    }
  }

  /** A window that permits as many requests more as a caller sends in the 250 ms after which the processes know of them. */
  exchanged(name: string, limit: number): RequestWindow {
    return new ExchangedWindow(this.#exchange, name, limit)
  }

  /** Tells the other processes of the last requests. */
  close(): Promise<void> {
    return this.#exchange.close()
  }
}

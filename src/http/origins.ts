import type { Request } from '@hapi/hapi'
import { ANY_ORIGIN } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import type { Clock } from '../util/clock.ts'
import { parseUrl } from '../util/urls.ts'

const INTERVAL_MS = 60_000
const MAX_LENGTH = 200

/**
 * Logs requests of browsers from origins that the setting `cors` does not allow, at most one a minute. The browser tells the page
 * only that the request failed.
 */
export class RefusedOrigins {
  readonly #allowed: ReadonlySet<string>
  readonly #log: Log
  readonly #clock: Clock
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor({ cors }: { readonly cors: readonly string[] }, log: Log, clock: Clock) {
    this.#allowed = new Set(cors)
    this.#log = log
    this.#clock = clock
  }

  /** Logs the request if its origin is refused. */
  note({ headers, info }: Request): void {
    const { origin } = headers as { readonly origin?: string }
    if (origin === undefined || this.#allowed.has(origin) || this.#allowed.has(ANY_ORIGIN)) return
    if (parseUrl(origin)?.host === info.host) return
    const now = this.#clock()
    if (now - this.#loggedAt < INTERVAL_MS) return
    this.#loggedAt = now
    const shown = origin.slice(0, MAX_LENGTH)
    this.#log.warn(`The setting cors does not allow the origin ${shown}; add it if it is a front end of yours`, {
      event: 'origin_refused',
      origin: shown,
    })
  }
}

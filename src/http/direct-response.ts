import type { ServerResponse } from 'node:http'
import type { Request } from '@hapi/hapi'
import { type HeaderFields, sendHead } from './response.ts'

/** Maximum batching delay, in milliseconds. */
const LONGEST = 1

/**
 * Ends responses together with others of the same turn of the event loop. Sending to a sleeping client wakes it, which costs
 * more than sending; a client woken by the first response is awake for the next ones.
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

declare module '@hapi/hapi' {
  interface Request {
    /** True for requests by `server.inject()`. Documented by hapi, missing in its types. */
    readonly isInjected: boolean
  }
}

const batch = new ResponseBatch()

/**
 * Sends a response without hapi, which is faster, where hapi would add nothing: without HEAD and CORS. Its handler then returns `h.abandon`.
 *
 * @returns false if hapi has to respond
 */
export function sendDirectly(request: Request, status: number, fields: HeaderFields, body: string | Buffer): boolean {
  const { method, route, raw, server, isInjected } = request
  if (method === 'head' || route.settings.cors !== false || raw.res.destroyed) return false
  // hapi closes connections with an unread body, and all connections while the server stops.
  if (!isInjected && !(raw.req.complete && server.info.started > 0)) return false
  sendHead(raw.res, status, fields)
  batch.end(raw.res, body)
  return true
}

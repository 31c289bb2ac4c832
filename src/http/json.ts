import type { ServerResponse } from 'node:http'
import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi'
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

/** Status and headers of a JSON response. */
export interface JsonAnswer {
  /** Default: 200. */
  readonly status?: number | undefined
  /** Path of the created record. */
  readonly location?: string | undefined
  readonly etag?: string
  /** Number of records that a search may have missed; no header tells of none. */
  readonly missing?: number
}

/** Minimum size of a response that is compressed, in bytes. */
const COMPRESSED_FROM = 1024

const JSON_FIELDS: HeaderFields = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']

const batch = new ResponseBatch()

/**
 * Responds with a JSON text.
 *
 * The response is written directly where hapi would add nothing, which is faster: without compression, HEAD and CORS.
 */
export function jsonResponse(h: ResponseToolkit, body: string | Buffer, answer: JsonAnswer = {}): Lifecycle.ReturnValue {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (mayWriteAtOnce(h.request, length)) {
    writeAtOnce(h.request, body, length, answer)
    return h.abandon
  }
  const { status = 200, location, etag, missing = 0 } = answer
  const response = h.response(body).code(status).type('application/json')
  if (location !== undefined) response.header('location', location)
  if (etag !== undefined) response.header('etag', etag)
  if (missing > 0) response.header('search-missing', String(missing))
  return response
}

function mayWriteAtOnce({ method, route, info, raw, server, isInjected }: Request, length: number): boolean {
  if (method === 'head' || route.settings.cors !== false || raw.res.destroyed) return false
  if (length >= COMPRESSED_FROM && info.acceptEncoding !== 'identity') return false
  // hapi closes connections with an unread body, and all connections while the server stops.
  return isInjected || (raw.req.complete && server.info.started > 0)
}

function writeAtOnce({ raw: { res } }: Request, body: string | Buffer, length: number, answer: JsonAnswer): void {
  const { status = 200, location, etag, missing = 0 } = answer
  const fields = [...JSON_FIELDS, 'content-length', length]
  if (length >= COMPRESSED_FROM) fields.push('vary', 'accept-encoding')
  if (location !== undefined) fields.push('location', location)
  if (etag !== undefined) fields.push('etag', etag)
  if (missing > 0) fields.push('search-missing', missing)
  sendHead(res, status, fields)
  batch.end(res, body)
}

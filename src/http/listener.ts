import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Traffic } from '../util/traffic.ts'
import { refusalOf } from './bad-requests.ts'
import { Response } from './response-head.ts'

/** What a connection may cost. Durations in milliseconds. */
export interface ConnectionLimits {
  /** For the head of a request: a client that drips it is no client. */
  readonly headersTimeout: number
  /** For a request with its body: 10 MB at 1.4 Mbit/s. */
  readonly requestTimeout: number
  /** Between requests: longer than the 60 s after which proxies close theirs, since whoever closes first may cut off a request. */
  readonly keepAliveTimeout: number
  /** Without a byte in either direction, while something is being answered: the client has stopped reading. */
  readonly idleTimeout: number
  /** How often the timeouts are looked at. */
  readonly checkInterval: number
  /** Of the head, in bytes: 10 kB of text to search for, which percent-encoding makes three times as long, a token and cookies fit. */
  readonly maxHeaderSize: number
  /** Of headers in a request. Node would drop those behind, the proxy's own among them. */
  readonly maxHeadersCount: number
  /** Of requests that are sent before the one before them is answered. */
  readonly maxPipelined: number
  /** Below the 1,024 files that a process may have open on many machines; further connections are closed when they come. */
  readonly maxConnections: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  idleTimeout: 120_000,
  checkInterval: 2000,
  maxHeaderSize: 40_960,
  maxHeadersCount: 100,
  maxPipelined: 16,
  maxConnections: 900,
}

/** A listener for a server, with limits on what a connection may cost. @param traffic is told of each request */
export function createListener(traffic: Traffic, limits: ConnectionLimits = CONNECTION_LIMITS): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout, checkInterval, maxHeaderSize } = limits
  const connectionsCheckingInterval = checkInterval
  const listener = new Listener(traffic, limits, {
    ServerResponse: Response,
    ...{ headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval, maxHeaderSize },
  })
  listener.timeout = limits.idleTimeout
  // All of them are read, so that they can be counted; there are no more than their size lets be.
  listener.maxHeadersCount = 0
  listener.maxConnections = limits.maxConnections
  return listener
}

/** Looks at each request before anybody else does. */
class Listener extends Server<typeof IncomingMessage, typeof Response> {
  readonly #traffic: Traffic
  readonly #limits: ConnectionLimits
  /** By connection: requests that wait for those before them to be answered. */
  readonly #waiting = new WeakMap<object, number>()

  constructor(traffic: Traffic, limits: ConnectionLimits, options: ServerOptions<typeof IncomingMessage, typeof Response>) {
    super(options)
    this.#traffic = traffic
    this.#limits = limits
  }

  override emit(event: string, ...args: unknown[]): boolean {
    if (event === 'request' && !this.#admits(args[0] as IncomingMessage, args[1] as ServerResponse)) return true
    return super.emit(event, ...args)
  }

  #admits(request: IncomingMessage, response: ServerResponse): boolean {
    this.#traffic.note()
    const refusal = refusalOf(request, this.#limits.maxHeadersCount)
    if (refusal !== undefined) {
      const { status, body } = refusal
      const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' }
      response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body)
      return false
    }
    // One that has its connection to itself has been given it by now.
    return response.socket !== null || this.#mayWait(request.socket, response)
  }

  #mayWait(socket: Duplex, response: ServerResponse): boolean {
    const waiting = (this.#waiting.get(socket) ?? 0) + 1
    if (waiting > this.#limits.maxPipelined) {
      socket.destroy()
      return false
    }
    this.#waiting.set(socket, waiting)
    response.once('close', () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1))
    return true
  }
}

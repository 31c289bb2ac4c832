import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Traffic } from '../../util/traffic.ts'
import { Response } from '../responses/security-headers.ts'
import { refusalOf, refuse } from './malformed-requests.ts'
import { RequestGate, type RequestGateLimits } from './request-gate.ts'

/** What a connection may cost. Durations in milliseconds. */
export interface ConnectionLimits extends RequestGateLimits {
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
  /** For what is being answered when the listener is closed; then its connections are cut. */
  readonly stopTimeout: number
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
  stopTimeout: 10_000,
  arrivalTimeout: 100,
  settleTimeout: 5000,
  holdTimeout: 10_000,
  maxHeld: 2000,
}

/** A listener for a server, with limits on what a connection may cost. @param traffic is told of each request */
export function createListener(traffic: Traffic, limits: ConnectionLimits = CONNECTION_LIMITS): Listener {
  const { headersTimeout, requestTimeout, keepAliveTimeout, checkInterval, maxHeaderSize } = limits
  const connectionsCheckingInterval = checkInterval
  const listener = new Listener(traffic, limits, {
    ServerResponse: Response,
    ...{ headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval, maxHeaderSize },
    // Node's own answer to a request without Host has no body; `refusalOf` has one.
    requireHostHeader: false,
  })
  listener.timeout = limits.idleTimeout
  // All of them are read, so that they can be counted; there are no more than their size lets be.
  listener.maxHeadersCount = 0
  listener.maxConnections = limits.maxConnections
  return listener
}

/** What whoever answers requests wants to be told. */
const SERVED = ['request', 'checkContinue', 'checkExpectation', 'clientError', 'listening'] as const

type Handler = (...args: unknown[]) => void

/** Looks at each request before anybody else does, and lets those that are under way finish when it is closed. */
export class Listener extends Server<typeof IncomingMessage, typeof Response> {
  /** Through which requests go to whoever answers them. */
  readonly gate: RequestGate
  /** Told of each request; that of whoever answers them. */
  traffic: Traffic
  readonly #limits: ConnectionLimits
  readonly #connections = new Set<Socket>()
  /** By connection: requests that wait for those before them to be answered. */
  readonly #waiting = new WeakMap<object, number>()

  constructor(traffic: Traffic, limits: ConnectionLimits, options: ServerOptions<typeof IncomingMessage, typeof Response>) {
    super(options)
    this.traffic = traffic
    this.#limits = limits
    this.gate = new RequestGate(limits, (event, request, response) => super.emit(event, request, response))
    this.on('connection', (socket: Socket) => {
      this.#connections.add(socket)
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  override emit(event: string, ...args: unknown[]): boolean {
    if (event !== 'request' && event !== 'checkContinue') return super.emit(event, ...args)
    const [request, response] = args as [IncomingMessage, Response]
    if (this.#admits(request, response)) this.gate.pass(event, request, response)
    return true
  }

  /** Whoever has answered requests until now does so no longer. @returns lets them do so again */
  detach(): () => void {
    const former = SERVED.map((event) => [event, this.rawListeners(event) as Handler[]] as const)
    for (const event of SERVED) this.removeAllListeners(event)
    return () => {
      for (const [event, handlers] of former) for (const handler of handlers) this.on(event, handler)
    }
  }

  /** Takes no connections any more, and ends those that there are as soon as nothing is being answered on them. */
  override close(done?: (error?: Error) => void): this {
    const cut = setTimeout(() => this.closeAllConnections(), this.#limits.stopTimeout)
    super.close((error) => {
      clearTimeout(cut)
      done?.(error)
    })
    for (const response of this.gate.underWay) response.once('close', () => this.#endIdle())
    this.#endIdle()
    return this
  }

  #endIdle(): void {
    const busy = new Set([...this.gate.underWay].map(({ req }) => req.socket))
    for (const socket of this.#connections) if (!busy.has(socket)) socket.end()
  }

  #admits(request: IncomingMessage, response: ServerResponse): boolean {
    this.traffic.note()
    const refusal = refusalOf(request, this.#limits.maxHeadersCount)
    if (refusal !== undefined) {
      refuse(response, refusal.status, refusal.body, { Connection: 'close' })
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

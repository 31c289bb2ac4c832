import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RequestPace } from '../util/traffic.ts'
import { BodyDeadlines, type BodyLimits } from './body-deadlines.ts'
import { answerMalformed, malformedReply, refuseMalformedRequests } from './malformed-requests.ts'
import { type RequestEvent, RequestGate, type RequestGateLimits } from './request-gate.ts'
import { type LingerLimits, Response } from './response.ts'

/** Limits of a connection. Durations in milliseconds. */
export interface ConnectionLimits extends RequestGateLimits, BodyLimits, LingerLimits {
  /** For the headers of a request to arrive. */
  readonly headersTimeout: number
  /** Between requests. Longer than the 60 s after which proxies close their connections: the side that closes first may cut off a request. */
  readonly keepAliveTimeout: number
  /** Without a byte in either direction during a response: the client has stopped reading. */
  readonly idleTimeout: number
  /** Without a byte taken of an export, which keeps a connection to the database. */
  readonly unreadTimeout: number
  /** Maximum size of the headers, in bytes: enough for a percent-encoded search text of 10 kB, a token and cookies. */
  readonly maxHeaderSize: number
  /** Number of headers of a request. Node.js would silently drop further headers, such as the headers of a proxy. */
  readonly maxHeadersCount: number
  /** Number of requests sent before the previous one is answered. */
  readonly maxPipelined: number
  /** Below the 1,024 open files that many systems allow a process; further connections are closed when they are accepted. */
  readonly maxConnections: number
  /** For responses in progress when the listener closes; then their connections are cut. */
  readonly stopTimeout: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  uploadSilence: 30_000,
  uploadPeriod: 60_000,
  uploadRate: 16_384,
  // With what was read before an upload is refused, less than 1 MiB.
  lingerBytes: 786_432,
  lingerTimeout: 2000,
  keepAliveTimeout: 65_000,
  idleTimeout: 120_000,
  unreadTimeout: 30_000,
  checkInterval: 2000,
  maxHeaderSize: 40_960,
  maxHeadersCount: 100,
  maxPipelined: 16,
  maxConnections: 900,
  stopTimeout: 10_000,
  arrivalTimeout: 100,
  settleTimeout: 5000,
  queueTimeout: 10_000,
  maxQueued: 2000,
}

/** The target of requests: the listener of a hapi server, which never listens itself, and the counter of its requests. */
interface Target {
  readonly listener: Server
  readonly traffic: RequestPace
  /** Path of `/healthz`, which is answered while the application is replaced. */
  readonly healthPath: string
}

/**
 * Accepts connections, applies their limits, and passes requests through its gate to the present application. The application
 * can be replaced while connections stay open.
 */
export class Listener {
  readonly gate: RequestGate
  /** The Node.js server that accepts the connections. */
  readonly server: Server<typeof IncomingMessage, typeof Response>
  readonly #limits: ConnectionLimits
  readonly #connections = new Set<Socket>()
  readonly #deadlines: BodyDeadlines
  /** Unfinished responses of each connection, in the order of their requests. */
  readonly #open = new WeakMap<Duplex, Response[]>()
  #target: Target | undefined

  constructor(limits: ConnectionLimits = CONNECTION_LIMITS) {
    this.#limits = limits
    this.gate = new RequestGate(limits, {
      pass: (event, request, response) => this.#target?.listener.emit(event, request, response),
      isAlwaysPassed: ({ url }) => url === this.#target?.healthPath,
    })
    this.#deadlines = new BodyDeadlines(limits, this.gate.inFlight, (response) => this.#cutSlow(response))
    const { headersTimeout, keepAliveTimeout, checkInterval, maxHeaderSize } = limits
    this.server = createServer({
      ServerResponse: Response,
      // `BodyDeadlines` has one for each kind of request.
      requestTimeout: 0,
      ...{ headersTimeout, keepAliveTimeout, connectionsCheckingInterval: checkInterval, maxHeaderSize },
      // Node's own response to a request without Host has no body; the response of `malformedReply` has one.
      requireHostHeader: false,
    })
    this.server.timeout = limits.idleTimeout
    // All headers are read so that they can be counted; their total size is limited.
    this.server.maxHeadersCount = 0
    this.server.maxConnections = limits.maxConnections
    this.server.on('connection', (socket: Socket) => {
      this.#connections.add(socket)
      socket.once('close', () => this.#connections.delete(socket))
    })
    this.server.on('request', (request, response) => this.#accept('request', request, response))
    this.server.on('checkContinue', (request, response) => this.#accept('checkContinue', request, response))
    refuseMalformedRequests(this.server, (socket) => this.#open.get(socket)?.[0])
  }

  /** The port that the listener is bound to; undefined while it does not listen. */
  get port(): number | undefined {
    return (this.server.address() as AddressInfo | null)?.port
  }

  /** Passes requests to another application from now on. */
  serve(target: Target): void {
    this.#target = target
  }

  /** @throws {Error} if the port is in use */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host)
    await once(this.server, 'listening')
    this.#deadlines.start()
  }

  /** Resolves when no request is in flight, or after `stopTimeout`, when their connections are cut. */
  async emptied(): Promise<void> {
    let isOver = false
    const cut = setTimeout(() => {
      isOver = true
      this.server.closeAllConnections()
    }, this.#limits.stopTimeout)
    while (!isOver && this.gate.inFlight.size > 0) {
      await Promise.all([...this.gate.inFlight].map((response) => response.closed || once(response, 'close')))
    }
    clearTimeout(cut)
  }

  /** Accepts no more connections, and closes present ones as soon as they have no request in flight. */
  async close(): Promise<void> {
    if (!this.server.listening) return
    const cut = setTimeout(() => this.server.closeAllConnections(), this.#limits.stopTimeout)
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.once('close', () => this.#deadlines.stop())
    for (const response of this.gate.inFlight) response.once('close', () => this.#endIdle())
    this.#endIdle()
    await closed
    clearTimeout(cut)
  }

  #endIdle(): void {
    const busy = new Set([...this.gate.inFlight].map(({ req }) => req.socket))
    for (const socket of this.#connections) if (!busy.has(socket)) socket.end()
  }

  #accept(event: RequestEvent, request: IncomingMessage, response: Response): void {
    this.#target?.traffic.note()
    if (!this.#track(request.socket, response)) return
    const refusal = malformedReply(request, this.#limits.maxHeadersCount)
    if (refusal === undefined) this.gate.pass(event, request, response)
    else answerMalformed(response, refusal.status, refusal.body, { Connection: 'close' })
  }

  /** As Node.js does with a request that is too slow. */
  #cutSlow(response: Response): void {
    const { socket } = response.req
    const [first = response] = this.#open.get(socket) ?? []
    // The answer to a request before it may take as long as it likes, such as a stream of events.
    if (first !== response) {
      socket.destroy()
      return
    }
    const error: NodeJS.ErrnoException = new Error('The request took too long to arrive')
    error.code = 'ERR_HTTP_REQUEST_TIMEOUT'
    this.server.emit('clientError', error, socket)
  }

  /** @returns false if the connection has too many unanswered requests; it is cut then */
  #track(socket: Duplex, response: Response): boolean {
    const open = this.#open.get(socket) ?? []
    if (open.length > this.#limits.maxPipelined) {
      socket.destroy()
      return false
    }
    if (open.push(response) === 1) this.#open.set(socket, open)
    response.once('close', () => {
      open.splice(open.indexOf(response), 1)
      this.#deadlines.closed(response)
    })
    return true
  }
}

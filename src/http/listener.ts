import { type IncomingMessage, Server, type ServerOptions, ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { shapeB } from './error-body.ts'

declare module 'node:http' {
  interface OutgoingMessage {
    /** Node's own: through it goes the head of every answer, whoever made it. Not part of its types. */
    _storeHeader(firstLine: string, headers: unknown): void
    /** Header lines that were added as text. */
    addedLines?: string
  }
}

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
  /** Of the head, in bytes: a URL of many filters, a token and cookies of others fit. */
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
  maxHeaderSize: 16_384,
  maxHeadersCount: 100,
  maxPipelined: 16,
  maxConnections: 900,
}

/** Of every answer. What is answered is data: nothing in it is to be run, framed, sniffed, or embedded by other sites. */
const FIXED_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}

const FIXED_HEAD = Object.entries(FIXED_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

/** Puts headers behind the status line, as text: setting the fixed ones by name costs each request 4 µs, this nothing to speak of. */
class Response extends ServerResponse {
  override _storeHeader(firstLine: string, headers: unknown): void {
    super._storeHeader(firstLine + FIXED_HEAD + (this.addedLines ?? ''), headers)
  }
}

/**
 * Adds headers to whatever a request turns out to be answered with.
 *
 * @param lines each ends in CRLF; made of our own words and numbers, since nothing looks at them any more
 */
export function addHeaderLines(response: ServerResponse, lines: string): void {
  if (response instanceof Response) response.addedLines = (response.addedLines ?? '') + lines
  else {
    // Somebody else's listener, or an injected request.
    for (const [, name = '', value = ''] of lines.matchAll(/(.*?): (.*)\r\n/g)) response.setHeader(name, value)
  }
}

/** A listener for a server, with limits on what a connection may cost. */
export function createListener(limits: ConnectionLimits = CONNECTION_LIMITS): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout, checkInterval, maxHeaderSize } = limits
  const connectionsCheckingInterval = checkInterval
  const listener = new Listener(limits, {
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
  readonly #limits: ConnectionLimits
  /** By connection: requests that wait for those before them to be answered. */
  readonly #waiting = new WeakMap<object, number>()

  constructor(limits: ConnectionLimits, options: ServerOptions<typeof IncomingMessage, typeof Response>) {
    super(options)
    this.#limits = limits
  }

  // biome-ignore lint/suspicious/noExplicitAny: as Node declares it
  override emit(event: any, ...args: any[]): boolean {
    if (event === 'request' && !this.#admits(args[0], args[1])) return true
    return super.emit(event, ...args)
  }

  #admits(request: IncomingMessage, response: ServerResponse): boolean {
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

/** Why a request is refused by its head alone, if it is. */
function refusalOf(request: IncomingMessage, maxHeaders: number): Refusal | undefined {
  const { rawHeaders } = request
  if (rawHeaders.length > 2 * maxHeaders) return refusal(431, `The request has more than ${maxHeaders} headers`)
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1) return refusal(400, 'The request names more than one host')
  const encoding = request.headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return refusal(400, 'The only Transfer-Encoding that a request may have is chunked')
  }
  return undefined
}

/** An answer to what is not worth being called a request. */
interface Refusal {
  readonly status: number
  readonly body: string
}

const refusal = (status: number, details: string): Refusal => ({
  status,
  body: JSON.stringify({ ...shapeB('INVALID_REQUEST', details), status_code: status }),
})

/** Answers what never becomes a request, in the place of whoever did so before. */
export function refuseBadRequests(listener: Server): void {
  listener.removeAllListeners('clientError')
  listener.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse | null }) => {
    const open = socket._httpMessage ?? undefined
    const refuse = () => (socket.writable ? socket.end(rawAnswer(error.code), () => socket.destroy()) : socket.destroy())
    if (open?.req.complete === true) open.once('close', refuse)
    else if (open?.headersSent === true) socket.destroy()
    else refuse()
  })
}

const REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are larger than the server takes'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the request are larger than the server takes'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
}

function rawAnswer(code = ''): string {
  const { status, body } = refusal(...(REFUSALS[code] ?? ([400, 'The request could not be read'] as const)))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n${FIXED_HEAD}\r\n${body}`
}

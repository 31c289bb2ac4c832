import { createServer, type Server, ServerResponse, STATUS_CODES } from 'node:http'
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
  /** Further ones are not read. */
  readonly maxHeadersCount: number
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
  const listener = createServer({
    ServerResponse: Response,
    ...{ headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval, maxHeaderSize },
  })
  listener.timeout = limits.idleTimeout
  listener.maxHeadersCount = limits.maxHeadersCount
  listener.maxConnections = limits.maxConnections
  return listener
}

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
  const [status, details] = REFUSALS[code] ?? [400, 'The request could not be read']
  const body = JSON.stringify({ ...shapeB('INVALID_REQUEST', details), status_code: status })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n${FIXED_HEAD}\r\n${body}`
}

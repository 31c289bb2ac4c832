import type { EventEmitter } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { shapeB } from './error-body.ts'
import { SECURITY_HEADERS } from './response.ts'

/** A response to a request that no route sees. */
interface Refusal {
  readonly status: number
  readonly body: string
}

const refusal = (status: number, details: string): Refusal => ({
  status,
  body: JSON.stringify({ ...shapeB('INVALID_REQUEST', details), status_code: status }),
})

/** Checks the headers of a request; returns the response to a malformed one. */
export function malformedReply(request: IncomingMessage, maxHeaders: number): Refusal | undefined {
  const { rawHeaders } = request
  if (rawHeaders.length > 2 * maxHeaders) return refusal(431, `The request has more than ${maxHeaders} headers`)
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1) return refusal(400, 'The request names more than one host')
  if (hosts === 0 && request.httpVersion !== '1.0') return refusal(400, 'The request names no host; send a Host header')
  const encoding = request.headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return refusal(400, 'The only Transfer-Encoding that a request may have is chunked')
  }
  return undefined
}

/** Responds to a request in place of the application. */
export function answerMalformed(response: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders): void {
  const usual = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', 'Content-Length': body.length }
  response.writeHead(status, { ...usual, ...headers }).end(body)
}

/**
 * Responds to requests that Node.js cannot parse, and to an unsupported `Expect`.
 *
 * @param openOn returns the unfinished response on a connection, if any
 */
export function refuseMalformedRequests(server: EventEmitter, openOn: (socket: Duplex) => ServerResponse | undefined): void {
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    const { status, body } = refusal(400, 'The only Expect that a request may have is 100-continue')
    answerMalformed(response, status, body, { Connection: 'close' })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const open = openOn(socket)
    const refuse = () => (socket.writable ? socket.end(rawResponse(error.code), () => socket.destroy()) : socket.destroy())
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

/** A response as text, for a connection on which Node.js has created no response object. */
function rawResponse(code = ''): string {
  const { status, body } = refusal(...(REFUSALS[code] ?? ([400, 'The request could not be read'] as const)))
  const fields = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Cache-Control',
    'no-store',
    'Content-Length',
    `${body.length}`,
    'Connection',
    'close',
    ...SECURITY_HEADERS,
  ]
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < fields.length; at += 2) head += `${fields[at]}: ${fields[at + 1]}\r\n`
  return `${head}\r\n${body}`
}

import { type IncomingMessage, type OutgoingHttpHeaders, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { shapeB } from '../responses/error-body.ts'
import { FIXED_HEAD } from '../responses/security-headers.ts'

/** An answer to what is not worth being called a request. */
interface Refusal {
  readonly status: number
  readonly body: string
}

const refusal = (status: number, details: string): Refusal => ({
  status,
  body: JSON.stringify({ ...shapeB('INVALID_REQUEST', details), status_code: status }),
})

/** Why a request is refused by its head alone, if it is. */
export function refusalOf(request: IncomingMessage, maxHeaders: number): Refusal | undefined {
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

/** Answers a request in the place of whoever else would. */
export function refuse(response: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders): void {
  const usual = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', 'Content-Length': body.length }
  response.writeHead(status, { ...usual, ...headers }).end(body)
}

/** Answers what never becomes a request, in the place of whoever did so before. */
export function refuseBadRequests(listener: Server): void {
  listener.removeAllListeners('checkExpectation')
  listener.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    const { status, body } = refusal(400, 'The only Expect that a request may have is 100-continue')
    refuse(response, status, body, { Connection: 'close' })
  })
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

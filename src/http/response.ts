import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** Decides whether the body of a request arrives in time. */
export interface BodyDeadline {
  /**
   * @param now in milliseconds
   * @param bytes number of bytes that the connection has received
   * @param isBehind true if the server has bytes that it has not taken yet, so that the client cannot be waited for
   */
  isOver(now: number, bytes: number, isBehind: boolean): boolean
}

/** What is read of a body that is refused, so that its client gets the response. */
export interface LingerLimits {
  /** Number of bytes that are read and discarded. */
  readonly lingerBytes: number
  /** For the client to read the response, in milliseconds. */
  readonly lingerTimeout: number
}

/** The response class of the listener: adds security headers, and reports when the headers are sent. */
export class Response extends ServerResponse {
  /** Called when the headers are sent. */
  onHead: (() => void) | undefined
  /** Index among the requests in flight. */
  place = -1
  /** For the body of the request to arrive; undefined for the one of all requests. */
  deadline: BodyDeadline | undefined
  /** As of `performance.now`. */
  readonly createdAt = performance.now()
  #linger: LingerLimits | undefined
  /** True while a client waits for `100 Continue`. */
  #isAwaited = false
  /** Fields that every response gets, whichever code sends it. */
  #fields = SECURITY_HEADERS

  /** Adds header fields to the response, whichever code sends it. */
  addFields(fields: HeaderFields): void {
    this.#fields = [...this.#fields, ...fields]
  }

  /** Replaces the value of a security header. */
  setSecurityField(name: SecurityField, value: string): void {
    this.#fields = this.#fields.with(SECURITY_HEADERS.indexOf(name) + 1, value)
  }

  /** Sends status and header fields as a list, which takes Node.js less time than setting each by name. */
  sendHead(status: number, fields: HeaderFields): void {
    super.writeHead(status, [...this.#fields, ...fields])
    this.onHead?.()
  }

  /**
   * Makes this the response to an upload. `100 Continue` is sent by `sendContinue` only. If the response is sent before the body has arrived, the
   * rest of the body is discarded for a while before the connection is closed: a client that goes on sending would lose the response.
   */
  expectUpload(limits: LingerLimits): void {
    this.#linger = limits
  }

  override writeContinue(callback?: () => void): void {
    if (this.#linger === undefined) super.writeContinue(callback)
    else this.#isAwaited = true
  }

  /** Asks for the body of an upload, if the client waits to be asked. */
  sendContinue(): void {
    if (this.#isAwaited) super.writeContinue()
    this.#isAwaited = false
  }

  override end(...args: readonly unknown[]): this {
    const limits = this.#linger
    // A client that was not asked for the body does not send it.
    if (limits === undefined || this.#isAwaited || this.req.complete) return super.end(...(args as []))
    this.#linger = undefined
    const callback = args.at(-1)
    const [chunk, encoding] = args
    if (typeof chunk === 'string') this.write(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    else if (chunk instanceof Uint8Array) this.write(chunk)
    else this.flushHeaders()
    void discarded(this.req, limits).then(() =>
      typeof callback === 'function' ? super.end(callback as () => void) : super.end(),
    )
    return this
  }

  override writeHead(status: number, message?: string, headers?: OutgoingHttpHeaders | OutgoingHttpHeader[]): this
  override writeHead(status: number, headers?: OutgoingHttpHeaders | OutgoingHttpHeader[]): this
  override writeHead(status: number, ...rest: readonly unknown[]): this {
    setFields(this, this.#fields)
    super.writeHead(status, ...(rest as []))
    this.onHead?.()
    return this
  }
}

/** Discards the rest of a body, until it ends or its client leaves. */
function discarded(body: IncomingMessage, { lingerBytes, lingerTimeout }: LingerLimits): Promise<void> {
  return new Promise((resolve) => {
    if (body.destroyed || body.readableEnded) {
      resolve()
      return
    }
    let left = lingerBytes
    const timer = setTimeout(done, lingerTimeout)
    function onData(chunk: Buffer) {
      left -= chunk.length
      // The client waits then, and has time to read the response.
      if (left <= 0) body.pause()
    }
    function done() {
      clearTimeout(timer)
      body.off('data', onData).off('end', done).off('error', done).off('close', done)
      resolve()
    }
    body.on('data', onData).on('end', done).on('error', done).on('close', done).resume()
  })
}

function setFields(response: ServerResponse, fields: HeaderFields): void {
  for (let at = 0; at < fields.length; at += 2) {
    const [name, value] = [String(fields[at]), fields[at + 1] ?? '']
    // The only field that a response may have several times.
    if (name === 'Set-Cookie') response.appendHeader(name, String(value))
    else response.setHeader(name, value)
  }
}

/** Adds header fields to a response, whichever code sends it. Injected requests have a response class of hapi's. */
export function addFields(response: ServerResponse, fields: HeaderFields): void {
  if (response instanceof Response) response.addFields(fields)
  else setFields(response, fields)
}

/** Sends status and header fields. */
export function sendHead(response: ServerResponse, status: number, fields: HeaderFields): void {
  if (response instanceof Response) response.sendHead(status, fields)
  else {
    setFields(response, fields)
    response.writeHead(status)
  }
}

/** Replaces the Content-Security-Policy (https://www.w3.org/TR/CSP3) of a response that is a page or a file. */
export const setPolicy = (response: ServerResponse, policy: string): void =>
  setSecurityField(response, 'Content-Security-Policy', policy)

/** Lets pages of other origins embed a response (https://fetch.spec.whatwg.org/#cross-origin-resource-policy-header). */
export const allowEmbedding = (response: ServerResponse): void =>
  setSecurityField(response, 'Cross-Origin-Resource-Policy', 'cross-origin')

type SecurityField = 'Content-Security-Policy' | 'Cross-Origin-Resource-Policy'

function setSecurityField(response: ServerResponse, name: SecurityField, value: string): void {
  if (response instanceof Response) response.setSecurityField(name, value)
  else response.setHeader(name, value)
}

/** Header fields as a flat list of names and values. */
export type HeaderFields = readonly (string | number)[]

/** Header fields of every response. Responses are data, which browsers must not run, frame, sniff or embed. */
export const SECURITY_HEADERS: HeaderFields = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Referrer-Policy',
  'no-referrer',
]

import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** The response class of the listener: adds security headers, and reports when the headers are sent. */
export class Response extends ServerResponse {
  /** Called when the headers are sent. */
  onHead: (() => void) | undefined
  /** Index among the requests in flight. */
  place = -1
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

  override writeHead(status: number, message?: string, headers?: OutgoingHttpHeaders | OutgoingHttpHeader[]): this
  override writeHead(status: number, headers?: OutgoingHttpHeaders | OutgoingHttpHeader[]): this
  override writeHead(status: number, ...rest: readonly unknown[]): this {
    setFields(this, this.#fields)
    super.writeHead(status, ...(rest as []))
    this.onHead?.()
    return this
  }
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

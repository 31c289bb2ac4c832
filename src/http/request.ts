import type { Request } from '@hapi/hapi'
import ipaddr from 'ipaddr.js'
import type { LoginClient } from '../accounts/sessions.ts'
import type { App } from '../app.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { Parameters } from '../query/parameters.ts'
import type { ReadOptions } from '../store/store.ts'
import { type Random, uniqueId } from '../util/ids.ts'

/** The actor of a request on an authenticated route. */
export function actorOf(request: Request): Actor {
  const actor = request.auth.credentials.app?.actor
  if (actor === undefined) throw new Error('A route without authentication asked who is calling')
  return actor
}

/** The key of the model in the path of a request. */
export const modelKeyOf = (request: Request): string => String(request.params.model)

/** The id of the record in the path of a request, as sent. */
export const recordIdOf = (request: Request): string => String(request.params.record_id)

/** The name of the action in the path of a request. */
export const actionNameOf = (request: Request): string => String(request.params.action)

/** The query string as sent; empty without one. (`request.url` would need a well-formed Host header.) */
export function queryOf(request: Request): string {
  const url = request.raw.req.url ?? ''
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** The query parameters that the route of a request declares. */
export const parametersOf = (request: Request): Parameters =>
  new Parameters(new URLSearchParams(queryOf(request)), request.route.settings.plugins?.queryNames ?? [])

/** The media type of a Content-Type in lower case, without parameters; empty without this header. */
export const mediaTypeOf = (contentType: string | undefined): string => contentType?.split(';')[0]?.trim().toLowerCase() ?? ''

/** True if Accept-Encoding names an encoding with a weight above 0 (RFC 9110, section 12.5.3). `*` alone gets the file itself. */
export function accepts(header: string | undefined, encoding: string): boolean {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => {
      const [name, weight = 'q=1'] = item.split(';').map((part) => part.trim())
      return name === encoding && Number(weight.replace(/^q=/, '')) > 0
    })
}

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Connects the response with the log entries of the request. */
    requestId?: string
  }
}

/** Short, and safe in logs and headers. */
const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/

/** The id that the client sent in `X-Request-Id`; unsafe ids are ignored. */
function sentId(request: Request): string | undefined {
  const sent = request.headers['x-request-id'] as string | undefined
  return sent !== undefined && HARMLESS.test(sent) ? sent : undefined
}

/** The id of a request: the client's, or one generated on first use. */
export function requestIdOf(request: Request, random: Random): string {
  request.app.requestId ??= sentId(request) ?? uniqueId(random)
  return request.app.requestId
}

/**
 * Sets `X-Request-Id` on the response if the client sent an id or an error was given one. Call it before the headers are sent;
 * it is set on the raw response, so that every response carries it.
 */
export function answerRequestId(request: Request): void {
  const id = request.app.requestId ?? sentId(request)
  if (id !== undefined) request.raw.res.setHeader('x-request-id', id)
}

const NO_OPTIONS: ReadOptions = {}

/** Not sent, since the client has gone, and not logged. */
const GONE = 'The client closed the connection before it was answered'

/** Options that end the reads of a request when its client goes away. Reads in this process end by themselves sooner than a signal would be made. */
export function readOptionsOf(request: Request, app: Pick<App, 'isRemote'>): ReadOptions {
  return app.isRemote ? { signal: whileConnected(request) } : NO_OPTIONS
}

/** Aborted when the client of a request has gone. */
export function whileConnected({ raw: { res } }: Request): AbortSignal {
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new AppError('INVALID_REQUEST', GONE))
  })
  return controller.signal
}

/** The client of a request about an account, as sessions and the log of the account show it. */
export const clientOf = (request: Request, trustedProxies: number, random: Random): LoginClient => ({
  address: clientAddress(request, trustedProxies),
  userAgent: request.headers['user-agent'] as string | undefined,
  requestId: requestIdOf(request, random),
})

/** Prefix length that stands for one customer: providers give a household up to 2^72 addresses (RIPE-690). */
const IPV6_PREFIX = 56

/**
 * The client address that a request is counted under: the peer of the socket or, behind `trustedProxies` proxies, the one that the
 * outermost of them saw. `X-Forwarded-For` is counted from the right, since the client controls the left part. An entry that is
 * no address (RFC 7239 allows `unknown`) counts as the socket's. IPv6 addresses count by their /56 network.
 */
export function clientAddress(request: Request, trustedProxies: number): string {
  const { remoteAddress } = request.info
  if (trustedProxies === 0) return networkOf(remoteAddress) ?? remoteAddress
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
  const hops = [...forwarded.split(',').map((hop) => hop.trim()), remoteAddress].filter((hop) => hop !== '')
  const hop = hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? remoteAddress
  return networkOf(hop) ?? networkOf(remoteAddress) ?? remoteAddress
}

/**
 * Formats of a hop: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`, optionally quoted, with or without a
 * zone.
 */
const HOP = /^"?(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|([^"[\]]+))"?$/

/** An IPv4 address, also if written as IPv6; the network of any other IPv6 address. Undefined for anything else. */
function networkOf(hop: string): string | undefined {
  const [, bracketed, beforePort, plain] = HOP.exec(hop) ?? []
  const text = (bracketed ?? beforePort ?? plain ?? '').replace(/%.*$/, '')
  const known = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  if (!known) return undefined
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${text}/${IPV6_PREFIX}`).toString()}/${IPV6_PREFIX}`
}

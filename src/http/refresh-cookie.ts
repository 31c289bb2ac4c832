import type { Request } from '@hapi/hapi'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import { isObject } from '../util/json.ts'
import { apiRoots } from './paths.ts'
import { mediaTypeOf } from './request.ts'
import { addFields } from './response.ts'

/** A token in a cookie: the alphabet of a JSON Web Token. */
const TOKEN = /^[\w.-]+$/

/**
 * The cookie of a refresh token (RFC 6265), for pages of this server. Scripts cannot read it, and browsers send it to the
 * endpoints of authentication only. Its name contains the port, since cookies do not distinguish the servers of one host.
 */
export class RefreshCookie {
  readonly #path: string
  readonly #port: number
  readonly #maxAge: number
  readonly #trustedProxies: number

  constructor(settings: Settings) {
    this.#path = apiRoots(settings).auth
    this.#port = settings.port
    this.#maxAge = Math.round(60 * settings.jwt.refresh_token_minutes)
    this.#trustedProxies = settings.trusted_proxies
  }

  /**
   * True if a login asks for the refresh token in a cookie: `"refresh": "cookie"`. A page of another site must not log its visitor
   * in as another user, so the body must be JSON and the request must not come from such a page.
   *
   * @throws {AppError} VALIDATION_FAILED
   */
  isWanted(request: Request): boolean {
    const refresh = isObject(request.payload) ? request.payload.refresh : undefined
    if (refresh === undefined) return false
    if (refresh !== 'cookie') throw invalid('refresh must be cookie')
    if (!isJson(request)) throw invalid('refresh is accepted in a JSON body only')
    if (senderOf(request, this.#trustedProxies) === 'other') throw invalid('refresh is accepted from pages of this server only')
    return true
  }

  /**
   * True if a refresh or a logout takes the token from the cookie: a JSON body without `refresh_token`, sent by a page of this
   * server. The token of any other request is expected in its body.
   */
  isUsed(request: Request): boolean {
    const { payload } = request
    if (!isObject(payload) || Object.hasOwn(payload, 'refresh_token') || !isJson(request)) return false
    return senderOf(request, this.#trustedProxies) === 'same-origin'
  }

  /** The token in the cookie; undefined without one, and if several cookies have the name, which another host may have set. */
  read(request: Request): string | undefined {
    const start = `${this.#name(request)}=`
    const pairs = String(request.headers.cookie ?? '').split(';')
    const [token, ...others] = pairs.flatMap((pair) => {
      const text = pair.trim()
      return text.startsWith(start) ? [text.slice(start.length)] : []
    })
    return token !== undefined && others.length === 0 && TOKEN.test(token) ? token : undefined
  }

  /** Stores a token in the browser. */
  set(request: Request, token: string): void {
    this.#send(request, token, this.#maxAge)
  }

  /** Removes the token from the browser. */
  clear(request: Request): void {
    this.#send(request, '', 0)
  }

  /** The response may be an error, so the field is added to whichever is sent. */
  #send(request: Request, value: string, maxAge: number): void {
    const attributes = [`Max-Age=${maxAge}`, `Path=${this.#path}`, 'HttpOnly', 'SameSite=Strict']
    const secure = isHttps(request, this.#trustedProxies) ? ['Secure'] : []
    addFields(request.raw.res, ['Set-Cookie', [`${this.#name(request)}=${value}`, ...attributes, ...secure].join('; ')])
  }

  /** The listener's own port may differ from the setting, which may be 0. */
  #name({ server }: Request): string {
    return refreshCookieName(Number(server.info.port) || this.#port)
  }
}

/** The name of the cookie of the server on a port. */
const refreshCookieName = (port: number): string => `admin_refresh_${port}`

const isJson = ({ headers }: Request): boolean =>
  mediaTypeOf(headers['content-type'] as string | undefined) === 'application/json'

const invalid = (message: string): AppError => new AppError('VALIDATION_FAILED', { refresh: [message] })

/** The page that sent a request, as far as its browser tells: of this server, of another site or port, or unknown. */
type Sender = 'same-origin' | 'other' | 'unknown'

/**
 * The origin of a request, by `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/) or, without that header, by `Origin`.
 * Pages cannot set either. Browsers send `Sec-Fetch-Site` to HTTPS and to localhost only, and `Origin` with every POST request.
 */
function senderOf(request: Request, trustedProxies: number): Sender {
  const { 'sec-fetch-site': site, origin } = request.headers as Readonly<Record<string, string | undefined>>
  if (site !== undefined) return site === 'same-origin' ? 'same-origin' : 'other'
  if (origin === undefined) return 'unknown'
  const own = `${isHttps(request, trustedProxies) ? 'https' : 'http'}://${request.info.host}`
  return origin.toLowerCase() === own.toLowerCase() ? 'same-origin' : 'other'
}

/**
 * True if the client uses HTTPS: with this server or, behind `trustedProxies` proxies, with the outermost of them, which names the
 * scheme in `X-Forwarded-Proto`. The header is counted from the right, since the client controls the left part.
 */
function isHttps(request: Request, trustedProxies: number): boolean {
  if (request.server.info.protocol === 'https') return true
  if (trustedProxies === 0) return false
  const schemes = String(request.headers['x-forwarded-proto'] ?? '').split(',')
  return schemes[Math.max(0, schemes.length - trustedProxies)]?.trim().toLowerCase() === 'https'
}

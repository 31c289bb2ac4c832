import type { Request } from '@hapi/hapi'
import type { Settings } from '../config/settings.ts'
import { addFields } from './response.ts'

/** A token in a cookie: the alphabet of a JSON Web Token. */
const TOKEN = /^[\w.-]+$/

/**
 * A cookie with a token (RFC 6265), for pages of this server. Scripts cannot read it, and browsers send it to the addresses below one path
 * only. Its name contains the port, since cookies do not distinguish the servers of one host.
 */
export class TokenCookie {
  readonly #prefix: string
  readonly #path: string
  readonly #maxAge: number
  readonly #settings: Settings

  /** @param prefix the name without the port */
  constructor(settings: Settings, prefix: string, path: string) {
    this.#prefix = prefix
    this.#path = path
    this.#maxAge = Math.round(60 * settings.jwt.refresh_token_minutes)
    this.#settings = settings
  }

  /** The token in the cookie; undefined without one, and if several cookies have the name, which another host may have set. */
  read(request: Request): string | undefined {
    const name = this.#name(request)
    const [token, ...others] = cookiesIn(request).flatMap((cookie) => (cookie.name === name ? [cookie.value] : []))
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

  /** The page that sent a request. */
  senderOf(request: Request): SendingPage {
    return senderOf(request, this.#settings.trusted_proxies)
  }

  #send(request: Request, value: string, maxAge: number): void {
    const attributes = { name: this.#name(request), path: this.#path, sameSite: 'Strict' } as const
    sendCookie(request, this.#settings, { ...attributes, value, maxAge })
  }

  #name(request: Request): string {
    return `${this.#prefix}_${portOf(request, this.#settings.port)}`
  }
}

/** A cookie for pages of this server. */
interface Cookie {
  readonly name: string
  readonly value: string
  /** In seconds; 0 removes it. */
  readonly maxAge: number
  readonly path: string
  readonly sameSite: 'Strict' | 'Lax'
}

/**
 * Sends a cookie that scripts cannot read; over HTTPS only, if the request or `public_url` says that users have it. The response may be an error, so the field is added to
 * whichever is sent.
 */
export function sendCookie(
  request: Request,
  { trusted_proxies: trustedProxies, public_url: address }: Pick<Settings, 'trusted_proxies' | 'public_url'>,
  { name, value, maxAge, path, sameSite }: Cookie,
): void {
  const attributes = [`Max-Age=${maxAge}`, `Path=${path}`, 'HttpOnly', `SameSite=${sameSite}`]
  const isSecure = address?.startsWith('https:') === true || isHttps(request, trustedProxies)
  const secure = isSecure ? ['Secure'] : []
  addFields(request.raw.res, ['Set-Cookie', [`${name}=${value}`, ...attributes, ...secure].join('; ')])
}

/** The cookies of a request. */
export const cookiesIn = ({ headers }: Request): { readonly name: string; readonly value: string }[] =>
  String(headers.cookie ?? '')
    .split(';')
    .map((pair) => {
      const text = pair.trim()
      const end = text.indexOf('=')
      return { name: text.slice(0, Math.max(0, end)), value: text.slice(end + 1) }
    })

/** The listener's own port, which may differ from that of the settings, which may be 0. */
export const portOf = ({ server }: Request, configured: number): number => Number(server.info.port) || configured

/**
 * The page that sent a request, as far as its browser tells: of this server, of another site or port, none, since the user typed the address
 * or opened a bookmark, or unknown.
 */
export type SendingPage = 'same-origin' | 'other' | 'none' | 'unknown'

/**
 * The origin of a request, by `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/) or, without that header, by `Origin`.
 * Pages cannot set either. Browsers send `Sec-Fetch-Site` to HTTPS and to localhost only, and `Origin` with every POST request.
 */
function senderOf(request: Request, trustedProxies: number): SendingPage {
  const { 'sec-fetch-site': site, origin } = request.headers as Readonly<Record<string, string | undefined>>
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? site : 'other'
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

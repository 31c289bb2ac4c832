import type { Request } from '@hapi/hapi'

/** The page that sent a request, as far as its browser tells: of this server, of another site or port, or unknown. */
export type Sender = 'same-origin' | 'other' | 'unknown'

/**
 * The origin of a request, by `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/) or, without that header, by `Origin`.
 * Pages cannot set either. Browsers send `Sec-Fetch-Site` to HTTPS and to localhost only, and `Origin` with every POST request.
 */
export function senderOf(request: Request, trustedProxies: number): Sender {
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
export function isHttps(request: Request, trustedProxies: number): boolean {
  if (request.server.info.protocol === 'https') return true
  if (trustedProxies === 0) return false
  const schemes = String(request.headers['x-forwarded-proto'] ?? '').split(',')
  return schemes[Math.max(0, schemes.length - trustedProxies)]?.trim().toLowerCase() === 'https'
}

import type { Request } from '@hapi/hapi'

/**
 * The address that a request comes from: the socket's, or behind `trustedProxies` proxies the one that the outermost of them
 * saw. `X-Forwarded-For` is counted from the right, since everything further left is what the client chose to write.
 */
export function clientAddress(request: Request, trustedProxies: number): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
  const hops = [...forwarded.split(',').map((hop) => hop.trim()), request.info.remoteAddress].filter((hop) => hop !== '')
  return hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? request.info.remoteAddress
}

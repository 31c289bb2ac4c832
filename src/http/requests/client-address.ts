import type { Request } from '@hapi/hapi'
import ipaddr from 'ipaddr.js'
import type { LoginClient } from '../../service/accounts/sessions.ts'

/** The client of a login or a refresh, as sessions show it. */
export const clientOf = (request: Request, trustedProxies: number): LoginClient => ({
  address: clientAddress(request, trustedProxies),
  userAgent: request.headers['user-agent'] as string | undefined,
})

/** Prefix length that stands for one customer: providers give a household up to 2^72 addresses (RIPE-690). */
const IPV6_PREFIX = 56

/**
 * The client address that a request is counted under: that of the socket or, behind `trustedProxies` proxies, the one that the
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

import type { Request } from '@hapi/hapi'
import ipaddr from 'ipaddr.js'

/** Of an IPv6 address, the part that stands for a customer: providers give a household 2^72 addresses (RIPE-690). */
const IPV6_PREFIX = 56

/**
 * The address that a request is counted under: the socket's, or behind `trustedProxies` proxies the one that the outermost of
 * them saw. `X-Forwarded-For` is counted from the right, since everything further left is what the client chose to write; an entry
 * that is no address (RFC 7239 allows `unknown`) counts as the socket's. IPv6 counts by its /56.
 */
export function clientAddress(request: Request, trustedProxies: number): string {
  const { remoteAddress } = request.info
  if (trustedProxies === 0) return networkOf(remoteAddress) ?? remoteAddress
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
  const hops = [...forwarded.split(',').map((hop) => hop.trim()), remoteAddress].filter((hop) => hop !== '')
  const hop = hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? remoteAddress
  return networkOf(hop) ?? networkOf(remoteAddress) ?? remoteAddress
}

/** As proxies write it: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`, any of them quoted, with or without a zone. */
const HOP = /^"?(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|([^"[\]]+))"?$/

/** An IPv4 address as it is, also when it is written as IPv6; of any other IPv6 address its network. Undefined for what is neither. */
function networkOf(hop: string): string | undefined {
  const [, bracketed, beforePort, plain] = HOP.exec(hop) ?? []
  const text = (bracketed ?? beforePort ?? plain ?? '').replace(/%.*$/, '')
  const known = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  if (!known) return undefined
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${text}/${IPV6_PREFIX}`).toString()}/${IPV6_PREFIX}`
}

import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Resolves a host name to all its addresses. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })

/** Address ranges of a developer's machine and network. All other non-public ranges are always blocked. */
const PRIVATE: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal'])

/**
 * Addresses at which clouds give credentials and settings to a machine, outside the link-local and reserved ranges: AWS, Google Cloud, Oracle Cloud,
 * Scaleway, Akamai (Linode), Azure.
 */
const METADATA = ['fd00:ec2::/32', 'fd20:ce::/32', 'fd00:c1::/32', 'fd00:42::/32', 'fd00:a9fe:a9fe::/48', '168.63.129.16/32'].map(
  (range) => ipaddr.parseCIDR(range),
)

/** The URL leads to a blocked address. */
export class BlockedAddress extends Error {}

/**
 * Prevents server-side request forgery. Addresses are checked at the time of connection, and the connection uses exactly the
 * checked ones, so that DNS rebinding has no effect. Addresses are compared as numbers, so that alternative spellings do not
 * pass; IPv4 addresses within IPv6 are unwrapped.
 */
export class UrlGuard {
  readonly #allowPrivate: boolean
  readonly #resolve: Resolve

  /** @param allowPrivate allows loopback and private networks; link-local, reserved and metadata addresses are always blocked */
  constructor(allowPrivate: boolean, resolve: Resolve = systemResolve) {
    this.#allowPrivate = allowPrivate
    this.#resolve = resolve
  }

  /** Why a URL with an address literal is blocked; undefined for host names, which are checked on connection. */
  problemOf({ hostname }: URL): string | undefined {
    const host = hostname.replace(/^\[|\]$/g, '')
    return isIP(host) === 0 ? undefined : this.#problem(host)
  }

  /** `lookup` of a connection: returns the addresses of a name if all of them are allowed. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    this.#checked(name).then(
      (addresses) => {
        const family =
          options.family === 4 || options.family === 'IPv4' ? 4 : options.family === 6 || options.family === 'IPv6' ? 6 : 0
        const fit = addresses.filter((each) => family === 0 || each.family === family)
        const [first] = fit
        if (first === undefined) callback(new Error(`${name} has no address`), '')
        else if (options.all === true) callback(null, fit)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }

  async #checked(name: string): Promise<LookupAddress[]> {
    const addresses = await this.#resolve(name)
    for (const { address } of addresses) {
      const problem = this.#problem(address)
      if (problem !== undefined) throw new BlockedAddress(`${name} leads to ${problem}`)
    }
    return [...addresses]
  }

  #problem(address: string): string | undefined {
    const range = rangeOf(address)
    if (range === 'unicast') return undefined
    if (!PRIVATE.has(range)) return `${address}, a ${range} address, which webhooks never call`
    if (this.#allowPrivate) return undefined
    return `${address}, a ${range} address, which webhooks call only with \`webhooks: {allow_private: true}\` in the settings`
  }
}

/** The range of an address; `unicast` for public ones. Of IPv6 only 2000::/3 is assigned (IANA). */
function rangeOf(address: string): string {
  const parsed = ipaddr.process(address)
  if (METADATA.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))) return 'cloud metadata'
  const range = parsed.range()
  if (parsed instanceof ipaddr.IPv6 && range === 'unicast' && ((parsed.parts[0] ?? 0) & 0xe000) !== 0x2000) return 'reserved'
  return range
}

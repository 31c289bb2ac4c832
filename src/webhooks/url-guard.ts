import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Finds every address that a name has at this moment. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })

/** Where nobody outside can be: what a developer's machine and network use. Everything else that is not public stays closed. */
const PRIVATE: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal'])

/** The address that a URL leads to is not one that may be called. */
export class BlockedAddress extends Error {}

/**
 * Keeps deliveries from reaching into the network that the server stands in (server-side request forgery). It is asked at the moment
 * of connecting, and the addresses that it looked at are those that are connected to: a name that leads elsewhere a moment later
 * (DNS rebinding) makes no difference. Addresses are read as numbers, so that no spelling of one gets by: the URL has made those of
 * IPv4 into four decimal numbers, and IPv4 within IPv6 is looked into.
 */
export class UrlGuard {
  readonly #allowPrivate: boolean
  readonly #resolve: Resolve

  /** @param allowPrivate lets this machine and private networks be called; link-local and reserved addresses never are */
  constructor(allowPrivate: boolean, resolve: Resolve = systemResolve) {
    this.#allowPrivate = allowPrivate
    this.#resolve = resolve
  }

  /** Why a URL that names an address may not be called; undefined for names, whose addresses are not known before they are used. */
  problemOf({ hostname }: URL): string | undefined {
    const host = hostname.replace(/^\[|\]$/g, '')
    return isIP(host) === 0 ? undefined : this.#problem(host)
  }

  /** For the connection: gives the addresses of a name when all of them may be called. */
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

/** True for a host to listen on that nobody outside this machine reaches. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback')

/** What kind of address it is; `unicast` for those that are public. Of IPv6 only 2000::/3 is given to anybody (IANA). */
function rangeOf(address: string): string {
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (parsed instanceof ipaddr.IPv6 && range === 'unicast' && ((parsed.parts[0] ?? 0) & 0xe000) !== 0x2000) return 'reserved'
  return range
}

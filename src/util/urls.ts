import { BlockList, isIP } from 'node:net'

/**
 * Parses a URL (WHATWG); undefined for another text. `URL.canParse` of Node.js 20 refuses letters such as `ü` once it has been called some
 * thousand times and is compiled.
 *
 * @param base the URL that a relative one belongs to
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** The URL of a PostgreSQL database with a host. A URL with a user must have one; libpq allows none, for a Unix socket. */
export const withDatabaseHost = (text: string): string =>
  text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1localhost')

const SCHEME_AND_USER = String.raw`:\/\/[^\s/:@"']{0,200}:`

/** The password of the URL of a database: up to the last `@` of the word, as far as an unescaped password reaches. */
const DATABASE_PASSWORD = new RegExp(`(?<=\\bpost?gres[a-z]{0,9}${SCHEME_AND_USER})[^\\s"']+(?=@)`, 'gi')

/** The password of any other URL. After a port, an `@` belongs to the path. */
const PASSWORD = new RegExp(`(?<=\\b[a-z][a-z0-9+.-]{0,30}${SCHEME_AND_USER})(?!\\d{1,5}[/?#])[^\\s"']+(?=@)`, 'gi')

/** A password among the parameters of a URL. */
const PARAMETER = /(?<=[?&]password=)[^\s&"'#]+/gi

/** Replaces the passwords of the URLs in a text. */
export const withoutUrlPasswords = (text: string, replaced: (password: string) => string): string =>
  [DATABASE_PASSWORD, PASSWORD, PARAMETER].reduce((rest, pattern) => rest.replace(pattern, replaced), text)

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** True for a host that only this machine can reach. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))

/**
 * Parses a URL (WHATWG); undefined if it is none. `URL.canParse` of Node.js 20 refuses letters such as `ü` once it has been called some
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

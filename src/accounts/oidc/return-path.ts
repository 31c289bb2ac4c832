import { parseUrl } from '../../util/urls.ts'

/** Maximum length of a path, in characters: five flows in cookies fit into the headers of a request. */
const MAX_LENGTH = 500

/** Stands for the origin of the page. */
const ORIGIN = 'http://page.invalid'

/** Two slashes, and what some servers, or some routers the second time, decode into a slash or a dot. */
const AMBIGUOUS = /\/\/|%(?:2f|5c|2e|25|00)/i

/** The first page. */
const START = '/'

/**
 * Where a sign-in goes on: a path of the admin page, as its router names it. A path must be what a browser makes of it. Anything else is answered with
 * the first page, so that a link to this server leads to no other one.
 */
export function safeReturnPath(path: string | undefined): string {
  const url = path === undefined || path.length > MAX_LENGTH ? undefined : parseUrl(path, ORIGIN)
  if (url === undefined || url.origin !== ORIGIN || AMBIGUOUS.test(url.pathname)) return START
  return `${url.pathname}${url.search}` === path ? path : START
}

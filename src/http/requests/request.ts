import type { Request } from '@hapi/hapi'
import type { Actor } from '../../auth/permissions.ts'

/** The actor of a request on an authenticated route. */
export function actorOf(request: Request): Actor {
  const actor = request.auth.credentials.app?.actor
  if (actor === undefined) throw new Error('A route without authentication asked who is calling')
  return actor
}

/** The query string as sent, empty if there is none. (`request.url` would need a well-formed Host header.) */
export function queryOf(request: Request): string {
  const url = request.raw.req.url ?? ''
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** The media type of a Content-Type in lower case, without parameters; empty if there is none. */
export const mediaTypeOf = (contentType: string | undefined): string => contentType?.split(';')[0]?.trim().toLowerCase() ?? ''

/** True if Accept-Encoding names an encoding with a weight above 0 (RFC 9110, section 12.5.3). `*` alone gets the file itself. */
export function accepts(header: string | undefined, encoding: string): boolean {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => {
      const [name, weight = 'q=1'] = item.split(';').map((part) => part.trim())
      return name === encoding && Number(weight.replace(/^q=/, '')) > 0
    })
}

import type { Request } from '@hapi/hapi'
import type { Actor } from '../../auth/permissions.ts'

/** On whose behalf a request comes, on a route that asks for a token. */
export function actorOf(request: Request): Actor {
  const actor = request.auth.credentials.app?.actor
  if (actor === undefined) throw new Error('A route without authentication asked who is calling')
  return actor
}

/** The query of a request as it was sent, empty when there is none. (`request.url` would also want a well-formed Host header.) */
export function queryOf(request: Request): string {
  const url = request.raw.req.url ?? ''
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** The media type that a Content-Type names, in lower case and without parameters; empty when there is none. */
export const mediaTypeOf = (contentType: string | undefined): string => contentType?.split(';')[0]?.trim().toLowerCase() ?? ''

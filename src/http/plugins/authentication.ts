import type { Plugin } from '@hapi/hapi'
import type { Actor } from '../../auth/permissions.ts'
import { type Logins, unauthenticated } from '../../service/accounts/logins.ts'
import type { RateLimits } from '../requests/rate-limits.ts'
import { answerRequestId } from '../requests/request-id.ts'
import type { ErrorResponses } from '../responses/error-responses.ts'

declare module '@hapi/hapi' {
  interface AppCredentials {
    actor: Actor
  }
  interface PluginSpecificConfiguration {
    /** How often the route may be called is limited by user; uploads are counted apart. */
    limitsUsers?: boolean | 'upload'
  }
}

/** What comes before the token in almost every request. */
const USUAL = 'Bearer '

/** The token of an `Authorization` header. @throws {AppError} UNAUTHENTICATED when the header holds no such thing */
export function tokenIn(header: string | undefined): string {
  // What is no token fails when it is opened. Only the unusual is worth a pattern.
  if (header?.startsWith(USUAL) === true && header[USUAL.length] !== ' ') return header.slice(USUAL.length)
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw unauthenticated()
  return token
}

export interface AuthenticationOptions {
  readonly logins: Logins
  readonly limits: RateLimits
  readonly errors: ErrorResponses
}

/** The strategy `bearer` (RFC 6750): `Authorization: Bearer <access token>`. Who is known by then is held to their rate limit. */
export const bearerAuthentication: Plugin<AuthenticationOptions> = {
  name: 'bearer-authentication',
  register(server, { logins, limits, errors }) {
    server.auth.scheme('bearer', () => ({
      async authenticate(request, h) {
        answerRequestId(request)
        try {
          const actor = await logins.authenticate(tokenIn(request.headers.authorization as string | undefined))
          const limited = request.route.settings.plugins?.limitsUsers ?? false
          if (limited !== false) limits.countUser(request, actor, limited === true ? 'default' : limited)
          return h.authenticated({ credentials: { app: { actor } } })
        } catch (error) {
          return errors.reply(h, error)
        }
      },
    }))
    server.auth.strategy('bearer', 'bearer')
  },
}

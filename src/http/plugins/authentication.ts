import type { Plugin } from '@hapi/hapi'
import { type Actor, ANONYMOUS } from '../../auth/permissions.ts'
import type { AccessRules } from '../../service/access/access-rules.ts'
import { unauthenticated } from '../../service/accounts/login-failure.ts'
import type { Logins } from '../../service/accounts/logins.ts'
import type { RateLimits } from '../requests/rate-limits.ts'
import { answerRequestId } from '../requests/request-id.ts'
import type { ErrorResponses } from '../responses/error-responses.ts'

declare module '@hapi/hapi' {
  interface AppCredentials {
    actor: Actor
  }
  interface PluginSpecificConfiguration {
    /** Counts requests against the user's rate limit; uploads have a limit of their own. */
    limitsUsers?: boolean | 'upload'
    /** Passes on requests without a token, if the project gives them access to anything. */
    admitsAnonymous?: boolean
  }
}

/** The prefix of almost every Authorization header. */
const USUAL = 'Bearer '

/**
 * Extracts the token of an `Authorization` header.
 *
 * @throws {AppError} UNAUTHENTICATED if the header is malformed
 */
export function tokenIn(header: string | undefined): string {
  // A malformed token fails verification; only unusual headers need the regular expression.
  if (header?.startsWith(USUAL) === true && header[USUAL.length] !== ' ') return header.slice(USUAL.length)
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw unauthenticated()
  return token
}

export interface AuthenticationOptions {
  readonly logins: Logins
  readonly access: AccessRules
  readonly limits: RateLimits
  readonly errors: ErrorResponses
}

/**
 * The authentication scheme `bearer` (RFC 6750): `Authorization: Bearer <access token>`. After authentication the request
 * counts against the user's rate limit.
 */
export const bearerAuthentication: Plugin<AuthenticationOptions> = {
  name: 'bearer-authentication',
  register(server, { logins, access, limits, errors }) {
    const { isPublic } = access
    server.auth.scheme('bearer', () => ({
      async authenticate(request, h) {
        answerRequestId(request)
        const { authorization } = request.headers
        try {
          if (isPublic && authorization === undefined && request.route.settings.plugins?.admitsAnonymous === true) {
            await limits.countAnonymous(request)
            return h.authenticated({ credentials: { app: { actor: ANONYMOUS } } })
          }
          const actor = await logins.actorOf(logins.claimsOf(tokenIn(authorization as string | undefined)))
          const limited = request.route.settings.plugins?.limitsUsers ?? false
          if (limited !== false) await limits.countActor(request, actor, limited === true ? 'default' : limited)
          return h.authenticated({ credentials: { app: { actor } } })
        } catch (error) {
          return errors.reply(h, error)
        }
      },
    }))
    server.auth.strategy('bearer', 'bearer')
  },
}

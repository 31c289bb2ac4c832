import type { Plugin, Request } from '@hapi/hapi'
import type { AccessRules } from '../access/access-rules.ts'
import type { Logins } from '../accounts/logins.ts'
import { LoginFailure, unauthenticated } from '../auth/login-failure.ts'
import { type Actor, ANONYMOUS } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Random } from '../util/ids.ts'
import type { ErrorResponses } from './error-responses.ts'
import type { ConnectionLimits } from './listener.ts'
import type { RateLimits } from './rate-limits.ts'
import { answerRequestId, clientAddress, requestIdOf } from './request.ts'
import { expectUpload, isUpload } from './upload-body.ts'

declare module '@hapi/hapi' {
  interface AppCredentials {
    actor: Actor
  }
  interface PluginSpecificConfiguration {
    /** Counts requests against the user's rate limit; uploads have a limit of their own. */
    limitsUsers?: boolean | 'upload'
    /** Passes on requests without a token, if the project gives them access to anything. */
    admitsAnonymous?: boolean
    /** Passes on a user who has to set up a second factor first. */
    admitsEnrolling?: boolean
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

interface AuthenticationOptions {
  readonly logins: Logins
  readonly access: AccessRules
  readonly limits: RateLimits
  readonly errors: ErrorResponses
  readonly connections: ConnectionLimits
}

/**
 * The authentication scheme `bearer` (RFC 6750): `Authorization: Bearer <access token or API key>`. After authentication the request
 * counts against the user's rate limit.
 */
export const bearerAuthentication: Plugin<AuthenticationOptions> = {
  name: 'bearer-authentication',
  register(server, { logins, access, limits, errors, connections }) {
    const { isPublic } = access
    server.auth.scheme('bearer', () => ({
      async authenticate(request, h) {
        answerRequestId(request)
        const isStreamed = request.route.settings.plugins?.streamsBody !== undefined && isUpload(request)
        if (isStreamed) expectUpload(request, connections)
        const { authorization } = request.headers
        try {
          if (isPublic && authorization === undefined && request.route.settings.plugins?.admitsAnonymous === true) {
            await limits.countAnonymous(request)
            return h.authenticated({ credentials: { app: { actor: ANONYMOUS } } })
          }
          const actor = await logins.actorOfToken(tokenIn(authorization as string | undefined), {
            enrolling: request.route.settings.plugins?.admitsEnrolling === true,
          })
          const limited = request.route.settings.plugins?.limitsUsers ?? false
          if (limited !== false)
            await limits.countActor(request, actor, limited === true ? (isStreamed ? 'upload' : 'default') : limited)
          return h.authenticated({ credentials: { app: { actor } } })
        } catch (error) {
          return errors.reply(h, error)
        }
      },
    }))
    server.auth.strategy('bearer', 'bearer')
  },
}

/**
 * Logs logins and rejected authentication with the client's address. Clients get the same response for every reason; the log
 * has the reason.
 */
export class LoginLog {
  readonly #log: Log
  readonly #trustedProxies: number
  readonly #random: Random

  constructor(log: Log, trustedProxies: number, random: Random) {
    this.#log = log
    this.#trustedProxies = trustedProxies
    this.#random = random
  }

  /** Runs a login and logs its outcome. */
  async login<T>(request: Request, username: string, work: () => Promise<T>): Promise<T> {
    const result = await this.#tellingOfRefusals(request, work, 'login_failed', 'Login failed')
    // Logged after success only: before it the name might be a mistyped password.
    this.#log.info('Login', { event: 'login_succeeded', username, ...this.#origin(request) })
    return result
  }

  /** Runs a login by a provider and logs its outcome. */
  async signIn<T extends { readonly user: StoredRecord }>(request: Request, work: () => Promise<T>): Promise<T> {
    const result = await this.#tellingOfRefusals(request, work, 'login_failed', 'Login failed')
    const { username } = result.user
    this.#log.info('Login', { event: 'login_succeeded', username, method: 'oidc', ...this.#origin(request) })
    return result
  }

  /** Runs a refresh and logs a rejection. */
  refresh<T>(request: Request, work: () => Promise<T>): Promise<T> {
    return this.#tellingOfRefusals(request, work, 'refresh_failed', 'Refresh failed')
  }

  /** Runs a change of a user's own password and logs a rejection. Success is logged as a change of the account. */
  passwordChange<T>(request: Request, work: () => Promise<T>): Promise<T> {
    return this.#tellingOfRefusals(request, work, 'password_change_failed', 'Password change failed')
  }

  /** Runs the confirmation of a login and logs a rejection. */
  confirmation<T>(request: Request, work: () => Promise<T>): Promise<T> {
    return this.#tellingOfRefusals(request, work, 'confirmation_failed', 'Confirmation failed')
  }

  async #tellingOfRefusals<T>(request: Request, work: () => Promise<T>, event: string, message: string): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AppError && error.status < 500) this.#tellOf(request, error.cause, event, message)
      throw error
    }
  }

  #tellOf(request: Request, cause: unknown, event: string, message: string): void {
    const origin = this.#origin(request)
    if (!(cause instanceof LoginFailure)) this.#log.info(message, { event, ...origin })
    else {
      const { reason, userId: user_id, username } = cause
      const known = username === undefined ? {} : { user_id, username }
      if (reason === 'token_reused')
        this.#log.info('Refresh token reused', { event: 'refresh_token_reused', ...known, ...origin })
      else if (reason === 'second_factor_missing')
        this.#log.info('Second factor asked for', { event: 'second_factor_asked', ...known, ...origin })
      else this.#log.info(message, { event, reason, ...known, ...origin })
    }
  }

  #origin(request: Request): { address: string; request_id: string } {
    return { address: clientAddress(request, this.#trustedProxies), request_id: requestIdOf(request, this.#random) }
  }
}

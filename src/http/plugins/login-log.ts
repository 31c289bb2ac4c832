import type { Request } from '@hapi/hapi'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import { LoginFailure } from '../../service/accounts/login-failure.ts'
import type { Random } from '../../util/ids.ts'
import { clientAddress } from '../requests/client-address.ts'
import { requestIdOf } from '../requests/request-id.ts'

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

  /** Runs a refresh and logs a rejection. */
  refresh<T>(request: Request, work: () => Promise<T>): Promise<T> {
    return this.#tellingOfRefusals(request, work, 'refresh_failed', 'Refresh failed')
  }

  /** Runs a change of a user's own password and logs a rejection. Success is logged as a change of the account. */
  passwordChange<T>(request: Request, work: () => Promise<T>): Promise<T> {
    return this.#tellingOfRefusals(request, work, 'password_change_failed', 'Password change failed')
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
      else this.#log.info(message, { event, reason, ...known, ...origin })
    }
  }

  #origin(request: Request): { address: string; request_id: string } {
    return { address: clientAddress(request, this.#trustedProxies), request_id: requestIdOf(request, this.#random) }
  }
}

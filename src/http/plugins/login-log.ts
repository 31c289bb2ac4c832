import type { Request } from '@hapi/hapi'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import { LoginFailure } from '../../service/accounts/login-failure.ts'
import type { Random } from '../../util/ids.ts'
import { clientAddress } from '../requests/client-address.ts'
import { requestIdOf } from '../requests/request-id.ts'

/** Tells the log who came in and who did not, from where. A refusal is the same to every client; here it has its reason. */
export class LoginLog {
  readonly #log: Log
  readonly #trustedProxies: number
  readonly #random: Random

  constructor(log: Log, trustedProxies: number, random: Random) {
    this.#log = log
    this.#trustedProxies = trustedProxies
    this.#random = random
  }

  /** Does a login, and tells how it ended. */
  async login<T>(request: Request, username: string, work: () => Promise<T>): Promise<T> {
    const result = await this.#tellingOfRefusals(request, work, 'login_failed', 'Login failed')
    // Only now is it known to be a name, and not a password in its place.
    this.#log.info('Login', { event: 'login_succeeded', username, ...this.#origin(request) })
    return result
  }

  /** Changes a refresh token, and tells when it is refused. */
  refresh<T>(request: Request, work: () => Promise<T>): Promise<T> {
    return this.#tellingOfRefusals(request, work, 'refresh_failed', 'Refresh failed')
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

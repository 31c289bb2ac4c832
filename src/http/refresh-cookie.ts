import type { Request } from '@hapi/hapi'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import { isObject } from '../util/json.ts'
import { apiRoots } from './paths.ts'
import { mediaTypeOf } from './request.ts'
import { TokenCookie } from './token-cookie.ts'

/** The cookie of a refresh token, for pages of this server. Browsers send it to the endpoints of authentication only. */
export class RefreshCookie extends TokenCookie {
  constructor(settings: Settings) {
    super(settings, 'admin_refresh', apiRoots(settings).auth)
  }

  /**
   * True if a login asks for the refresh token in a cookie: `"refresh": "cookie"`. A page of another site must not log its visitor
   * in as another user, so the body must be JSON and the request must not come from such a page.
   *
   * @throws {AppError} VALIDATION_FAILED
   */
  isWanted(request: Request): boolean {
    const refresh = isObject(request.payload) ? request.payload.refresh : undefined
    if (refresh === undefined) return false
    if (refresh !== 'cookie') throw invalid('refresh must be cookie')
    if (!isJson(request)) throw invalid('refresh is accepted in a JSON body only')
    if (!['same-origin', 'unknown'].includes(this.senderOf(request))) {
      throw invalid('refresh is accepted from pages of this server only')
    }
    return true
  }

  /**
   * Expects a request for a session in a cookie whose sender is a page of this server, without doubt: it takes something else from a cookie.
   *
   * @throws {AppError} VALIDATION_FAILED
   */
  expectOwnPage(request: Request): void {
    if (!this.isWanted(request)) throw invalid('refresh is mandatory, and must be cookie')
    if (this.senderOf(request) !== 'same-origin') throw invalid('refresh is accepted from pages of this server only')
  }

  /**
   * True if a refresh or a logout takes the token from the cookie: a JSON body without `refresh_token`, sent by a page of this
   * server. The token of any other request is expected in its body.
   */
  isUsed(request: Request): boolean {
    const { payload } = request
    if (!isObject(payload) || Object.hasOwn(payload, 'refresh_token') || !isJson(request)) return false
    return this.senderOf(request) === 'same-origin'
  }
}

const isJson = ({ headers }: Request): boolean =>
  mediaTypeOf(headers['content-type'] as string | undefined) === 'application/json'

const invalid = (message: string): AppError => new AppError('VALIDATION_FAILED', { refresh: [message] })

import type { Request } from '@hapi/hapi'
import type { TokenGrant } from '../accounts/token-grants.ts'
import type { App } from '../app.ts'
import { FilesCookie } from './files-cookie.ts'
import { RefreshCookie } from './refresh-cookie.ts'

/** The cookies of a login that asks for them: of the refresh token and, in projects with files, of the token that reads files. */
export class LoginCookies {
  readonly refresh: RefreshCookie
  readonly #files: FilesCookie | undefined
  readonly #logins: App['logins']

  constructor({ settings, project, logins }: Pick<App, 'settings' | 'project' | 'logins'>) {
    this.refresh = new RefreshCookie(settings)
    this.#files = project.registry.withFiles.length > 0 ? new FilesCookie(settings) : undefined
    this.#logins = logins
  }

  /** Sets the cookies. Returns the rest of the grant, for the body. */
  set(request: Request, { refresh_token: refreshToken, ...grant }: TokenGrant): Omit<TokenGrant, 'refresh_token'> {
    this.refresh.set(request, refreshToken)
    this.#files?.set(request, this.#logins.issueFilesToken(refreshToken))
    return grant
  }

  /** Removes the cookies from the browser. */
  clear(request: Request): void {
    this.refresh.clear(request)
    this.#files?.clear(request)
  }
}

import type { Request } from '@hapi/hapi'
import type { Settings } from '../config/settings.ts'
import { apiRoots } from './paths.ts'
import { TokenCookie } from './token-cookie.ts'

/**
 * The cookie by which pages of this server show files, such as in `<img>`, which sends no token. It is set and removed with the cookie of the
 * refresh token. Its token is good for reading files during the session, and for nothing else.
 */
export class FilesCookie extends TokenCookie {
  constructor(settings: Settings) {
    super(settings, 'admin_files', apiRoots(settings).files)
  }

  /** The token that a request may use; undefined for a request of a page of another origin, such as another port of this host. */
  tokenOf(request: Request): string | undefined {
    return this.senderOf(request) === 'other' ? undefined : this.read(request)
  }
}

import type { TokenStorage } from './connection/tokens.ts'
import type { RetryLimits, Wait } from './connection/transport.ts'

interface CommonOptions {
  /** Base URL of the server, including `base_path`: `http://127.0.0.1:8000`. Use `''` for the origin of the page. */
  readonly url: string
  /** The setting `api_version` of the server. Default: `v1`. */
  readonly api_version?: string
  /** The setting `admin_path` of the server. Default: `/admin`. */
  readonly admin_path?: string
  /**
   * Retries after 429 or 503 with `Retry-After`: at most 2 times, each after at most 10 seconds. POST requests are never repeated.
   */
  readonly retry?: Partial<RetryLimits>
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Replaces the timer between retries, for tests. */
  readonly wait?: Wait
  /** Replaces `Math.random`, for tests: varies the delays before a subscription connects again. */
  readonly random?: () => number
}

interface TokenOptions {
  /** An access token, such as `admin token` prints, instead of a login. It is not renewed. */
  readonly token?: string
  readonly storage?: never
  readonly session?: never
}

interface CookieOptions {
  readonly token?: never
  readonly storage?: never
  /**
   * Keeps the refresh token in a cookie that scripts cannot read, and the access token in memory. The session survives a reload of the
   * page and is shared by all tabs. Only for pages that the server itself serves, or that share its origin behind a proxy.
   */
  readonly session: 'cookie'
}

interface StorageOptions {
  readonly token?: never
  readonly session?: never
  /** Stores the tokens of a login. Default: memory. `webStorage(localStorage)` survives a reload of the page. */
  readonly storage?: TokenStorage
}

/**
 * Options of `createClient`: the address of the server, and either an access token, a storage for the tokens of logins, or a session
 * in a cookie.
 */
export type ClientOptions = CommonOptions & (TokenOptions | StorageOptions | CookieOptions)

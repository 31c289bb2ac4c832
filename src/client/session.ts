import { AdminError } from './admin-error.ts'

/** Sends a POST request to `/auth/<action>` without a token. @throws {AdminError} */
type AuthRequest = (action: 'token' | 'refresh' | 'logout' | 'oidc/finish', body: object) => Promise<unknown>

/** The place of the refresh token: with the access token in the storage, or in a cookie that scripts cannot read. */
type RefreshTokenPlace = 'storage' | 'cookie'

/** Manages the tokens of a login: stores, renews and removes them. Logins, logouts and renewals run one at a time. */
export class Session {
  readonly #storage: TokenStorage
  readonly #authRequest: AuthRequest
  readonly #usesCookie: boolean
  /** True once the server has said that the cookie has no session, so that it is not asked for each request. */
  #hasNoCookie = false
  /** The running request for the session of the cookie, shared by all requests. */
  #restoration: Promise<Tokens | undefined> | undefined
  /** The last queued operation; the next one waits for it. */
  #last: Promise<unknown> = Promise.resolve()
  /** The running renewal, shared by all requests of the same session. */
  #renewal: { readonly session: string; readonly tokens: Promise<Tokens | undefined> } | undefined

  constructor(storage: TokenStorage, authRequest: AuthRequest, place: RefreshTokenPlace = 'storage') {
    this.#storage = storage
    this.#authRequest = authRequest
    this.#usesCookie = place === 'cookie'
  }

  /**
   * Returns the stored tokens, which may be expired; undefined without a login. Without stored tokens the session of the cookie is
   * continued, if there is one.
   *
   * @throws {AdminError} when the request for the session of the cookie failed
   */
  async tokens(): Promise<Tokens | undefined> {
    const tokens = await this.#storage.get()
    if (tokens !== undefined || !this.#usesCookie || this.#hasNoCookie) return tokens
    this.#restoration ??= this.#exclusively(async () => (await this.#storage.get()) ?? this.#fromCookie()).finally(() => {
      this.#restoration = undefined
    })
    return this.#restoration
  }

  /** Logs in and stores the tokens. @throws {AdminError} */
  async login(username: string, password: string, otp?: string): Promise<void> {
    await this.#begin('token', { username, password, otp }, explainLogin)
  }

  /** Ends a login at a provider of this server, and stores the tokens. Returns the answer. @throws {AdminError} */
  finish(otp?: string): Promise<unknown> {
    return this.#begin('oidc/finish', { otp })
  }

  #begin(action: 'token' | 'oidc/finish', body: object, explain: (error: unknown) => never = rethrow): Promise<unknown> {
    return this.#exclusively(async () => {
      const grant = await this.#authRequest(action, { ...body, ...(this.#usesCookie ? { refresh: 'cookie' } : {}) }).catch(
        explain,
      )
      this.#hasNoCookie = false
      await this.#storage.set(this.#usesCookie ? withFamily(grant) : tokensIn(grant))
      return grant
    })
  }

  /**
   * Removes the stored tokens and ends the session on the server.
   *
   * @throws {AdminError} when the request to the server failed; the stored tokens are removed anyway
   */
  logout(): Promise<void> {
    return this.#exclusively(async () => {
      const tokens = await this.#storage.get()
      await this.#storage.set(undefined)
      if (this.#usesCookie) {
        this.#hasNoCookie = true
        await this.#authRequest('logout', {}).catch(unlessEnded)
      }
      if (tokens?.refresh_token === undefined) return
      await this.#authRequest('logout', { refresh_token: tokens.refresh_token }).catch(unlessEnded)
    })
  }

  /**
   * Renews rejected tokens. Concurrent calls share one renewal, since a refresh token is valid for one use.
   *
   * Returns undefined if the session has ended. Also if another login has replaced it, so that no request is repeated as another user.
   *
   * @throws {AdminError} when the renewal request failed, so that the state of the session is unknown
   */
  renew(rejected: Tokens): Promise<Tokens | undefined> {
    const session = sessionOf(rejected)
    if (this.#renewal?.session === session) return this.#renewal.tokens
    const renewal = {
      session,
      tokens: this.#exclusively(() => this.#renewed(rejected)).finally(() => {
        if (this.#renewal === renewal) this.#renewal = undefined
      }),
    }
    this.#renewal = renewal
    return renewal.tokens
  }

  async #renewed(rejected: Tokens): Promise<Tokens | undefined> {
    const tokens = await this.#storage.get()
    const session = sessionOf(rejected)
    if (tokens === undefined || sessionOf(tokens) !== session) return undefined
    // An earlier request or another tab has renewed the tokens already.
    if (tokens.access_token !== rejected.access_token) return tokens
    if (this.#usesCookie) {
      const next = await this.#fromCookie()
      // Another tab may have logged in meanwhile, as another user.
      return next !== undefined && sessionOf(next) === session ? next : undefined
    }
    if (tokens.refresh_token === undefined) return undefined
    const grant = await this.#authRequest('refresh', { refresh_token: tokens.refresh_token }).catch(unlessEnded)
    const next = grant === undefined ? undefined : { ...tokensIn(grant), session }
    await this.#storage.set(next)
    return next
  }

  /** Continues the session of the cookie, and stores its access token. */
  async #fromCookie(): Promise<Tokens | undefined> {
    if (this.#hasNoCookie) return undefined
    const grant = await this.#authRequest('refresh', {}).catch(unlessEnded)
    const tokens = grant === undefined ? undefined : withFamily(grant)
    this.#hasNoCookie = tokens === undefined
    await this.#storage.set(tokens)
    return tokens
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = () => this.#storage.exclusively?.(work) ?? work()
    const done = this.#last.then(turn, turn)
    this.#last = done.catch(() => {})
    return done
  }
}

const tokensIn = (grant: unknown): Tokens => {
  const { access_token, refresh_token } = grant as Tokens
  return { access_token, refresh_token }
}

/** The tokens of a session whose refresh token is in the cookie. Its access tokens name it. */
const withFamily = (grant: unknown): Tokens => {
  const { access_token } = grant as Tokens
  return { access_token, session: familyOf(access_token) }
}

/** Ignores the error of a session that has already ended. */
function unlessEnded(error: unknown): undefined {
  if (error instanceof AdminError && error.type === 'authentication') return undefined
  throw error
}

function rethrow(error: unknown): never {
  throw error
}

/**
 * Replaces the message of a failed login. The server sends the same message for every 401, which does not help at a login form; but for
 * those about a second factor.
 */
function explainLogin(error: unknown): never {
  if (!(error instanceof AdminError) || error.type !== 'authentication' || error.secondFactor !== undefined) throw error
  const { type, status, requestId } = error
  const message = 'The username or the password is wrong, or the account is disabled or locked'
  throw new AdminError(message, { type, status, requestId, cause: error })
}

/** The tokens of a session, as they are stored. */
export interface Tokens {
  /** Sent with every request. */
  readonly access_token: string
  /** Valid for one renewal. A token of `admin token` comes without one. */
  readonly refresh_token?: string | undefined
  /** Identifies the session after a renewal: the access token that the session started with. */
  readonly session?: string | undefined
}

/** The identifier of the session that tokens belong to: unchanged by renewals, new with each login. */
const sessionOf = ({ session, access_token }: Tokens): string => session ?? access_token

/**
 * The session that an access token names: the part of its id before the dot (`jti`, RFC 7519). For another token, the token itself,
 * which is the same session as no other.
 */
export function familyOf(accessToken: string): string {
  try {
    const payload = accessToken.split('.')[1] ?? ''
    const { jti } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { jti?: unknown }
    return /^([^.]+)\./.exec(String(jti))?.[1] ?? accessToken
  } catch {
    return accessToken
  }
}

/** Stores the tokens of a session, with all their members. */
export interface TokenStorage {
  /** Returns the stored tokens; undefined without a session. */
  get(): Tokens | undefined | Promise<Tokens | undefined>
  /** Stores tokens; `undefined` removes them. */
  set(tokens: Tokens | undefined): void | Promise<void>
  /**
   * Runs `work` under a lock that all users of the storage share. A storage shared by several pages or processes needs it: using a
   * refresh token twice ends its session.
   */
  exclusively?<T>(work: () => Promise<T>): Promise<T>
}

/** Creates a storage in memory: tokens are lost when the page or program ends. */
export function memoryStorage(tokens?: Tokens): TokenStorage {
  let stored = tokens
  return {
    get: () => stored,
    set: (next) => {
      stored = next
    },
  }
}

/** The part of the Web Storage API that is used. */
interface KeyValueStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The part of the Web Locks API that is used. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
}

/**
 * Creates a storage in `localStorage`, which survives a reload and is shared by all tabs, or in `sessionStorage`.
 *
 * Tabs renew tokens one at a time by the Web Locks API, which current browsers provide on HTTPS and localhost. Without it, tabs may
 * renew at the same time, which ends the session.
 *
 * @param key the name of the storage entry and of the lock
 * @param locks replaces `navigator.locks`
 */
export function webStorage(
  storage: KeyValueStorage,
  key = 'admin-folder',
  locks: Locks | undefined = browserLocks(),
): TokenStorage {
  return {
    get: () => readTokens(storage.getItem(key)),
    set: (tokens) => (tokens === undefined ? storage.removeItem(key) : storage.setItem(key, JSON.stringify(tokens))),
    exclusively: (work) => (locks === undefined ? work() : locks.request(key, work)),
  }
}

const browserLocks = (): Locks | undefined => (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks

/** Parses stored tokens; undefined for anything else, since other scripts may write to the same storage. */
function readTokens(text: string | null): Tokens | undefined {
  try {
    const { access_token, refresh_token, session } = JSON.parse(text ?? '') as Partial<Record<keyof Tokens, unknown>>
    if (typeof access_token !== 'string') return undefined
    return {
      access_token,
      ...(typeof refresh_token === 'string' ? { refresh_token } : {}),
      ...(typeof session === 'string' ? { session } : {}),
    }
  } catch {
    return undefined
  }
}

import { errorOf } from './admin-error.ts'
import { ModelClient } from './model-client.ts'
import type { AnyModel, AnyModels, ModelTypes } from './model-types.ts'
import { type QueryEntries, withQuery } from './query.ts'
import { Session } from './session.ts'
import { memoryStorage, type TokenStorage } from './tokens.ts'
import {
  type ApiRequest,
  DEFAULT_RETRY,
  discard,
  jsonOf,
  type RetryLimits,
  systemWait,
  Transport,
  type Wait,
} from './transport.ts'
import type { CallOptions } from './types.ts'

export { AdminError, type AdminErrorType, type FieldErrors } from './admin-error.ts'
export type * from './filter-types.ts'
export { type Id, ModelClient } from './model-client.ts'
export type * from './model-types.ts'
export { memoryStorage, type TokenStorage, type Tokens, webStorage } from './tokens.ts'
export type { RetryLimits, Wait } from './transport.ts'
export type * from './types.ts'

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

/** The logged-in user and their permissions. */
export interface Me<User> {
  /** The record of the user. */
  readonly data: User
  /** Codenames such as `view_post`. */
  readonly permissions: readonly string[]
}

/** A session of the logged-in user. Those that an earlier version of the server started lack what is null. */
export interface LoginSession {
  readonly id: number
  readonly created_at: string
  /** Time of the last login or refresh. */
  readonly last_used_at: string | null
  /** Address of the client at that time; the /56 network of an IPv6 address. */
  readonly address: string | null
  /** The first 200 characters of its `User-Agent`. */
  readonly user_agent: string | null
  /** True for the session of this client. */
  readonly current: boolean
}

/** A view, as the Views API returns it. */
export interface View {
  readonly name: string
  readonly view_type: 'form' | 'list'
  readonly model: string
  readonly fields: readonly Readonly<Record<string, unknown>>[]
  /** Fields that the form accepts when it creates a record; absent if the form does not limit them. */
  readonly creation_fields?: readonly string[]
  /** Fields that the form accepts when it updates a record; absent if the form does not limit them. */
  readonly allowed_update_fields?: readonly string[]
}

/** A request to a route that has no method of its own. */
export interface RawRequest extends CallOptions {
  /** Default: `GET`. */
  readonly method?: ApiRequest['method']
  /** Query parameters as pairs of name and value; a name may repeat. */
  readonly query?: QueryEntries
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The types of models by key, such as `All_Models`, which `admin types` generates. */
export type Typed<Models> = { readonly [K in keyof Models]: ModelTypes }

type UserOf<Models> = Models extends { readonly user: { readonly record: infer User } } ? User : AnyModel['record']

/**
 * A client of a project's API. Every method throws an `AdminError` when the server rejects the request or cannot be reached.
 *
 * Access tokens are renewed automatically: after a 401, the client refreshes the session and repeats the request once.
 */
export class Client<Models extends Typed<Models> = AnyModels> {
  /** Root of the API except the views: `http://127.0.0.1:8000/api/v1`. */
  readonly apiUrl: string
  readonly #api: string
  readonly #views: string
  readonly #transport: Transport
  readonly #session: Session

  constructor({ url, token, storage, session, api_version = 'v1', admin_path = '/admin', ...options }: ClientOptions) {
    if (token !== undefined && storage !== undefined) {
      throw new TypeError("A client has either 'token' or 'storage'; leave one out, or put the token into the storage")
    }
    if (session !== undefined && (token !== undefined || storage !== undefined)) {
      throw new TypeError("A client with a session in a cookie has neither 'token' nor 'storage'; leave them out")
    }
    const base = url.replace(/\/+$/, '')
    this.#api = `/api/${api_version}`
    this.#views = `${admin_path}/api/${api_version}/views`
    this.apiUrl = base + this.#api
    this.#transport = new Transport({
      url: base,
      // `fetch` must be called without a receiver, and is looked up at each call since tools replace the global one.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      retry: { ...DEFAULT_RETRY, ...options.retry },
      wait: options.wait ?? systemWait,
    })
    const tokenStorage = storage ?? memoryStorage(token === undefined ? undefined : { access_token: token })
    this.#session = new Session(
      tokenStorage,
      async (action, body) => jsonOf(await this.#transport.send({ method: 'POST', path: `${this.#api}/auth/${action}`, body })),
      session,
    )
  }

  /**
   * Logs in and stores the tokens; they are renewed when they expire.
   *
   * @throws {AdminError} of type `authentication` for a wrong password, or a disabled or locked account
   */
  login(username: string, password: string): Promise<void> {
    return this.#session.login(username, password)
  }

  /**
   * Logs out: removes the stored tokens and ends the session on the server.
   *
   * @throws {AdminError} when the server could not be reached; the stored tokens are removed anyway, a cookie is not
   */
  logout(): Promise<void> {
    return this.#session.logout()
  }

  /**
   * Returns true if a token is stored, which may be expired or revoked. With a session in a cookie, continues the session first.
   *
   * @throws {AdminError} when the server had to be asked for the session of the cookie, and could not be reached
   */
  async hasToken(): Promise<boolean> {
    return (await this.#session.tokens()) !== undefined
  }

  /** Returns the logged-in user. The server applies the rate limit of logins, so call it once per session, not per page. */
  async me({ signal }: CallOptions = {}): Promise<Me<UserOf<Models>>> {
    return (await this.request('/auth/me', { signal })) as Me<UserOf<Models>>
  }

  /**
   * Changes the password of the logged-in user. All other sessions of the user end.
   *
   * @throws {AdminError} of type `validation` with `fieldErrors` of `current_password` and `new_password`
   */
  async changePassword(current: string, next: string, { signal }: CallOptions = {}): Promise<void> {
    const body = { current_password: current, new_password: next }
    await this.request('/auth/password', { method: 'POST', body, signal })
  }

  /** Returns the sessions of the logged-in user, newest first. */
  async sessions({ signal }: CallOptions = {}): Promise<readonly LoginSession[]> {
    const { data } = (await this.request('/auth/sessions', { signal })) as { data: readonly LoginSession[] }
    return data
  }

  /**
   * Ends a session of the logged-in user, with all its tokens.
   *
   * @throws {AdminError} of type `not_found` if it has ended, or is another user's
   */
  async endSession(id: number, { signal }: CallOptions = {}): Promise<void> {
    await this.request(`/auth/sessions/${id}`, { method: 'DELETE', signal })
  }

  /** Returns a client for the records of one model. @param key the model's name in lower case, as in URLs */
  model<K extends keyof Models & string>(key: K): ModelClient<Models[K]> {
    return new ModelClient(`${this.#api}/models/${encodeURIComponent(key)}`, (request) => this.#send(request), jsonOf)
  }

  /** Returns all views by model key. */
  async views({ signal }: CallOptions = {}): Promise<Readonly<Record<keyof Models & string, readonly View[]>>> {
    const { data } = (await jsonOf(await this.#send({ method: 'GET', path: this.#views, signal }), signal)) as {
      data: Readonly<Record<keyof Models & string, readonly View[]>>
    }
    return data
  }

  /** Returns the views of one model. */
  async viewsOf(key: keyof Models & string, { signal }: CallOptions = {}): Promise<readonly View[]> {
    const path = `${this.#views}/${encodeURIComponent(key)}`
    const { data } = (await jsonOf(await this.#send({ method: 'GET', path, signal }), signal)) as { data: readonly View[] }
    return data
  }

  /**
   * Calls a route that has no method of its own and returns its JSON: `request('/webhooks')`.
   *
   * @param path relative to `apiUrl`, starting with a slash; may contain a query
   */
  async request(path: string, { method = 'GET', query = [], body, headers, signal }: RawRequest = {}): Promise<unknown> {
    const request = { method, path: withQuery(this.#api + path, query), body, headers, signal }
    return jsonOf(await this.#send(request), signal)
  }

  /** Sends a request with the access token. After a 401, renews the token of the same session and sends the request once more. */
  async #send(request: ApiRequest): Promise<Response> {
    const tokens = await this.#session.tokens()
    let response = await this.#transport.send(request, tokens?.access_token)
    if (response.status === 401 && tokens !== undefined) {
      const renewed = await this.#session.renew(tokens)
      if (renewed !== undefined) {
        await discard(response)
        response = await this.#transport.send(request, renewed.access_token)
      }
    }
    if (!response.ok) throw await errorOf(response, request.signal)
    return response
  }
}

/**
 * Creates a client of a project's API. With the types that `admin types` generates, `createClient<All_Models>(…)`, the compiler
 * checks the names of models, fields, filters and forms.
 *
 * @throws {TypeError} if more than one of `token`, `storage` and `session` is given
 */
export const createClient = <Models extends Typed<Models> = AnyModels>(options: ClientOptions): Client<Models> =>
  new Client<Models>(options)

/** Casts a client to one without model types, for code that works with any model. */
export const untyped = <Models extends Typed<Models>>(client: Client<Models>): Client => client as unknown as Client

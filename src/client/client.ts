import { errorOf } from './admin-error.ts'
import { type AnyEndpoints, EndpointClient, type TypedEndpoints } from './endpoint-client.ts'
import { FileClient } from './file-client.ts'
import { dryRunText, ModelClient } from './model-client.ts'
import { historyEntries } from './model-queries.ts'
import { namesText, type QueryEntries, queryText, withQuery } from './query.ts'
import { memoryStorage, Session, type TokenStorage } from './session.ts'
import { Subscription } from './subscription.ts'
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
import type { Batched, BatchOperation, BatchOptions } from './types-batch.ts'
import type { AnyModel, AnyModels, CallOptions, ModelTypes, Page } from './types-calls.ts'
import type {
  AccountLogEntry,
  AccountLogQuery,
  ApiKey,
  ApiKeyRequest,
  HistoryEntry,
  HistoryQuery,
  InvitationWithLink,
  LinkedIdentity,
  LintReport,
  LoginSession,
  Me,
  NewApiKey,
  Site,
  SiteSearchQuery,
  SiteSearchResult,
  SubscribeOptions,
  View,
  ViewOptions,
} from './types-site.ts'

export { AdminError, type AdminErrorType, type FieldErrors, type SecondFactorNeed } from './admin-error.ts'
export type { AnyEndpoints, EndpointPath, EndpointTypes, TypedEndpoints } from './endpoint-client.ts'
export { EndpointClient } from './endpoint-client.ts'
export { FileClient } from './file-client.ts'
export { type Id, ModelClient } from './model-client.ts'
export { memoryStorage, type TokenStorage, type Tokens, webStorage } from './session.ts'
export type { RetryLimits, Wait } from './transport.ts'
export type * from './types-batch.ts'
export type * from './types-calls.ts'
export type * from './types-files.ts'
export type * from './types-site.ts'

/** A request to a route that has no method of its own. */
interface RawRequest extends CallOptions {
  /** Default: `GET`. */
  readonly method?: ApiRequest['method']
  /** Query parameters as pairs of name and value; a name may repeat. */
  readonly query?: QueryEntries
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in the place of `body`; needs a header `Content-Type`. */
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
}

/** The types of models by key, such as `All_Models`, which `admin types` generates. */
export type Typed<Models> = { readonly [K in keyof Models]: ModelTypes }

type Key<Models> = keyof Models & string

type UserOf<Models> = Models extends { readonly user: { readonly record: infer User } } ? User : AnyModel['record']

/**
 * A client of a project's API. Every method throws an `AdminError` when the server rejects the request or cannot be reached.
 *
 * Access tokens are renewed automatically: after a 401, the client refreshes the session and repeats the request once.
 */
export class Client<Models extends Typed<Models> = AnyModels, Endpoints extends TypedEndpoints<Endpoints> = AnyEndpoints> {
  /** Root of the API except the views: `http://127.0.0.1:8000/api/v1`. */
  readonly apiUrl: string
  /** Calls the endpoints of the project. */
  readonly ext: EndpointClient<Endpoints>
  /** Addresses of the files of records. */
  readonly files: FileClient
  readonly #api: string
  readonly #admin: string
  readonly #wait: Wait
  readonly #random: () => number
  readonly #transport: Transport
  readonly #session: Session

  constructor({
    url,
    apiKey,
    token = apiKey,
    storage,
    session,
    api_version = 'v1',
    admin_path = '/admin',
    ...options
  }: ClientOptions) {
    if (token !== undefined && storage !== undefined) {
      throw new TypeError("A client has either 'token' or 'storage'; leave one out, or put the token into the storage")
    }
    if (session !== undefined && (token !== undefined || storage !== undefined)) {
      throw new TypeError("A client with a session in a cookie has neither 'token' nor 'storage'; leave them out")
    }
    const base = url.replace(/\/+$/, '')
    this.#api = `/api/${api_version}`
    this.#admin = `${admin_path}/api/${api_version}`
    this.#wait = options.wait ?? systemWait
    this.#random = options.random ?? Math.random
    this.apiUrl = base + this.#api
    this.#transport = new Transport({
      url: base,
      // `fetch` must be called without a receiver, and is looked up at each call since tools replace the global one.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      retry: { ...DEFAULT_RETRY, ...options.retry },
      wait: this.#wait,
    })
    this.ext = new EndpointClient(`${this.#api}/ext`, (request) => this.#send(request), jsonOf)
    this.files = new FileClient(base, (path, body, signal) => this.request(path, { method: 'POST', body, signal }))
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
   * @param otp a code of the second factor, for an account that has one
   * @throws {AdminError} of type `authentication` for a wrong password, or a disabled or locked account; with `secondFactor` if the
   * password is right, and the code is missing or wrong
   */
  login(username: string, password: string, otp?: string): Promise<void> {
    return this.#session.login(username, password, otp)
  }

  /**
   * Ends a login at a provider, which has led back to a page of this server. For clients with a session in a cookie.
   *
   * @param otp a code of the second factor, for an account that has one
   * @returns the path of the page to go to
   * @throws {AdminError} with `secondFactor` if a code is missing or wrong
   */
  async finishSignIn(otp?: string): Promise<{ readonly to: string }> {
    return (await this.#session.finish(otp)) as { readonly to: string }
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

  /** Returns the logged-in user. */
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

  /** Returns a page of what has happened to the account of the logged-in user, or of others for superusers; the latest first. */
  async accountLog(query: AccountLogQuery = {}, { signal }: CallOptions = {}): Promise<Page<AccountLogEntry>> {
    return (await this.request('/auth/log', { query: Object.entries(query), signal })) as Page<AccountLogEntry>
  }

  /** Invites an address to create an account, for superusers. The link is in the answer only. @param groups ids of groups of the account */
  async invite(email: string, groups: readonly number[] = [], { signal }: CallOptions = {}): Promise<InvitationWithLink> {
    const body = { email, groups }
    return ((await this.request('/auth/invitations', { method: 'POST', body, signal })) as { data: InvitationWithLink }).data
  }

  /** Returns the identities at providers by which the logged-in user logs in. */
  async identities({ signal }: CallOptions = {}): Promise<readonly LinkedIdentity[]> {
    const { data } = (await this.request('/auth/identities', { signal })) as { data: readonly LinkedIdentity[] }
    return data
  }

  /**
   * Begins to link an identity at a provider with the logged-in user, within 10 minutes of a login. Returns the URL that the browser goes to.
   *
   * @throws {AdminError} of type `authentication` after that time: `POST /auth/confirm` renews it
   */
  async linkIdentity(provider: string, { signal }: CallOptions = {}): Promise<string> {
    const { url } = (await this.request(`/auth/identities/${provider}`, { method: 'POST', body: {}, signal })) as { url: string }
    return url
  }

  /**
   * Removes an identity of the logged-in user, within 10 minutes of a login.
   *
   * @throws {AdminError} of type `conflict` for the last way in
   */
  async unlinkIdentity(id: number, { signal }: CallOptions = {}): Promise<void> {
    await this.request(`/auth/identities/${id}`, { method: 'DELETE', signal })
  }

  /** Returns the API keys of the logged-in user, newest first. */
  async keys({ signal }: CallOptions = {}): Promise<readonly ApiKey[]> {
    return ((await this.request('/auth/keys', { signal })) as { data: readonly ApiKey[] }).data
  }

  /**
   * Creates an API key of the logged-in user; needs a login within ten minutes.
   *
   * @returns the key, which no other answer has
   * @throws {AdminError} of type `validation` with `fieldErrors`, such as an unknown scope
   */
  async createKey(key: ApiKeyRequest, { signal }: CallOptions = {}): Promise<NewApiKey> {
    return ((await this.request('/auth/keys', { method: 'POST', body: key, signal })) as { data: NewApiKey }).data
  }

  /** Revokes an API key. @throws {AdminError} of type `not_found` if there is none, or it is another user's */
  async revokeKey(id: number, { signal }: CallOptions = {}): Promise<void> {
    await this.request(`/auth/keys/${id}`, { method: 'DELETE', signal })
  }

  /** Returns a client for the records of one model. @param key the model's name in lower case, as in URLs */
  model<K extends Key<Models>>(key: K): ModelClient<Models[K]> {
    return new ModelClient(this.#api, key, (request) => this.#send(request), jsonOf)
  }

  /**
   * Creates, changes and deletes up to 1,000 records of any models, all or none, in the order of the operations.
   *
   * In relations, `{ $ref: 'order' }` stands for the id of an earlier operation with the `ref` `order`.
   *
   * @throws {AdminError} with the messages of all operations in `fieldErrors`, under `<index>.<field>`
   */
  async batch<const Operations extends readonly BatchOperation<Models>[]>(
    operations: Operations,
    { etags, dryRun, signal }: BatchOptions = {},
  ): Promise<Batched<Models, Operations>> {
    const body = { operations, etags }
    return (await this.request(`/batch${dryRunText(dryRun)}`, { method: 'POST', body, signal })) as Batched<Models, Operations>
  }

  /** Returns the models that the user may access, with their fields, and what the API offers the user. */
  async site({ signal }: CallOptions = {}): Promise<Site<Key<Models>>> {
    return (await this.#get(`${this.#admin}/site`, signal)) as Site<Key<Models>>
  }

  /** Searches the text of all models that the user may view; returns the best hits. @param q the words to search for */
  async search(
    q: string,
    { models, complete, limit }: SiteSearchQuery<Key<Models>> = {},
    { signal }: CallOptions = {},
  ): Promise<SiteSearchResult<Key<Models>>> {
    const entries: QueryEntries = [
      ['q', q],
      ['models', namesText(models)],
      ['complete', complete],
      ['limit', limit],
    ]
    return (await this.#get(`${this.#api}/search${queryText(entries)}`, signal)) as SiteSearchResult<Key<Models>>
  }

  /**
   * Returns a page of the changes of all records, the latest first; for superusers.
   *
   * @throws {AdminError} of type `not_found` if no history is recorded
   */
  async history(query: HistoryQuery = {}, { signal }: CallOptions = {}): Promise<Page<HistoryEntry<Key<Models>>>> {
    const path = `${this.#api}/history${queryText(historyEntries(query))}`
    return (await this.#get(path, signal)) as Page<HistoryEntry<Key<Models>>>
  }

  /**
   * Reports changes of records as they happen, until the signal is aborted.
   *
   * A broken stream is opened again, after 0 to 1 second at first and at most 30 seconds. Each change is reported once and in the order
   * of the commits. When the server no longer knows which changes were missed, `onReset` is called.
   *
   * @returns a promise that resolves when the signal is aborted
   * @throws {AdminError} when the session has ended, the user may not view one of the models, or the server is no admin server
   */
  subscribe({ models, ...options }: SubscribeOptions<Key<Models>>): Promise<void> {
    const path = `${this.#api}/events${queryText([['models', namesText(models)]])}`
    const open = (lastEventId: string | undefined, signal: AbortSignal) => {
      const resume = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
      return this.#send({ method: 'GET', path, headers: { Accept: 'text/event-stream', ...resume }, signal })
    }
    return new Subscription<Key<Models>>({ open, wait: this.#wait, random: this.#random }, options).run()
  }

  /** Returns all views by model key. */
  async views({ generated, signal }: ViewOptions = {}): Promise<Readonly<Record<Key<Models>, readonly View[]>>> {
    const path = `${this.#admin}/views${queryText([['generated', generated]])}`
    const { data } = (await this.#get(path, signal)) as { data: Readonly<Record<Key<Models>, readonly View[]>> }
    return data
  }

  /** Returns the views of one model. */
  async viewsOf(key: Key<Models>, { generated, signal }: ViewOptions = {}): Promise<readonly View[]> {
    const path = `${this.#admin}/views/${encodeURIComponent(key)}${queryText([['generated', generated]])}`
    const { data } = (await this.#get(path, signal)) as { data: readonly View[] }
    return data
  }

  /** Returns the findings in the files of the project, as `admin lint --format json` prints them; for superusers. */
  async lint({ signal }: CallOptions = {}): Promise<LintReport> {
    return (await this.#get(`${this.#admin}/lint`, signal)) as LintReport
  }

  /**
   * Deletes a snapshot of the data; for superusers.
   *
   * @throws {AdminError} of type `not_found` if there is no such snapshot
   */
  async deleteSnapshot(name: string, { signal }: CallOptions = {}): Promise<void> {
    await this.request(`/snapshots/${encodeURIComponent(name)}`, { method: 'DELETE', signal })
  }

  /**
   * Returns the metrics of the server in Prometheus' text format; for superusers.
   *
   * @throws {AdminError} of type `not_found` if the settings turn metrics off
   */
  async metrics({ signal }: CallOptions = {}): Promise<string> {
    return (await this.#send({ method: 'GET', path: '/metrics', signal })).text()
  }

  /**
   * Calls a route that has no method of its own and returns its JSON: `request('/webhooks')`.
   *
   * @param path relative to `apiUrl`, starting with a slash; may contain a query
   */
  async request(path: string, options: RawRequest = {}): Promise<unknown> {
    return jsonOf(await this.fetch(path, options), options.signal)
  }

  /**
   * Calls a route that has no method of its own and returns its response, such as a file or a stream.
   *
   * @param path relative to `apiUrl`, starting with a slash; may contain a query
   */
  fetch(path: string, { method = 'GET', query = [], body, file, headers, signal }: RawRequest = {}): Promise<Response> {
    return this.#send({ method, path: withQuery(this.#api + path, query), body, file, headers, signal })
  }

  async #get(path: string, signal: AbortSignal | undefined): Promise<unknown> {
    return jsonOf(await this.#send({ method: 'GET', path, signal }), signal)
  }

  /**
   * Sends a request with the access token. After a 401, renews the token of the same session and sends the request once more; but not if
   * the server wants a newer login (RFC 9470), which no other token has.
   */
  async #send(request: ApiRequest): Promise<Response> {
    const tokens = await this.#session.tokens()
    let response = await this.#transport.send(request, tokens?.access_token)
    const wantsLogin = response.headers.get('www-authenticate')?.includes('insufficient_user_authentication') ?? false
    if (response.status === 401 && tokens !== undefined && !wantsLogin) {
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
 * checks the names of models, fields, filters and forms; with `createClient<All_Models, All_Endpoints>(…)` also endpoints with their input and output.
 *
 * @throws {TypeError} if more than one of `token`, `storage` and `session` is given
 */
export const createClient = <
  Models extends Typed<Models> = AnyModels,
  Endpoints extends TypedEndpoints<Endpoints> = AnyEndpoints,
>(
  options: ClientOptions,
): Client<Models, Endpoints> => new Client<Models, Endpoints>(options)

/** Casts a client to one without model types, for code that works with any model. */
export const untyped = <Models extends Typed<Models>>(client: Client<Models>): Client => client as unknown as Client

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
  readonly apiKey?: never
  readonly storage?: never
  readonly session?: never
}

interface KeyOptions {
  /** An API key, `adm_…`, in the place of a login. */
  readonly apiKey: string
  readonly token?: never
  readonly storage?: never
  readonly session?: never
}

interface CookieOptions {
  readonly token?: never
  readonly apiKey?: never
  readonly storage?: never
  /**
   * Keeps the refresh token in a cookie that scripts cannot read, and the access token in memory. The session survives a reload of the
   * page and is shared by all tabs. Only for pages that the server itself serves, or that share its origin behind a proxy.
   */
  readonly session: 'cookie'
}

interface StorageOptions {
  readonly token?: never
  readonly apiKey?: never
  readonly session?: never
  /** Stores the tokens of a login. Default: memory. `webStorage(localStorage)` survives a reload of the page. */
  readonly storage?: TokenStorage
}

/**
 * Options of `createClient`: the address of the server, and either an access token, an API key, a storage for the tokens of logins, or a session
 * in a cookie.
 */
export type ClientOptions = CommonOptions & (TokenOptions | KeyOptions | StorageOptions | CookieOptions)

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

interface UsualOptions {
  /** Where the server is, `base_path` included: `http://127.0.0.1:8000`; '' for where the page comes from. */
  readonly url: string
  /** `api_version` of the server's settings. */
  readonly api_version?: string
  /** `admin_path` of the server's settings. */
  readonly admin_path?: string
  /**
   * How often (2) and for how many seconds at most (10) a request that may be sent twice waits when the server puts it off: 429 or
   * 503 with `Retry-After`. Creates are never sent twice.
   */
  readonly retry?: Partial<RetryLimits>
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Instead of waiting by the clock. */
  readonly wait?: Wait
}

interface TokenOptions {
  /** An access token, such as `admin token` prints, in the place of a login. It is not renewed. */
  readonly token?: string
  readonly storage?: never
}

interface StorageOptions {
  readonly token?: never
  /** Keeps the tokens of a login; in memory unless said otherwise. `webStorage(localStorage)` outlasts a reload. */
  readonly storage?: TokenStorage
}

/** Where the API is, and either a token or a place for the tokens of logins. */
export type ClientOptions = UsualOptions & (TokenOptions | StorageOptions)

/** Who is logged in, and what they may do: codenames such as `view_post`. */
export interface Me<User> {
  readonly data: User
  readonly permissions: readonly string[]
}

/** A view as the Views API has it. */
export interface View {
  readonly name: string
  readonly view_type: 'form' | 'list'
  readonly model: string
  readonly fields: readonly Readonly<Record<string, unknown>>[]
  /** Of forms that have such a list. */
  readonly creation_fields?: readonly string[]
  readonly allowed_update_fields?: readonly string[]
}

/** Something of the API that has no method of its own. */
export interface RawRequest extends CallOptions {
  readonly method?: ApiRequest['method']
  /** Name and value pairs, a name as often as is needed. */
  readonly query?: QueryEntries
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Models by their keys, such as `All_Models`. */
export type Typed<Models> = { readonly [K in keyof Models]: ModelTypes }

type UserOf<Models> = Models extends { readonly user: { readonly record: infer User } } ? User : AnyModel['record']

/** The API of a project. Every method throws an `AdminError` for what the server refuses. */
export class Client<Models extends Typed<Models> = AnyModels> {
  /** Where all of the API but the views begins. */
  readonly apiUrl: string
  readonly #api: string
  readonly #views: string
  readonly #transport: Transport
  readonly #session: Session

  constructor({ url, token, storage, api_version = 'v1', admin_path = '/admin', ...options }: ClientOptions) {
    if (token !== undefined && storage !== undefined) {
      throw new TypeError("A client has either 'token' or 'storage'; leave one out, or put the token into the storage")
    }
    const base = url.replace(/\/+$/, '')
    this.#api = `/api/${api_version}`
    this.#views = `${admin_path}/api/${api_version}/views`
    this.apiUrl = base + this.#api
    this.#transport = new Transport({
      url: base,
      // The global one must be called on nothing, and looked up late: tools replace it.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      retry: { ...DEFAULT_RETRY, ...options.retry },
      wait: options.wait ?? systemWait,
    })
    const kept = storage ?? memoryStorage(token === undefined ? undefined : { access_token: token })
    this.#session = new Session(kept, async (action, body) =>
      jsonOf(await this.#transport.send({ method: 'POST', path: `${this.#api}/auth/${action}`, body })),
    )
  }

  /** Begins a session; its tokens are renewed when they run out. */
  login(username: string, password: string): Promise<void> {
    return this.#session.login(username, password)
  }

  /** Ends the session: here in any case, and on the server, unless this throws. */
  logout(): Promise<void> {
    return this.#session.logout()
  }

  /** True while there is a token, good or not. */
  async hasToken(): Promise<boolean> {
    return (await this.#session.tokens()) !== undefined
  }

  /** Who is logged in. The server limits this as it limits logins: ask once, not with every page. */
  async me({ signal }: CallOptions = {}): Promise<Me<UserOf<Models>>> {
    return (await this.request('/auth/me', { signal })) as Me<UserOf<Models>>
  }

  /** @param key the model's name in lower case, as it stands in paths */
  model<K extends keyof Models & string>(key: K): ModelClient<Models[K]> {
    return new ModelClient(`${this.#api}/models/${encodeURIComponent(key)}`, (request) => this.#send(request), jsonOf)
  }

  /** All views, by model. */
  async views({ signal }: CallOptions = {}): Promise<Readonly<Record<keyof Models & string, readonly View[]>>> {
    const { data } = (await jsonOf(await this.#send({ method: 'GET', path: this.#views, signal }), signal)) as {
      data: Readonly<Record<keyof Models & string, readonly View[]>>
    }
    return data
  }

  /** The views of one model. */
  async viewsOf(key: keyof Models & string, { signal }: CallOptions = {}): Promise<readonly View[]> {
    const path = `${this.#views}/${encodeURIComponent(key)}`
    const { data } = (await jsonOf(await this.#send({ method: 'GET', path, signal }), signal)) as { data: readonly View[] }
    return data
  }

  /**
   * Whatever else the API has, as JSON: `request('/webhooks')`.
   *
   * @param path below `apiUrl`, from its slash; may have a query of its own
   */
  async request(path: string, { method = 'GET', query = [], body, headers, signal }: RawRequest = {}): Promise<unknown> {
    const request = { method, path: withQuery(this.#api + path, query), body, headers, signal }
    return jsonOf(await this.#send(request), signal)
  }

  /** Sends a request with the session's token, and again with a new one of the same session when it has run out. */
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
 * A client of a project's API. With the types that `admin types` writes, `createClient<All_Models>(…)`, names of models, fields,
 * filters and forms are checked.
 *
 * @throws {TypeError} for a token and a storage
 */
export const createClient = <Models extends Typed<Models> = AnyModels>(options: ClientOptions): Client<Models> =>
  new Client<Models>(options)

/** The same client, for what works with any models. */
export const untyped = <Models extends Typed<Models>>(client: Client<Models>): Client => client as unknown as Client

import assert from 'node:assert/strict'
import type { TestApp } from '../helpers/api/app.ts'
import { type Reply, type Scenario, send } from '../helpers/api/scenario.ts'
import { ANNA } from './access.ts'

/** The headers of a request that a page of the server itself sends. */
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }

const API = '/api/v1'

/** A browser with one cookie jar, which sends requests as pages of the server do. */
export class Browser {
  readonly #app: TestApp
  readonly #api: string
  /** Further headers of every request, such as those of a proxy. */
  readonly #headers: Readonly<Record<string, string>>
  /** Cookies of the endpoints of authentication, by name. */
  readonly cookies = new Map<string, string>()
  /** Cookies of the addresses of files, by name. */
  readonly fileCookies = new Map<string, string>()

  constructor(app: TestApp, { api = API, headers = {} }: { api?: string; headers?: Readonly<Record<string, string>> } = {}) {
    this.#app = app
    this.#api = api
    this.#headers = headers
  }

  /** Logs in with the refresh token in the cookie, and returns the access token. */
  async login(user: object = ANNA): Promise<string> {
    const reply = await this.post('token', { ...user, refresh: 'cookie' })
    assert.equal(reply.status, 200, reply.text)
    return reply.json.access_token
  }

  refresh = (): Promise<Reply> => this.post('refresh', {})

  logout = (): Promise<Reply> => this.post('logout', {})

  /** Sends a request with the cookies as they are now, and stores those of the response. */
  async post(action: string, body: object, headers: Readonly<Record<string, string>> = SAME_ORIGIN): Promise<Reply> {
    const sent = { ...this.#headers, ...this.cookieHeader, ...headers }
    const reply = await sendAs(this.#app, `POST ${this.#api}/auth/${action}`, sent, JSON.stringify(body))
    this.store(reply)
    return reply
  }

  get cookieHeader(): { readonly cookie: string } {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
  }

  /** The header with the cookies of the addresses of files. */
  get filesHeader(): { readonly cookie: string } {
    return { cookie: [...this.fileCookies].map(([name, value]) => `${name}=${value}`).join('; ') }
  }

  store(reply: Reply): void {
    for (const { name, value, attributes } of cookiesOf(reply)) {
      const cookies = String(attributes.path).endsWith('/files') ? this.fileCookies : this.cookies
      if (attributes['max-age'] === '0') cookies.delete(name)
      else cookies.set(name, value)
    }
  }

  /** The refresh token in the cookie. */
  get token(): string {
    const [token, ...others] = this.cookies.values()
    assert.ok(token !== undefined && others.length === 0, `${this.cookies.size} cookies`)
    return token
  }

  /** Another browser with the same cookies. */
  copy(): Browser {
    const copy = new Browser(this.#app, { api: this.#api, headers: this.#headers })
    for (const [name, value] of this.cookies) copy.cookies.set(name, value)
    return copy
  }
}

/** Sends a request without a token of its own. */
export const sendAs = (
  app: TestApp,
  request: string,
  headers: Readonly<Record<string, string>>,
  rawBody?: string,
): Promise<Reply> =>
  send(app, { request: request as Scenario['request'], as: null, headers, ...(rawBody === undefined ? {} : { rawBody }) })

/** A cookie of a response. Names of attributes are in lower case. */
export interface SentCookie {
  readonly name: string
  readonly value: string
  readonly attributes: Readonly<Record<string, string | true>>
}

/** The cookies that a response sets. */
export function cookiesOf({ headers }: Reply): SentCookie[] {
  return [headers['set-cookie'] ?? []].flat().map((line) => {
    const [pair = '', ...attributes] = String(line).split('; ')
    const [name = '', value = ''] = pair.split('=')
    const named = attributes.map((each): [string, string | true] => {
      const [key = '', of] = each.split('=')
      return [key.toLowerCase(), of ?? true]
    })
    return { name, value, attributes: Object.fromEntries(named) }
  })
}

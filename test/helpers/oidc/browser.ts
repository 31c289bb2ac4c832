import assert from 'node:assert/strict'
import { userNamed } from '../../../src/accounts/users.ts'
import type { SettingsInput } from '../../../src/config/settings.ts'
import { cookiesOf, SAME_ORIGIN, sendAs } from '../../security/cookies.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../api/app.ts'
import type { Reply } from '../api/scenario.ts'
import { type ProviderDouble, startDouble, type Twist } from './double.ts'

type Provider = NonNullable<NonNullable<SettingsInput['accounts']>['providers']>[number]

/** An application whose users log in at a provider. */
export interface OidcApp extends AsyncDisposable {
  readonly app: TestApp
  readonly double: ProviderDouble
}

/** The settings of the provider `double`. */
export const providerOf = ({
  issuer,
  clientId,
  clientSecret,
}: Pick<ProviderDouble, 'issuer' | 'clientId' | 'clientSecret'>): Provider => ({
  ...{ name: 'double', title: 'Double', issuer, client_id: clientId, client_secret: clientSecret },
})

/** @param provider further settings of the provider */
export async function openOidcApp(
  provider: Partial<Provider> = {},
  {
    twist,
    others = [],
    settings = {},
    ...options
  }: TestAppOptions & { readonly twist?: Twist; readonly others?: readonly Provider[] } = {},
): Promise<OidcApp> {
  const double = await startDouble(twist)
  const accounts = { ...settings.accounts, providers: [{ ...providerOf(double), ...provider }, ...others] }
  const app = await openTestApp({ ...options, settings: { ...settings, accounts } })
  return {
    app,
    double,
    async [Symbol.asyncDispose]() {
      await app.close()
      await double[Symbol.asyncDispose]()
    },
  }
}

const AUTH = '/api/v1/auth'
export const ORIGIN = 'http://127.0.0.1:8000'

/** What a browser sends when a user follows a link of another site. */
const NAVIGATION = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** A browser with one cookie jar, which logs in at a provider. */
export class OidcBrowser {
  readonly #app: TestApp
  readonly #headers: Readonly<Record<string, string>>
  /** Cookies by name. */
  readonly jar = new Map<string, { readonly value: string; readonly path: string }>()

  /** @param headers of every request, such as those of a proxy */
  constructor(app: TestApp, headers: Readonly<Record<string, string>> = {}) {
    this.#app = app
    this.#headers = headers
  }

  /** The names of the cookies with a prefix. */
  names(prefix: string): string[] {
    return [...this.jar.keys()].filter((name) => name.startsWith(prefix))
  }

  /** Sends a request with the cookies of its path, and stores those of the response. */
  async send(request: string, headers: Readonly<Record<string, string>> = {}, body?: object): Promise<Reply> {
    const [, path = ''] = request.split(' ')
    const pathname = new URL(path, ORIGIN).pathname
    const fit = [...this.jar].filter(([, cookie]) => pathname === cookie.path || pathname.startsWith(`${cookie.path}/`))
    const cookie = fit.map(([name, { value }]) => `${name}=${value}`).join('; ')
    const sent = { ...this.#headers, ...(cookie === '' ? {} : { cookie }), ...headers }
    const reply = await sendAs(this.#app, request, sent, body && JSON.stringify(body))
    for (const { name, value, attributes } of cookiesOf(reply)) {
      if (attributes['max-age'] === '0') this.jar.delete(name)
      else this.jar.set(name, { value, path: String(attributes.path) })
    }
    return reply
  }

  /** Follows the link to the provider. Returns where it leads. */
  async begin(to?: string): Promise<string> {
    const reply = await this.send(`GET ${AUTH}/oidc/double${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`)
    assert.equal(reply.status, 302, reply.text)
    return String(reply.headers.location)
  }

  /** Comes back from the provider. Returns where the server leads. */
  async comeBack(url: string): Promise<string> {
    assert.ok(url.startsWith(`${ORIGIN}/`), url)
    const reply = await this.send(`GET ${url.slice(ORIGIN.length)}`, NAVIGATION)
    assert.equal(reply.status, 302, reply.text)
    assert.equal(reply.text, '')
    return String(reply.headers.location)
  }

  /** What the page posts. */
  finish(body: object = {}, headers: Readonly<Record<string, string>> = SAME_ORIGIN): Promise<Reply> {
    return this.send(`POST ${AUTH}/oidc/finish`, headers, { refresh: 'cookie', ...body })
  }

  /** Logs in at a provider, up to the page. */
  async visit(double: ProviderDouble, claims: Readonly<Record<string, unknown>> = {}, to?: string): Promise<string> {
    return this.comeBack(double.authorize(await this.begin(to), claims))
  }

  /** Logs in at a provider. */
  async logIn(double: ProviderDouble, claims: Readonly<Record<string, unknown>> = {}, to?: string): Promise<Reply> {
    assert.equal(await this.visit(double, claims, to), `${ORIGIN}/admin/sign-in#oidc`)
    return this.finish()
  }

  /** Another browser with the same cookies. */
  copy(app: TestApp = this.#app): OidcBrowser {
    const copy = new OidcBrowser(app, this.#headers)
    for (const [name, cookie] of this.jar) copy.jar.set(name, cookie)
    return copy
  }
}

/** Links an identity with the account of a user of the fixture `blog`. */
export async function linkIdentity(
  { app, double }: OidcApp,
  username: string,
  claims: Readonly<Record<string, unknown>>,
): Promise<void> {
  const user = await userNamed(app.app.store, username)
  const now = '2026-01-15T12:00:00.000Z'
  const values = {
    user_id: user?.id ?? 0,
    issuer: double.issuer,
    subject: String(claims.sub),
    email: null,
    created_at: now,
    updated_at: now,
  }
  const { ok } = await app.app.records.commitInternal([{ kind: 'insert', table: 'authidentity', values }])
  assert.ok(ok)
}

/** Lets a user have proved to own the address of their account. */
export async function verifyAddress({ app }: TestApp, username: string): Promise<void> {
  const user = await userNamed(app.store, username)
  assert.ok(user !== undefined)
  await app.accountLinks.verified.add(user)
}

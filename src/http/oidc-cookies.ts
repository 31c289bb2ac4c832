import type { Request } from '@hapi/hapi'
import { type BegunFlow, FLOW_MS, IDENTITY_MS } from '../accounts/oidc/single-sign-on.ts'
import type { Settings } from '../config/settings.ts'
import { apiRoots } from './paths.ts'
import { cookiesIn, portOf, sendCookie } from './token-cookie.ts'

/** Maximum number of flows in a browser: what it sends must fit into the headers of a request. */
const MAX_FLOWS = 5

/**
 * The cookies of single sign-on. That of a flow is named by its state, so that tabs do not disturb each other, and comes back from the provider
 * (`SameSite=Lax`). That of a proven identity is for the page of this server only.
 */
export class OidcCookies {
  readonly #settings: Settings
  readonly #path: string

  constructor(settings: Settings) {
    this.#settings = settings
    this.#path = `${apiRoots(settings).auth}/oidc`
  }

  /** The sealed flow of a state; undefined without one, and if several cookies have the name. */
  flow(request: Request, state: string): string | undefined {
    return this.#read(request, this.#flowPrefix(request) + state)
  }

  /**
   * Keeps a flow. Of too many, the oldest are dropped.
   *
   * @param beginningOf when a flow began; undefined for one that is over
   */
  keepFlow(
    request: Request,
    { state, sealed }: BegunFlow,
    beginningOf: (state: string, sealed: string) => number | undefined,
  ): void {
    const prefix = this.#flowPrefix(request)
    const kept = cookiesIn(request)
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ name, value }) => ({ name, at: beginningOf(name.slice(prefix.length), value) ?? Number.NEGATIVE_INFINITY }))
      .sort((a, b) => b.at - a.at)
    for (const [index, { name, at }] of kept.entries()) {
      if (index >= MAX_FLOWS - 1 || at === Number.NEGATIVE_INFINITY) this.#send(request, name, '', 0)
    }
    this.#send(request, prefix + state, sealed, FLOW_MS)
  }

  /** Removes a flow, which is used once. */
  dropFlow(request: Request, state: string): void {
    this.#send(request, this.#flowPrefix(request) + state, '', 0)
  }

  /** The sealed identity. */
  identity(request: Request): string | undefined {
    return this.#read(request, this.#identityName(request))
  }

  keepIdentity(request: Request, sealed: string): void {
    this.#send(request, this.#identityName(request), sealed, IDENTITY_MS, 'Strict')
  }

  dropIdentity(request: Request): void {
    this.#send(request, this.#identityName(request), '', 0, 'Strict')
  }

  #read(request: Request, wanted: string): string | undefined {
    const [value, ...others] = cookiesIn(request).flatMap((cookie) => (cookie.name === wanted ? [cookie.value] : []))
    return others.length === 0 ? value : undefined
  }

  #send(request: Request, name: string, value: string, milliseconds: number, sameSite: 'Strict' | 'Lax' = 'Lax'): void {
    const maxAge = milliseconds / 1000
    sendCookie(request, this.#settings, { name, value, maxAge, path: this.#path, sameSite })
  }

  #flowPrefix(request: Request): string {
    return `admin_oidc_${portOf(request, this.#settings.port)}_`
  }

  #identityName(request: Request): string {
    return `admin_identity_${portOf(request, this.#settings.port)}`
  }
}

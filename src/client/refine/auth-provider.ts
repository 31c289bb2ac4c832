import type { AuthProvider } from '@refinedev/core'
import { type Client, type Typed, untyped } from '../client.ts'
import { Identity, nameOf } from '../identity.ts'
import { forRefine, HttpError } from './http-error.ts'

export interface AuthProviderOptions {
  /** Where people go when they have logged in. */
  readonly home?: string
  /** Where they log in. */
  readonly login?: string
}

/**
 * An auth provider of refine: logs in and out, and renews the session by itself. `getPermissions` gives codenames such as
 * `view_post`. Being refused something (403) logs nobody out.
 */
export function authProvider<Models extends Typed<Models>>(
  client: Client<Models>,
  { home = '/', login = '/login' }: AuthProviderOptions = {},
): Required<Pick<AuthProvider, 'login' | 'logout' | 'check' | 'onError' | 'getIdentity' | 'getPermissions'>> {
  const identity = new Identity(untyped(client))
  return {
    async login({ username, password }: { username: string; password: string }) {
      try {
        await forRefine(() => identity.changing(() => client.login(username, password)))
        return { success: true, redirectTo: home }
      } catch (error) {
        return { success: false, error: error as Error }
      }
    },

    async logout() {
      // The tokens are gone in any case; a session that the server cannot be told of ends by itself.
      await identity.changing(() => client.logout().catch(() => {}))
      return { success: true, redirectTo: login }
    },

    check: async () => ((await client.hasToken()) ? { authenticated: true } : { authenticated: false, redirectTo: login }),

    async onError(error: unknown) {
      if (!(error instanceof HttpError) || error.statusCode !== 401) return {}
      identity.forget()
      return { logout: true, redirectTo: login, error }
    },

    getIdentity: () =>
      forRefine(async () => {
        const { data } = await identity.me()
        return { ...data, name: nameOf(data) }
      }),

    getPermissions: () => forRefine(async () => (await identity.me()).permissions),
  }
}

import type { AuthProvider } from '@refinedev/core'
import { type Client, type Typed, untyped } from './client.ts'
import { displayNameOf, Identity } from './providers.ts'
import { forRefine, HttpError } from './refine-data.ts'

// The package `admin-folder/refine`.
export { type DataProviderOptions, dataProvider, HttpError } from './refine-data.ts'

/** Options of `authProvider`. */
export interface AuthProviderOptions {
  /** Path to redirect to after a login. Default: `/`. */
  readonly home?: string
  /** Path of the login page. Default: `/login`. */
  readonly login?: string
}

/**
 * Creates an auth provider for refine: login, logout, identity and permissions. The client renews the session automatically.
 *
 * `getPermissions` returns codenames such as `view_post`. A 401 logs the user out; a 403 does not.
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
      // The stored tokens are removed even if the request fails; the session on the server then expires.
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
        const me = await identity.me()
        return me === undefined ? null : { ...me.data, name: displayNameOf(me.data) }
      }),

    getPermissions: () => forRefine(async () => (await identity.me())?.permissions ?? null),
  }
}

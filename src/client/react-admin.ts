import type { AuthProvider } from 'ra-core'
import { AdminError } from './admin-error.ts'
import { type Client, type Typed, untyped } from './client.ts'
import { displayNameOf, Identity } from './providers.ts'
import { forReactAdmin, HttpError } from './react-admin-data.ts'

// The package `admin-folder/react-admin`.
export { type DataProviderOptions, dataProvider, HttpError, type ProviderMeta } from './react-admin-data.ts'

/** The error whose message react-admin translates. */
const notLoggedIn = (): HttpError =>
  new HttpError(new AdminError('ra.auth.auth_check_error', { type: 'authentication', status: 401 }))

/** The permission that an action of react-admin needs. */
const ACTIONS: Readonly<Record<string, string>> = {
  list: 'view',
  show: 'view',
  export: 'view',
  create: 'add',
  clone: 'add',
  edit: 'change',
  delete: 'delete',
}

/**
 * Creates an auth provider for react-admin: login, logout, identity and permissions. The client renews the session automatically.
 *
 * Permissions are codenames such as `view_post`. `canAccess` checks them, so that react-admin hides what the user may not do. A 401
 * logs the user out; a 403 does not.
 */
export function authProvider<Models extends Typed<Models>>(client: Client<Models>): AuthProvider {
  const identity = new Identity(untyped(client))
  return {
    login: ({ username, password }: { username: string; password: string }) =>
      forReactAdmin(() => identity.changing(() => client.login(username, password))),

    async logout() {
      // The stored tokens are removed even if the request fails; the session on the server then expires.
      await identity.changing(() => client.logout().catch(() => {}))
    },

    async checkAuth() {
      if (!(await client.hasToken())) throw notLoggedIn()
    },

    async checkError(error: unknown) {
      if (!(error instanceof HttpError) || error.status !== 401) return
      identity.forget()
      throw error
    },

    getIdentity: () =>
      forReactAdmin(async () => {
        const me = await identity.me()
        if (me === undefined) throw notLoggedIn()
        return { ...me.data, fullName: displayNameOf(me.data) }
      }),

    getPermissions: () => forReactAdmin(async () => (await identity.me())?.permissions ?? []),

    canAccess: ({ resource, action }) =>
      forReactAdmin(async () => {
        const verb = ACTIONS[action]
        // Unknown actions are those of the application; the server checks permissions anyway.
        return verb === undefined || (await identity.me())?.permissions.includes(`${verb}_${resource}`) === true
      }),
  }
}

import type { AuthProvider } from 'ra-core'
import { type Client, type Typed, untyped } from '../client.ts'
import { Identity, nameOf } from '../identity.ts'
import { forReactAdmin, HttpError } from './http-error.ts'

/** Which permission an action of react-admin asks for. */
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
 * An auth provider of react-admin: logs in and out, and renews the session by itself. Permissions are codenames such as `view_post`;
 * `canAccess` asks them, so that people are not shown what they may not do. Being refused something (403) logs nobody out.
 */
export function authProvider<Models extends Typed<Models>>(client: Client<Models>): AuthProvider {
  const identity = new Identity(untyped(client))
  return {
    login: ({ username, password }: { username: string; password: string }) =>
      forReactAdmin(() => identity.changing(() => client.login(username, password))),

    async logout() {
      // The tokens are gone in any case; a session that the server cannot be told of ends by itself.
      await identity.changing(() => client.logout().catch(() => {}))
    },

    async checkAuth() {
      if (!(await client.hasToken())) throw new Error('ra.auth.auth_check_error')
    },

    async checkError(error: unknown) {
      if (!(error instanceof HttpError) || error.status !== 401) return
      identity.forget()
      throw error
    },

    getIdentity: () =>
      forReactAdmin(async () => {
        const { data } = await identity.me()
        return { ...data, fullName: nameOf(data) }
      }),

    getPermissions: () => forReactAdmin(async () => (await identity.me()).permissions),

    canAccess: ({ resource, action }) =>
      forReactAdmin(async () => {
        const verb = ACTIONS[action]
        // What react-admin does not know is the application's own, and the server's to refuse.
        return verb === undefined || (await identity.me()).permissions.includes(`${verb}_${resource}`)
      }),
  }
}

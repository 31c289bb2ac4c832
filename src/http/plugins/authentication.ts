import type { Plugin } from '@hapi/hapi'
import type { Actor } from '../../auth/permissions.ts'
import { type Logins, unauthenticated } from '../../service/logins.ts'

declare module '@hapi/hapi' {
  interface AppCredentials {
    actor: Actor
  }
}

/** The strategy `bearer` (RFC 6750): `Authorization: Bearer <access token>`. */
export const bearerAuthentication: Plugin<{ readonly logins: Logins }> = {
  name: 'bearer-authentication',
  register(server, { logins }) {
    server.auth.scheme('bearer', () => ({
      async authenticate(request, h) {
        const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(String(request.headers.authorization ?? ''))?.[1]
        if (token === undefined) throw unauthenticated()
        return h.authenticated({ credentials: { app: { actor: await logins.authenticate(token) } } })
      },
    }))
    server.auth.strategy('bearer', 'bearer')
  },
}

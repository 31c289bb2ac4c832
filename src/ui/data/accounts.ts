import { queryOptions } from '@tanstack/react-query'
import type { LoginSession } from '../../client/client.ts'
import type { PageSession } from '../session/page-session.ts'

/** The query of the sessions of the user who is logged in. */
export const ownSessionsQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['sessions', 'own'],
    queryFn: ({ signal }) => session.read(signal, (client) => client.sessions({ signal })),
  })

/** The query of the sessions of another user; for superusers. */
export const userSessionsQuery = (session: PageSession, userId: number) =>
  queryOptions({
    queryKey: ['sessions', userId],
    queryFn: async ({ signal }) => {
      const query = [['user_id', userId] as const]
      const page = await session.read(signal, (client) => client.request('/auth/sessions', { query, signal }))
      return (page as { data: readonly LoginSession[] }).data
    },
  })

/** A right that groups and users may have. */
export interface Permission {
  readonly id: number
  readonly codename: string
}

/** The query of all permissions. */
export const permissionsQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['records', 'permission', 'all'],
    queryFn: ({ signal }) =>
      session.read(signal, async (client) => {
        const found: Permission[] = []
        for await (const each of client.model('permission').all({ fields: ['codename'] }, { signal })) {
          found.push({ id: each.id, codename: String(each.codename) })
        }
        return found
      }),
  })

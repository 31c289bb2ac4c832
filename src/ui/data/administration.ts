import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query'
import type { FileFormat, HistoryEntry, LoginSession } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'
import { idsOf } from './related.ts'

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

/** A group with the permissions that it gives to its users. */
interface GivingGroup {
  readonly id: number
  readonly name: string
  readonly permissions: readonly number[]
}

/** The query of some groups with their permissions. Those of a former choice stay until the new ones are there. */
export const groupPermissionsQuery = (session: PageSession, ids: readonly number[]) =>
  queryOptions({
    queryKey: ['records', 'group', 'permissions', ids],
    queryFn:
      ids.length === 0
        ? skipToken
        : ({ signal }) =>
            session.read(signal, async (client) => {
              const found: GivingGroup[] = []
              const query = { filters: { id__in: ids }, fields: ['name', 'permissions'] }
              for await (const { id, name, permissions } of client.model('group').all(query, { signal })) {
                found.push({ id, name: String(name), permissions: idsOf(permissions) })
              }
              return found
            }),
    placeholderData: keepPreviousData,
  })

/** Selects entries of the history of all records. */
interface HistoryPlan {
  readonly model?: string | undefined
  readonly action?: string | undefined
  readonly via?: string | undefined
  /** A part of the name of the user. */
  readonly user?: string | undefined
  readonly page: number
  readonly page_size: number
}

/** The filters of the API for a plan. */
export function historyFilters({ model, action, via, user }: Omit<HistoryPlan, 'page' | 'page_size'>): readonly string[] {
  const wanted = { model, action, via, username__icontains: user }
  return Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
}

/** The query of a page of changes of all records, the latest first; for superusers. */
export const historyQuery = (session: PageSession, { page, page_size, ...plan }: HistoryPlan) => {
  const filters = historyFilters(plan)
  return queryOptions({
    queryKey: ['history', filters, page, page_size],
    queryFn: ({ signal }) => session.read(signal, (client) => client.history({ filters, page, page_size }, { signal })),
    placeholderData: keepPreviousData,
  })
}

/** The entries by request, the latest request first; those of a request in their order, so that what caused others comes first. */
export function requestsIn(entries: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const requests: HistoryEntry[][] = []
  for (const entry of entries) {
    const last = requests.at(-1)
    const [other] = last ?? []
    const isSame = entry.request_id !== null && other?.request_id === entry.request_id && other.at === entry.at
    if (last !== undefined && isSame) last.unshift(entry)
    else requests.push([entry])
  }
  return requests
}

/** A saved copy of all data. */
interface Snapshot {
  readonly name: string
  readonly bytes: number
  readonly saved_at: string
}

/** The query of the snapshots. */
export const snapshotsQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['snapshots'],
    queryFn: async ({ signal }) => {
      const { data } = (await session.read(signal, (client) => client.request('/snapshots', { signal }))) as {
        data: readonly Snapshot[]
      }
      return data
    },
  })

/** The query of the findings in the files of the project. */
export const lintQuery = (session: PageSession) =>
  queryOptions({ queryKey: ['lint'], queryFn: ({ signal }) => session.read(signal, (client) => client.lint({ signal })) })

/** The result of a reset, or of its dry run. */
export interface ResetResult {
  /** Number of records by model. */
  readonly removed: Readonly<Record<string, number>>
  readonly webhooks: number
  readonly history: number
  readonly seeded: number
}

/** The formats of exports and imports, by the names that users know. */
export const FILE_FORMATS: readonly { readonly value: FileFormat; readonly label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'ndjson', label: 'NDJSON' },
]

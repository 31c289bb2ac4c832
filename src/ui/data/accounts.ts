import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AccountLogEntry, ApiKey, Client, Page } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'

/** The query of the account of the user. */
export const ownAccountQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['account'],
    queryFn: ({ signal }) => session.read(signal, (client) => client.me({ signal })),
  })

/** What a user has set up beside the password. */
interface Factors {
  readonly data: readonly {
    readonly id: number
    readonly kind: 'totp'
    readonly created_at: string
    readonly last_used_at: string | null
  }[]
  readonly recovery_codes_left: number
  /** The setting of the project. */
  readonly two_factor: 'optional' | 'required' | 'superusers' | 'off'
}

/** A factor that becomes one with its first code. */
export interface PendingFactor {
  readonly id: number
  /** In Base32, as apps take it. */
  readonly secret: string
  /** What the QR code says. */
  readonly uri: string
}

/** An open invitation. */
export interface InvitationRow {
  readonly id: number
  readonly email: string
  readonly created_at: string
  readonly expires_at: string
}

/** A new invitation. */
export interface SentInvitation {
  readonly email: string
  readonly link: string
  readonly expires_at: string
  readonly mailed: boolean
}

type Read = <T>(path: string, query?: readonly (readonly [string, string | number])[]) => Promise<T>

/** Reads a route of `/auth`. */
const reading =
  (session: PageSession, signal: AbortSignal): Read =>
  <T>(path: string, query: Parameters<Read>[1] = []) =>
    session.read(signal, (client: Client) => client.request(`/auth/${path}`, { query, signal })) as Promise<T>

/** Selects what belongs to another user; undefined for the own. */
type UserId = number | undefined

const ofUser = (id: UserId) => (id === undefined ? [] : [['user_id', id] as const])

/** The query of the keys of the user, or of another one; for superusers. */
export const keysQuery = (session: PageSession, userId?: UserId) =>
  queryOptions({
    queryKey: ['keys', userId ?? 'own'],
    queryFn: async ({ signal }) => (await reading(session, signal)<{ data: readonly ApiKey[] }>('keys', ofUser(userId))).data,
  })

/** The query of the second factor of the user, or of another one; for superusers. */
export const factorsQuery = (session: PageSession, userId?: UserId) =>
  queryOptions({
    queryKey: ['factors', userId ?? 'own'],
    queryFn: ({ signal }) => reading(session, signal)<Factors>('factors', ofUser(userId)),
  })

/** The query of the identities of the user. */
export const identitiesQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['identities'],
    queryFn: ({ signal }) => session.read(signal, (client) => client.identities({ signal })),
  })

/** The query of a page of the log of the user, or of another one; for superusers. */
export const accountLogQuery = (session: PageSession, page: number, userId?: UserId) =>
  queryOptions({
    queryKey: ['account-log', userId ?? 'own', page],
    queryFn: ({ signal }) =>
      reading(session, signal)<Page<AccountLogEntry>>('log', [...ofUser(userId), ['page', page], ['page_size', 20]]),
    placeholderData: keepPreviousData,
  })

/** The query of the open invitations; for superusers. */
export const invitationsQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['invitations'],
    queryFn: async ({ signal }) => (await reading(session, signal)<{ data: readonly InvitationRow[] }>('invitations')).data,
  })

/** The query of all groups by name. */
export const groupNamesQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['records', 'group', 'names'],
    queryFn: ({ signal }) =>
      session.read(signal, async (client) => {
        const found: { readonly id: number; readonly name: string }[] = []
        for await (const { id, name } of client.model('group').all({ fields: ['name'] }, { signal })) {
          found.push({ id, name: String(name) })
        }
        return found.toSorted((one, other) => one.name.localeCompare(other.name))
      }),
  })

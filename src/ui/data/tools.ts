import { queryOptions } from '@tanstack/react-query'
import type { PageSession } from '../session/page-session.ts'

/** A saved copy of all data. */
export interface Snapshot {
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

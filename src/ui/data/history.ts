import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { PageSession } from '../session/page-session.ts'

/** Selects entries of the history of all records. */
export interface HistoryPlan {
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

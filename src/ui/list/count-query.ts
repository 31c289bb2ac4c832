import { queryOptions } from '@tanstack/react-query'
import type { PageSession } from '../session/page-session.ts'
import type { Matches } from './selection/selection.ts'

/** The query of the number of records that match now. */
export const countQuery = (session: PageSession, model: string, { q, filters, any }: Matches) =>
  queryOptions({
    queryKey: ['records', model, 'count', q, filters, any],
    queryFn: async ({ signal }) => {
      const query = { page_size: 1, filters, any }
      const { total } = await session.read(signal, async (client) => {
        const records = client.model(model)
        return q === '' ? records.list({ ...query, fields: ['id'] }, { signal }) : records.search(q, query, { signal })
      })
      return total
    },
    staleTime: 0,
  })

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { PageSession } from '../session/page-session.ts'

/** Hits that the palette shows. */
const MAX_HITS = 12

/** The query of a search over all models that the user may view. An empty text finds nothing and asks nothing. */
export const siteSearchQuery = (session: PageSession, text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) => session.read(signal, (client) => client.search(text, { limit: MAX_HITS }, { signal })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })

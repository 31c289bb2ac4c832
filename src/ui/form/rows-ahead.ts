import type { QueryClient } from '@tanstack/react-query'
import type { RelatedRows, Site } from '../../client/client.ts'
import type { PageSession } from '../data/page-session.ts'
import { relationOf, rowsQuery } from '../data/row-query.ts'
import { may, modelOf } from '../data/site.ts'
import { viewsQuery } from '../data/views.ts'

interface Ahead {
  readonly session: PageSession
  readonly queries: QueryClient
  readonly site: Site
}

/** Asks for the rows of a record, and for what their tables need, while the record itself is read. */
export function readRowsAhead({ session, queries, site }: Ahead, related: readonly RelatedRows[], id: number): void {
  for (const view of related) {
    const model = modelOf(site, relationOf(view).key)
    if (model === undefined || !may(model, 'view')) continue
    void queries.prefetchQuery(viewsQuery(session, model.key))
    void queries.prefetchQuery(rowsQuery(session, site, model, view, id))
  }
  // The tables are shown as soon as the record is there.
  void import('./related-table.tsx')
}

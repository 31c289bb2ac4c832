import type { QueryClient } from '@tanstack/react-query'
import type { PageSession } from '../data/page-session.ts'
import { listQuery } from '../data/records.ts'
import { defaultView, openedSearch } from '../data/saved-views.ts'
import { may, modelOf, siteQuery } from '../data/site.ts'
import { type ModelViews, sortedViews, viewsQuery } from '../data/views.ts'
import { preferences } from '../preferences.ts'
import type { SearchParams } from '../search-params.ts'
import { allColumns, shownColumns } from './columns.ts'
import { hasView, listPlan, readListState, viewOf } from './list-state.ts'

/** What a page of a model is about to show. */
export interface Ahead {
  readonly session: PageSession
  readonly queries: QueryClient
  /** Key of the model. */
  readonly model: string
  /** The query of the address of a list; undefined for other pages of the model. */
  readonly list?: SearchParams | undefined
}

/**
 * Asks for the site, the views of a model and the records of its list, each as soon as its predecessor names it: beside the code of the
 * page, and before the page renders. Never fails: the page itself meets the same failure, and shows it.
 */
export async function readAhead(ahead: Ahead): Promise<void> {
  const { session, queries, model: key, list } = ahead
  try {
    await session.start()
    if (session.state() !== 'logged-in') return
    const site = await queries.ensureQueryData(siteQuery(session))
    const model = modelOf(site, key)
    if (model === undefined) return
    const views: ModelViews = sortedViews(await queries.ensureQueryData(viewsQuery(session, key)))
    if (list === undefined || !may(model, 'view')) return
    const state = readListState(openedSearch(list, defaultView(site, key)))
    const view = viewOf(views.lists, state)
    if (view === undefined) return
    const chosen = state.columns ?? (hasView(state) ? undefined : preferences.get('columns')?.[`${key}/${view.name}`])
    const plan = listPlan({ site, model, view }, state, shownColumns(allColumns(model, view, views.forms), chosen))
    await queries.prefetchQuery(listQuery(session, key, plan))
  } catch {
    // The query keeps its error.
  }
}

import type { Site, SiteModel } from '../../client/client.ts'
import type { ListPlan } from '../data/records.ts'
import type { ListView } from '../data/views.ts'
import { apiSort, type ListColumn, requestedFields, requestedIncludes, viewSort } from './columns.ts'
import { apiFilters } from './filter-text.ts'
import type { ListState } from './list-state.ts'

const PAGE_SIZE = 25

/** Where a list stands: the site, the model, and one of its list views. */
export interface ListPlace {
  readonly site: Site
  readonly model: SiteModel
  readonly view: ListView
}

/** The records to request for a list that shows these columns in this state. */
export function listPlan({ site, model, view }: ListPlace, state: ListState, columns: readonly ListColumn[]): ListPlan {
  return {
    q: model.searchable ? state.q : '',
    page: state.page,
    page_size: state.pageSize ?? view.page_size ?? PAGE_SIZE,
    sort: apiSort(site, model, sortOf(state, view)),
    ...apiFilters(site, model, state.filters),
    fields: requestedFields(columns, model),
    include: requestedIncludes(site, columns),
  }
}

/** The sort keys of a list by column: the chosen ones, otherwise those of the view; a search has an order of its own. */
export const sortOf = (state: ListState, view: ListView): readonly string[] =>
  state.sort ?? (state.q === '' ? viewSort(view) : [])

/** The list view that a state names, otherwise the first. */
export const viewOf = (lists: readonly ListView[], state: ListState): ListView | undefined =>
  lists.find(({ name }) => name === state.list) ?? lists[0]

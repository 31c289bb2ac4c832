import type { SavedView, Site, SiteModel } from '../../client/client.ts'
import type { ListView } from '../data/views.ts'
import { parseSearch, stringifySearch } from '../search-params.ts'
import { columnSort, type ListColumn } from './columns.ts'
import { isUsable, parseFilter } from './filter-text.ts'
import { type ListState, listSearch, readListState } from './list-state.ts'
import type { Look, LookState } from './use-look.ts'

/** The query by which a saved view keeps what a list shows: that of its address, without the view, the page, and the month or week. */
export const savedQuery = (state: ListState): string =>
  stringifySearch(listSearch({ ...state, view: undefined, page: 1, at: undefined })).replace(/^\?/, '')

/** A query in which the order of the filters, and what lists ignore, do not matter. */
function comparedQuery(query: string): string {
  const state = readListState(parseSearch(query))
  return savedQuery({ ...state, filters: state.filters.toSorted() })
}

/** A look as text in which the order of the members, and defaults, do not matter. */
function comparedLook({ widths = {}, pinned, totals = [], density }: Look): string {
  const byName = Object.entries(widths).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([byName, pinned, totals, density === 'compact'])
}

/** True if a list differs from the saved view that was opened. */
export const isChanged = ({ query }: SavedView, state: ListState, { look, saved }: Pick<LookState, 'look' | 'saved'>): boolean =>
  comparedQuery(query ?? '') !== comparedQuery(savedQuery(state)) || comparedLook(look) !== comparedLook(saved)

interface ViewPlace {
  readonly site: Site
  readonly model: SiteModel
  readonly view: ListView
  /** All columns that the list can have. */
  readonly all: readonly ListColumn[]
}

/** What a list cannot show of a state, since a field or list view is gone, or the user may not see it. */
interface ViewFaults {
  /** Names of fields and list views, each once. */
  readonly names: readonly string[]
  /** The state without them. */
  readonly rest: ListState
}

/** Finds what a list cannot show of a state. */
export function viewFaults({ site, model, view, all }: ViewPlace, state: ListState): ViewFaults {
  const { list, filters, sort = [], columns = [] } = state
  const isColumn = (name: string) => all.some((column) => column.name === name)
  const isSortable = (key: string) => columnSort(site, model, [key]).length > 0
  const isKept = (filter: string) => isUsable(site, model, filter)
  const names = [
    ...(list === undefined || list === view.name ? [] : [list]),
    ...filters.filter((filter) => !isKept(filter)).map((filter) => parseFilter(filter)?.path ?? filter),
    ...sort.filter((key) => !isSortable(key)).map((key) => key.replace(/^-/, '')),
    ...columns.filter((name) => !isColumn(name)),
  ]
  const some = (kept: readonly string[]) => (kept.length > 0 ? kept : undefined)
  const rest = {
    ...state,
    list: list === view.name ? list : undefined,
    filters: filters.filter(isKept),
    sort: some(sort.filter(isSortable)),
    columns: some(columns.filter(isColumn)),
  }
  return { names: [...new Set(names)], rest }
}

import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { SavedView, Site, SiteModel } from '../../client/client.ts'
import { conditionFields, offeredActions } from '../data/model-actions.ts'
import type { ListPlan } from '../data/records.ts'
import { requestedIncludes } from '../data/related.ts'
import { defaultView, NO_VIEW, openedSearch } from '../data/saved-views.ts'
import { useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { firstOf, type SearchParams, valuesOf } from '../search-params.ts'
import { apiSort, columnSort, type ListColumn, requestedFields, viewSort } from './columns.ts'
import { apiFilters } from './filter-text.ts'

/** What a list shows, as its address says. Members that are absent follow the list view. */
export interface ListState {
  /** Id of the saved view that was opened, from which the list may differ; `none` for none where one would open by default. */
  readonly view: string | undefined
  /** Name of the list view. */
  readonly list: string | undefined
  /** Words to search for; empty without a search. */
  readonly q: string
  readonly page: number
  readonly pageSize: number | undefined
  /** Sort keys such as `-published_at`, by column. */
  readonly sort: readonly string[] | undefined
  readonly filters: readonly string[]
  /** Columns in order. */
  readonly columns: readonly string[] | undefined
  /** `table`, or a layout of the list view. */
  readonly layout?: string | undefined
  /** What a calendar shows, such as `week.2026-07-02`. */
  readonly at?: string | undefined
}

/** Page sizes to choose from. */
export const PAGE_SIZES: readonly number[] = [10, 25, 50, 100]

const MAX_PAGE_SIZE = 100

/** Reads the query of an address. Numbers that the API would reject are ignored. */
export function readListState(search: SearchParams): ListState {
  const pageSize = positive(firstOf(search, 'page_size'))
  return {
    view: firstOf(search, 'view'),
    list: firstOf(search, 'list'),
    q: (firstOf(search, 'q') ?? '').trim(),
    page: positive(firstOf(search, 'page')) ?? 1,
    pageSize: pageSize === undefined ? undefined : Math.min(pageSize, MAX_PAGE_SIZE),
    sort: names(firstOf(search, 'sort')),
    filters: valuesOf(search, 'filter'),
    columns: names(firstOf(search, 'columns')),
    layout: firstOf(search, 'layout'),
    at: firstOf(search, 'at'),
  }
}

/** Writes the query of an address; defaults are left out. */
export function listSearch({ view, list, q, page, pageSize, sort, filters, columns, layout, at }: ListState): SearchParams {
  return {
    view,
    list,
    layout,
    at,
    q: q === '' ? undefined : q,
    filter: filters.length > 0 ? filters : undefined,
    sort: sort?.join(','),
    columns: columns?.join(','),
    page_size: pageSize === undefined ? undefined : String(pageSize),
    page: page === 1 ? undefined : String(page),
  }
}

/** Changes a state. Another selection or order starts at the first page. */
export const changedState = (state: ListState, change: Partial<ListState>): ListState => ({ ...state, page: 1, ...change })

/**
 * The sort keys after a column was chosen: ascending, descending, then not sorted by it. Undefined for the order of the list view.
 *
 * @param isAdded true if the other keys stay
 */
export function toggledSort(sort: readonly string[], column: string, isAdded: boolean): readonly string[] | undefined {
  const isColumn = (key: string) => key.replace(/^-/, '') === column
  const key = sort.find(isColumn)
  const next = key === undefined ? column : key === column ? `-${column}` : undefined
  if (!isAdded) return next === undefined ? undefined : [next]
  const keys = key === undefined ? [...sort, column] : sort.flatMap((each) => (isColumn(each) ? (next ?? []) : each))
  return keys.length === 0 ? undefined : keys
}

function positive(text: string | undefined): number | undefined {
  const isNumber = text !== undefined && /^[1-9]\d{0,8}$/.test(text)
  return isNumber ? Number(text) : undefined
}

function names(text: string | undefined): readonly string[] | undefined {
  const list = text?.split(',').filter((name) => name !== '')
  return list?.length ? list : undefined
}

/** Changes what a list shows. @param isReplaced true if Back skips the present address */
export type ChangeList = (change: Partial<ListState>, isReplaced?: boolean) => void

/** The saved view that a state names; undefined without one, and for one that the user does not see. */
export const openedView = ({ saved_views }: Site, model: string, { view }: ListState): SavedView | undefined =>
  saved_views.find((each) => String(each.id) === view && each.model === model)

/** True if an address names a saved view, so that only the address and the view decide what the list shows. */
export const hasView = ({ view }: ListState): boolean => view !== undefined && view !== NO_VIEW

/** What the list of the present address shows, and a function that changes the address. An empty address opens the default saved view. */
export function useListState(): readonly [ListState, ChangeList] {
  const search = useSearch({ strict: false }) as SearchParams
  const { model = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const site = useSite()
  // A view that becomes the default meanwhile does not replace an open list.
  const [defaultId] = useState(() => defaultView(site, model)?.id)
  const opening = site.saved_views.find(({ id }) => id === defaultId)
  const opened = useMemo(() => openedSearch(search, opening), [search, opening])
  const state = useMemo(() => readListState(opened), [opened])
  const change = useCallback<ChangeList>(
    (part, isReplaced = false) => {
      void navigate({
        to: '/models/$model',
        params: { model },
        search: (present: SearchParams) => {
          const next = listSearch(changedState(readListState(openedSearch(present, opening)), part))
          return openedSearch(next, opening) === next ? next : { view: NO_VIEW }
        },
        replace: isReplaced,
        resetScroll: false,
      })
    },
    [navigate, model, opening],
  )
  const isOpening = opened !== search
  // An address that was copied must show the same elsewhere.
  useEffect(() => {
    if (isOpening) change({}, true)
  }, [isOpening, change])
  return [state, change]
}

const PAGE_SIZE = 25

/** Where a list stands: the site, the model, and one of its list views. */
interface ListPlace {
  readonly site: Site
  readonly model: SiteModel
  readonly view: ListView
}

/** The records to request for a list that shows these columns in this state. */
export function listPlan(place: ListPlace, state: ListState, columns: readonly ListColumn[]): ListPlan {
  const { site, model, view } = place
  const actions = offeredActions(model, view, ['selection'])
  return {
    q: model.searchable ? state.q : '',
    page: state.page,
    // A layout reads its records itself.
    page_size: layoutOf(view, state) !== undefined ? 1 : (state.pageSize ?? view.page_size ?? PAGE_SIZE),
    sort: apiSort(site, model, sortOf(place, state)),
    ...apiFilters(site, model, state.filters, new Date()),
    fields: [...new Set([...requestedFields(columns, model), ...conditionFields(model, actions)])],
    include: requestedIncludes(
      site,
      columns.map(({ field }) => field),
    ),
  }
}

/** The sort keys of a list by column: the chosen ones, otherwise those of the view; a search has an order of its own. */
export const sortOf = ({ site, model, view }: ListPlace, state: ListState): readonly string[] =>
  columnSort(site, model, state.sort ?? (state.q === '' ? viewSort(view) : []))

/** The list view that a state names, otherwise the first. */
export const viewOf = (lists: readonly ListView[], state: ListState): ListView | undefined =>
  lists.find(({ name }) => name === state.list) ?? lists[0]

/** The layout that a state shows: the chosen one, otherwise the first of the list view; undefined for the table. */
export function layoutOf({ layout = {} }: ListView, state: ListState): string | undefined {
  const offered = Object.keys(layout)
  return state.layout === 'table' ? undefined : offered.includes(state.layout ?? '') ? state.layout : offered[0]
}

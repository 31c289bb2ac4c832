import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Aggregate, AnyModel, Page, SearchPage } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'

/** A record of any model. */
export type AnyRecord = AnyModel['record']

/** Selects and orders the records of a list; the words of the API. */
export interface ListPlan {
  /** Words to search for; empty without a search. */
  readonly q: string
  readonly page: number
  readonly page_size: number
  /** Sort keys such as `-created_at`; empty for the order by id, or by relevance in a search. */
  readonly sort: readonly string[]
  /** Filters such as `status=draft`; all must match. */
  readonly filters: readonly string[]
  /** Groups of filters; one of each must match. */
  readonly any: readonly (readonly string[])[]
  /** Fields to return; all if empty. A search returns all. */
  readonly fields: readonly string[]
  /** Fields of related records to return, such as `author__username`. */
  readonly include: readonly string[]
}

/** A page of a list. One of a search says where its words were found. */
export type ListedPage = Page<AnyRecord> & Partial<Pick<SearchPage<AnyRecord>, 'hits' | 'missing'>>

/** The words of a search in a record, by field. */
export type Matched = SearchPage<AnyRecord>['hits'][number]['matches']

/** Time after which a search that lacks records is asked again, in milliseconds. */
const AGAIN_MS = 3000

/** The query of a page of records. The former page of the same model stays until the next one is there. */
export const listQuery = (session: PageSession, model: string, plan: ListPlan) =>
  queryOptions({
    queryKey: ['records', model, 'list', plan],
    queryFn: ({ signal }) => session.read(signal, (client) => readPage(client.model(model), plan, signal)),
    refetchInterval: ({ state }) => state.data?.missing !== undefined && AGAIN_MS,
    placeholderData: (former: ListedPage | undefined, query) => (query?.queryKey[1] === model ? former : undefined),
  })

function readPage(model: ReturnType<PageSession['client']['model']>, plan: ListPlan, signal: AbortSignal): Promise<ListedPage> {
  const { q, page, page_size, sort, filters, any, fields, include } = plan
  const query = { page, page_size, sort, filters, any, include }
  if (q !== '') return model.search(q, query, { signal })
  return model.list({ ...query, fields }, { signal })
}

/** Filters of a list as the API takes them. */
type ListFilters = Pick<ListPlan, 'filters' | 'any'>

/** The query of the number of records by the value of a field, of those that match the filters. Records without a value are left out. */
export const countsQuery = (session: PageSession, model: string, field: string, { filters, any }: ListFilters) =>
  queryOptions({
    queryKey: ['records', model, 'counts', field, filters, any],
    queryFn: async ({ signal }) => {
      const query = { group_by: [field], count: true, filters, any }
      const { data } = await session.read(signal, (client) => client.model(model).aggregate(query, { signal }))
      const counts = data.filter(({ group }) => group[field] !== null)
      return Object.fromEntries(counts.map(({ group, count = 0 }) => [String(group[field]), count]))
    },
    placeholderData: keepPreviousData,
  })

/** Totals of fields, of the records that match. */
interface TotalsPlan extends ListFilters {
  readonly totals: readonly ('sum' | 'avg')[]
  readonly fields: readonly string[]
}

/** The query of totals, in one request. Those of former filters stay until the new ones are there. */
export const totalsQuery = (session: PageSession, model: string, { totals, fields, filters, any }: TotalsPlan) =>
  queryOptions({
    queryKey: ['records', model, 'totals', totals, fields, filters, any],
    queryFn: async ({ signal }) => {
      const measured = Object.fromEntries(totals.map((total) => [total, fields]))
      const query = { ...measured, filters, any }
      const { data } = await session.read(signal, (client) => client.model(model).aggregate(query, { signal }))
      return data[0] ?? { group: {} }
    },
    placeholderData: (former: Aggregate | undefined, query) => (query?.queryKey[1] === model ? former : undefined),
  })

/** The query of a record with its version. */
export const recordQuery = (session: PageSession, model: string, id: number) =>
  queryOptions({
    queryKey: ['records', model, 'one', id],
    queryFn: ({ signal }) => session.read(signal, (client) => client.model(model).read(id, { signal })),
  })

/** Reads all lists and records of a model again. */
export const refreshModel = (queries: QueryClient, model: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['records', model] })

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

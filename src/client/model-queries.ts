import { filterEntries, filterTexts, groupText, namesText, type QueryEntries, sortEntries } from './query.ts'
import type {
  AggregateQuery,
  BulkSelection,
  ExportQuery,
  ListQuery,
  ModelTypes,
  PageQuery,
  Projection,
  SearchQuery,
} from './types-calls.ts'
import type { HistoryQuery } from './types-site.ts'

/** The query parameters of a list. */
export const listEntries = <M extends ModelTypes>(query: ListQuery<M, string, string>): QueryEntries => [
  ...filterEntries(query),
  ...projectionEntries(query),
  ...sortEntries(query.sort),
  ...pageEntries(query),
  ['editing', query.editing],
]

/** The query parameters of a search for `q`. */
export const searchEntries = <M extends ModelTypes>(q: string, query: SearchQuery<M>): QueryEntries => [
  ['q', q],
  ['fields', namesText(query.fields)],
  ['fuzzy', query.fuzzy],
  ['complete', query.complete],
  ['include', namesText(query.include)],
  ...filterEntries(query),
  ...sortEntries(query.sort),
  ...pageEntries(query),
]

/** The query parameters of an aggregate. */
export const aggregateEntries = <M extends ModelTypes>(query: AggregateQuery<M>): QueryEntries => [
  ['group_by', namesText(query.group_by)],
  ['count', query.count],
  ...(['sum', 'avg', 'min', 'max'] as const).map((name) => [name, namesText(query[name])] as const),
  ...filterEntries(query),
]

/** The query parameters of an export. */
export const exportEntries = <M extends ModelTypes>(query: ExportQuery<M>): QueryEntries => [
  ['format', query.format],
  ['bom', query.bom],
  ['labels', query.labels],
  ['list_id', query.list_id],
  ['time_zone', query.time_zone],
  ['fields', namesText(query.fields)],
  ...filterEntries(query),
  ...sortEntries(query.sort),
]

/** The query parameters of a history. */
export const historyEntries = (query: HistoryQuery): QueryEntries => [
  ...filterEntries(query),
  ...sortEntries(query.sort),
  ...pageEntries(query),
]

/** The members of a request body that select the records of a bulk operation by filters. */
export const bulkBody = <M extends ModelTypes>({ filters, any = [], search, expectedTotal }: BulkSelection<M>): object => ({
  filters: filterTexts(filters),
  any: any.map((group) => groupText(filterTexts(group))),
  search,
  expected_total: expectedTotal,
})

/** The query parameters that select members of each record. */
export const projectionEntries = ({ fields, include }: Projection<string, string>): QueryEntries => [
  ['fields', namesText(fields)],
  ['include', namesText(include)],
]

const pageEntries = ({ page, page_size }: PageQuery): QueryEntries => [
  ['page', page],
  ['page_size', page_size],
]

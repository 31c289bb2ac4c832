import type { ModelTypes } from './model-types.ts'
import { filterEntries, namesText, type QueryEntries, sortEntries } from './query.ts'
import type { ExportQuery, ListQuery, PageQuery, Projection, SearchQuery } from './types.ts'

/** What is asked of a list. */
export const listEntries = <M extends ModelTypes>(query: ListQuery<M, string, string>): QueryEntries => [
  ...filterEntries(query.filters),
  ...projectionEntries(query),
  ...sortEntries(query.sort),
  ...pageEntries(query),
]

/** What is asked of a search for `q`. */
export const searchEntries = <M extends ModelTypes>(q: string, query: SearchQuery<M>): QueryEntries => [
  ['q', q],
  ['fields', namesText(query.fields)],
  ['fuzzy', query.fuzzy],
  ...filterEntries(query.filters),
  ...pageEntries(query),
]

/** What is asked of a file of records. */
export const exportEntries = <M extends ModelTypes>(query: ExportQuery<M>): QueryEntries => [
  ['format', query.format],
  ['bom', query.bom],
  ['fields', namesText(query.fields)],
  ...filterEntries(query.filters),
  ...sortEntries(query.sort),
]

/** What of each record is wanted. */
export const projectionEntries = ({ fields, include }: Projection<string, string>): QueryEntries => [
  ['fields', namesText(fields)],
  ['include', namesText(include)],
]

const pageEntries = ({ page, page_size }: PageQuery): QueryEntries => [
  ['page', page],
  ['page_size', page_size],
]

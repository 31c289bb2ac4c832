import type { Operator, Ordering } from '../model/field-type.ts'
import type { Json } from '../util/json.ts'

/** A condition on one field, as plain data that can be sent to another machine. */
export type FieldFilter =
  | {
      readonly field: string
      readonly operator: Exclude<Operator, 'in' | 'isnull'>
      readonly value: Json
      /** The ordering of values, if they are not ordered as they are stored. */
      readonly ordering?: Ordering
    }
  | { readonly field: string; readonly operator: 'in'; readonly values: readonly Json[] }
  | { readonly field: string; readonly operator: 'isnull'; readonly value: boolean }

/** A condition on the record, or on any of the records, that `field` refers to in table `target`. */
export interface RelationFilter {
  readonly field: string
  readonly target: string
  readonly filter: Filter
}

/** At least one of the filters matches. Without filters it matches no record. */
export interface AnyFilter {
  readonly any: readonly Filter[]
}

/** All filters match. Without filters it matches every record. */
interface AllFilter {
  readonly all: readonly Filter[]
}

/** The filter does not match. */
interface NotFilter {
  readonly not: Filter
}

/** A condition on a record. */
export type Filter = FieldFilter | RelationFilter | AnyFilter | AllFilter | NotFilter

export const isFieldFilter = (filter: Filter): filter is FieldFilter => 'operator' in filter
export const isRelationFilter = (filter: Filter): filter is RelationFilter => 'target' in filter

/** All relation filters within some filters, at any depth. */
export function relationFilters(filters: readonly Filter[]): RelationFilter[] {
  return filters.flatMap((filter) => {
    if (isFieldFilter(filter)) return []
    if (isRelationFilter(filter)) return [filter, ...relationFilters([filter.filter])]
    return relationFilters(filtersIn(filter))
  })
}

/** The filters that a group or a negation is made of. */
export const filtersIn = (filter: AnyFilter | AllFilter | NotFilter): readonly Filter[] =>
  'any' in filter ? filter.any : 'all' in filter ? filter.all : [filter.not]

/** One key of a sort order: a field of the record, or of the record that it refers to. */
export interface SortKey {
  readonly field: string
  readonly order: 'asc' | 'desc'
  /** The ordering of values, if they are not ordered as they are stored. */
  readonly ordering?: Ordering
  readonly through?: SortRelation
}

/** A relation to at most one record. */
interface SortRelation {
  readonly field: string
  readonly target: string
  /** Related records that do not match count as absent. */
  readonly only?: Filter
}

/** Filters, sort order and page of a query. The order always ends in `id`. */
export interface Plan {
  /** Combined by AND. */
  readonly filters: readonly Filter[]
  readonly sort: readonly SortKey[]
  readonly offset: number
  readonly limit: number
}

/** Names of the tables that a query reads beside its own. */
export function relatedTables({ filters, sort }: Pick<Plan, 'filters' | 'sort'>): ReadonlySet<string> {
  const relations = sort.flatMap(({ through }) => through ?? [])
  const within = relationFilters([...filters, ...relations.flatMap(({ only }) => only ?? [])])
  return new Set([...relations, ...within].map(({ target }) => target))
}

/** A requested page. */
export interface PageRequest {
  /** Counts from 1. */
  readonly page: number
  readonly pageSize: number
}

/** Default number of records on a page. */
export const DEFAULT_PAGE_SIZE = 20
/** Maximum number of records on a page. */
export const MAX_PAGE_RECORDS = 100

/** Offset and limit of a page. */
export const sliceOf = ({ page, pageSize }: PageRequest): { offset: number; limit: number } => ({
  offset: (page - 1) * pageSize,
  limit: pageSize,
})

/**
 * Serialises the envelope of a list. A page past the end is empty and has a previous page, unless nothing matched.
 *
 * @param data the records of the page, a JSON array
 * @param beside further members of the envelope
 */
export function pageJson(data: string, total: number, { page, pageSize }: PageRequest, beside = ''): string {
  const totalPages = Math.ceil(total / pageSize)
  const hasPrev = page > 1 && totalPages > 0
  const standing = `"total":${total},"page":${page},"page_size":${pageSize},"total_pages":${totalPages}`
  return `{"data":${data},${standing},"has_next":${page < totalPages},"has_prev":${hasPrev}${beside && `,${beside}`}}`
}

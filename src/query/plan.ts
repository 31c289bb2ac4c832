import type { Operator, Ordering } from '../model/field-type.ts'
import type { Json } from '../util/json.ts'

/** A condition on one field, as plain data that can be sent to another machine. */
export type FieldFilter =
  | {
      readonly field: string
      readonly operator: Exclude<Operator, 'in' | 'isnull'>
      readonly value: Json
      /** The ordering of values, if it is not that of the stored values themselves. */
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
export interface AllFilter {
  readonly all: readonly Filter[]
}

/** The filter does not match. */
export interface NotFilter {
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
    return relationFilters(partsOf(filter))
  })
}

/** The filters that a group or a negation is made of. */
export const partsOf = (filter: AnyFilter | AllFilter | NotFilter): readonly Filter[] =>
  'any' in filter ? filter.any : 'all' in filter ? filter.all : [filter.not]

/** One key of a sort order: a field of the record, or of the record that it refers to. */
export interface SortKey {
  readonly field: string
  readonly order: 'asc' | 'desc'
  /** The ordering of values, if it is not that of the stored values themselves. */
  readonly ordering?: Ordering
  readonly through?: SortRelation
}

/** A relation to at most one record. */
export interface SortRelation {
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

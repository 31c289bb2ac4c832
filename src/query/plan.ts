import type { Operator } from '../model/field-type.ts'
import type { Json } from '../util/json.ts'

/** A condition on one field, as plain data that can be sent to another machine. */
export type FieldFilter =
  | { readonly field: string; readonly operator: Exclude<Operator, 'in' | 'isnull'>; readonly value: Json }
  | { readonly field: string; readonly operator: 'in'; readonly values: readonly Json[] }
  | { readonly field: string; readonly operator: 'isnull'; readonly value: boolean }

/** A condition on the record, or on any of the records, that `field` refers to in table `target`. */
export interface RelationFilter {
  readonly field: string
  readonly target: string
  readonly filter: FieldFilter
}

export type Filter = FieldFilter | RelationFilter

export const isRelationFilter = (filter: Filter): filter is RelationFilter => 'target' in filter

export interface SortKey {
  readonly field: string
  readonly order: 'asc' | 'desc'
}

/** Filters, sort order and page of a query. The order always ends in `id`. */
export interface Plan {
  /** Combined by AND. */
  readonly filters: readonly Filter[]
  readonly sort: readonly SortKey[]
  readonly offset: number
  readonly limit: number
}

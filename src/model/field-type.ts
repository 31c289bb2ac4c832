import type { Json } from '../util/json.ts'
import type { FieldTypeName, FileDefinition, LimitsDefinition } from './definition.ts'

/** Filter operators; each field type supports some of them. */
export type Operator = 'eq' | 'ne' | 'in' | 'isnull' | 'icontains' | 'startswith' | 'endswith' | 'gt' | 'gte' | 'lt' | 'lte'

/** An order of values other than their own: `decimal` orders texts by the numbers that they stand for. */
export type Ordering = 'decimal'

/** Result of reading a value: its stored form, or a message that follows the field's name. */
export type Reading = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string }

/** Keys of a field definition beyond name, type, label, help_text, required, searchable. */
export type FieldOption = keyof LimitsDefinition | keyof FileDefinition | 'unique' | 'default' | 'model' | 'on_delete'

/** The behaviour of a field type. */
export interface FieldType {
  readonly name: FieldTypeName | 'primarykey'
  /** Constraints that a definition of this type may have. */
  readonly options: readonly FieldOption[]
  /** Supported filter operators. */
  readonly operators: readonly Operator[]
  readonly sortable: boolean
  /** The ordering of values, if they are not ordered as they are stored. */
  readonly ordering?: Ordering
  readonly searchable: boolean
  /** True for values that are never returned, filtered, sorted, searched or exported. */
  readonly secret: boolean
  /** True if the stored value is a list; `=` and `in` then compare items. */
  readonly list: boolean
  /** True if the stored value, or an item of its list, may be an object: it has no equality and no order, and is JSON in files. */
  readonly structured: boolean
  /** Converts a JSON value (never null) into stored form. */
  read(value: unknown): Reading
  /** Converts text of a filter or a file; for lists, one item. */
  parse(text: string): Reading
}

/** What most types have in common: one value, which is public, has an order and is left out of searches. */
export const SINGLE_VALUE = { sortable: true, searchable: false, secret: false, list: false, structured: false } as const

/** A successful reading. */
export const accept = (value: Json): Reading => ({ ok: true, value })
/** A failed reading with a message such as `must be a string`. */
export const reject = (problem: string): Reading => ({ ok: false, problem })

/** Operators for values with equality. */
export const EQUALITY = ['eq', 'ne', 'in', 'isnull'] as const satisfies readonly Operator[]
/** Operators for ordered values. */
export const ORDER = ['gt', 'gte', 'lt', 'lte'] as const satisfies readonly Operator[]
/** Operators for text. */
export const TEXT_MATCH = ['icontains', 'startswith', 'endswith'] as const satisfies readonly Operator[]

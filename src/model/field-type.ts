import type { Json } from '../util/json.ts'
import type { FieldTypeName, LimitsDefinition } from './definition.ts'

/** Filter operators; a field type says which of them it understands. */
export type Operator = 'eq' | 'ne' | 'in' | 'isnull' | 'icontains' | 'startswith' | 'endswith' | 'gt' | 'gte' | 'lt' | 'lte'

/** What reading gave: the value in its stored form, or what is wrong with it (to be put behind the field's name). */
export type Reading = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string }

/** Keys of a field definition beyond name, type, label, help_text, required, searchable. */
export type FieldOption = keyof LimitsDefinition | 'unique' | 'default' | 'model' | 'on_delete'

/** The interface behind which every kind of field hides what is particular to it. */
export interface FieldType {
  readonly name: FieldTypeName | 'primarykey'
  /** Constraints that a definition of this type may hold. */
  readonly options: readonly FieldOption[]
  /** Filter operators that make sense for its values. */
  readonly operators: readonly Operator[]
  readonly sortable: boolean
  readonly searchable: boolean
  /** True for values that never leave: not returned, filtered, sorted, searched or exported. */
  readonly secret: boolean
  /** True when the stored value is a list, of which `=` and `in` look at the items. */
  readonly list: boolean
  /** Reads a JSON value (never null) into its stored form. */
  read(value: unknown): Reading
  /** Reads text from a filter or a file; for lists, one item of it. */
  parse(text: string): Reading
}

/** A reading that found a value. */
export const accept = (value: Json): Reading => ({ ok: true, value })
/** A reading that found something wrong, such as `must be a string`. */
export const refuse = (problem: string): Reading => ({ ok: false, problem })

/** Operators for values that can be told apart. */
export const EQUALITY = ['eq', 'ne', 'in', 'isnull'] as const satisfies readonly Operator[]
/** Operators for values that have an order. */
export const ORDER = ['gt', 'gte', 'lt', 'lte'] as const satisfies readonly Operator[]
/** Operators for text. */
export const TEXT_MATCH = ['icontains', 'startswith', 'endswith'] as const satisfies readonly Operator[]

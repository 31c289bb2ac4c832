import type { Json } from '../util/json.ts'
import type { FakerMethod } from './faker-methods.ts'

/** Names of the field types; each type is one file in `model/fields/`. */
export const FIELD_TYPE_NAMES = [
  'string',
  'text',
  'email',
  'url',
  'slug',
  'password',
  'integer',
  'number',
  'boolean',
  'date',
  'time',
  'datetime',
  'choice',
  'multichoice',
  'json',
  'foreignkey',
  'many_to_many',
  'one_to_one',
] as const

/** Name of a field type, such as `string`. */
export type FieldTypeName = (typeof FIELD_TYPE_NAMES)[number]

/** What happens to a record when the record that it refers to is deleted. */
export type OnDelete = 'restrict' | 'cascade' | 'set_null'

/** Limits of a value. Lengths count characters (code points); `pattern` is a regular expression in RE2 syntax. */
export interface LimitsDefinition {
  readonly choices?: readonly (string | number)[]
  readonly min_length?: number
  readonly max_length?: number
  readonly gt?: number
  readonly lt?: number
  readonly gte?: number
  readonly lte?: number
  readonly pattern?: string
}

/** Kind of mock data, where name and type of the field do not determine it. */
export interface MockHint {
  /** A method of @faker-js/faker, such as `commerce.productName`. */
  readonly faker: FakerMethod
}

/** One field of a model, as written. */
export interface FieldDefinition extends LimitsDefinition {
  /** Letters, digits and single underscores; a foreign key is named `<relation>_id`. */
  readonly name: string
  readonly type: FieldTypeName
  readonly label?: string
  readonly help_text?: string
  readonly required?: boolean
  readonly unique?: boolean
  readonly default?: Json
  /** `false` excludes the field from search. */
  readonly searchable?: boolean
  /** For relations: the other model, in lower case. */
  readonly model?: string
  /** For `foreignkey` and `one_to_one`; default: `restrict`. */
  readonly on_delete?: OnDelete
  /** For all types except relations. */
  readonly mock?: MockHint
}

/** A model, as written. `id` is implicit. */
export interface ModelDefinition {
  /** Class name, such as `Post`; its lower case is the path segment. */
  readonly name: string
  readonly label?: string
  /** The field that identifies a record to people where it is referred to. */
  readonly display_field?: string
  /** Adds `created_at` and `updated_at`. */
  readonly timestamps?: boolean
  readonly fields: readonly FieldDefinition[]
}

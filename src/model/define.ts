import { markCallSite } from '../config/call-site.ts'
import type { Json } from '../util/json.ts'
import type { AccessDefinition, FieldDefinition, ModelDefinition } from './definition.ts'
import type { StoredFile } from './files.ts'

type NameOf<F extends readonly FieldDefinition[]> = F[number]['name']

/** Names of a model's fields, including implicit ones. */
export type FieldName<M extends ModelDefinition> =
  | NameOf<M['fields']>
  | 'id'
  | (M['timestamps'] extends true ? 'created_at' | 'updated_at' : never)

/** Names of the fields that a request may set. */
export type WritableFieldName<M extends ModelDefinition> = Exclude<NameOf<M['fields']>, 'id'>

/** Names of a model's relations: `author` for `author_id`. */
export type RelationName<M extends ModelDefinition> = Extract<
  M['fields'][number],
  { type: 'foreignkey' | 'one_to_one' }
>['name'] extends infer N
  ? N extends `${infer R}_id`
    ? R
    : never
  : never

type TextType = 'string' | 'text' | 'email' | 'url' | 'slug' | 'password' | 'date' | 'time' | 'datetime' | 'uuid' | 'decimal'

/**
 * The values of a field's choices, with or without labels. A text of the inferred type is also compared with ChoiceDefinition, whose
 * value is any text; that is left out.
 */
type ChoiceValueOf<F extends FieldDefinition> = NonNullable<F['choices']>[number] extends infer C
  ? C extends { readonly value: infer V }
    ? string extends V
      ? never
      : V
    : C
  : never

/** The type of a field's value, without null. */
type ValueOf<F extends FieldDefinition> = F['type'] extends TextType
  ? string
  : F['type'] extends 'integer' | 'number' | 'foreignkey' | 'one_to_one'
    ? number
    : F['type'] extends 'boolean'
      ? boolean
      : F['type'] extends 'choice'
        ? ChoiceValueOf<F>
        : F['type'] extends 'multichoice'
          ? readonly ChoiceValueOf<F>[]
          : F['type'] extends 'many_to_many'
            ? readonly number[]
            : F['type'] extends 'file' | 'image'
              ? F['multiple'] extends true
                ? readonly StoredFile[]
                : StoredFile
              : Json

/** Values by the names of fields; null for a field without a value. */
export type ValuesOfFields<F extends readonly FieldDefinition[]> = {
  readonly [Each in F[number] as Each['name']]: ValueOf<Each> | null
}

/**
 * The merged record that a form validates. Any value may be null, since a missing value has a message of its own. A new record has
 * neither an id nor timestamps.
 */
export type RecordOf<M extends ModelDefinition> = ValuesOfFields<M['fields']> & {
  readonly id?: number
} & (M['timestamps'] extends true ? { readonly created_at?: string; readonly updated_at?: string } : unknown)

/** Forbids excess keys, which type inference alone would accept. */
type NoOtherKeys<Given, Wanted> = { readonly [K in Exclude<keyof Given, keyof Wanted>]: never }

type Fields<F extends readonly FieldDefinition[]> = { readonly [I in keyof F]: NoOtherKeys<F[I], FieldDefinition> }

/**
 * Defines a model in TypeScript, so that its views are type-checked. An unknown key, or a `display_field` that is no field of
 * the model, is a type error. Returns the definition unchanged.
 *
 * @example export default defineModel({ name: 'Tag', fields: [{ name: 'name', type: 'string', required: true }] })
 */
export function defineModel<const F extends readonly FieldDefinition[], const T extends boolean = false>(model: {
  readonly name: string
  readonly was?: string
  readonly label?: string
  readonly display_field?: NoInfer<NameOf<F> | 'id'>
  readonly group?: string
  readonly icon?: string
  readonly timestamps?: T
  readonly index_updated_at?: boolean
  readonly history?: boolean
  readonly unique_together?: readonly (readonly NoInfer<NameOf<F>>[])[]
  readonly access?: AccessDefinition
  readonly fields: F & Fields<F>
}): ModelDefinition & { readonly fields: F; readonly timestamps: T } {
  return markCallSite(model as ModelDefinition & { readonly fields: F; readonly timestamps: T }, defineModel)
}

import { markCallSite } from '../config/call-site.ts'
import type { FieldDefinition, ModelDefinition } from './definition.ts'

type NameOf<F extends readonly FieldDefinition[]> = F[number]['name']

/** The names of a model's fields, those that it has by itself included. */
export type FieldName<M extends ModelDefinition> =
  | NameOf<M['fields']>
  | 'id'
  | (M['timestamps'] extends true ? 'created_at' | 'updated_at' : never)

/** The names of the fields that a request may set. */
export type WritableFieldName<M extends ModelDefinition> = Exclude<NameOf<M['fields']>, 'id'>

/** The names of a model's relations: `author` for `author_id`. */
export type RelationName<M extends ModelDefinition> = Extract<
  M['fields'][number],
  { type: 'foreignkey' | 'one_to_one' }
>['name'] extends infer N
  ? N extends `${infer R}_id`
    ? R
    : never
  : never

/** Forbids keys that the wanted shape does not have: inference alone would let them pass. */
type NoOtherKeys<Given, Wanted> = { readonly [K in Exclude<keyof Given, keyof Wanted>]: never }

type Fields<F extends readonly FieldDefinition[]> = { readonly [I in keyof F]: NoOtherKeys<F[I], FieldDefinition> }

/**
 * Describes a model in TypeScript, so that views of it are checked at compile time.
 * A key that does not exist, or a `display_field` that the model does not have, is a type error. The definition comes back as
 * it was given.
 *
 * @example
 * export default defineModel({ name: 'Tag', fields: [{ name: 'name', type: 'string', required: true }] })
 */
export function defineModel<const F extends readonly FieldDefinition[], const T extends boolean = false>(model: {
  readonly name: string
  readonly label?: string
  readonly display_field?: NoInfer<NameOf<F> | 'id'>
  readonly timestamps?: T
  readonly fields: F & Fields<F>
}): ModelDefinition & { readonly fields: F; readonly timestamps: T } {
  return markCallSite(model as ModelDefinition & { readonly fields: F; readonly timestamps: T }, defineModel)
}

import { markCallSite } from '../config/call-site.ts'
import type { FieldDefinition, ModelDefinition } from './definition.ts'

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
  readonly label?: string
  readonly display_field?: NoInfer<NameOf<F> | 'id'>
  readonly timestamps?: T
  readonly fields: F & Fields<F>
}): ModelDefinition & { readonly fields: F; readonly timestamps: T } {
  return markCallSite(model as ModelDefinition & { readonly fields: F; readonly timestamps: T }, defineModel)
}

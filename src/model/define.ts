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
export type RelationName<M extends ModelDefinition> =
  NameOf<M['fields']> extends infer N ? (N extends `${infer R}_id` ? R : never) : never

/**
 * Describes a model in TypeScript, so that views of it are checked at compile time.
 * A `display_field` that the model does not have is a type error. The definition comes back as it was given.
 *
 * @example
 * export default defineModel({ name: 'Tag', fields: [{ name: 'name', type: 'string', required: true }] })
 */
export function defineModel<
  const F extends readonly FieldDefinition[],
  const M extends ModelDefinition & { fields: F; display_field?: NameOf<F> | 'id' },
>(model: M & { fields: F; display_field?: NameOf<F> | 'id' }): M {
  return markCallSite(model, defineModel)
}

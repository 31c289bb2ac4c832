import { markCallSite } from '../config/call-site.ts'
import type { FieldName, RelationName, WritableFieldName } from '../model/define.ts'
import type { ModelDefinition } from '../model/definition.ts'
import type { Json } from '../util/json.ts'
import type { FieldViewDefinition, FormViewDefinition, ListViewDefinition, RuleDefinition } from './definition.ts'

type Messages<N extends string> = { readonly [K in N]?: string | readonly string[] }

/** A form over the fields that model `M` has. */
export interface FormViewOf<M extends ModelDefinition> {
  readonly name: string
  readonly fields: readonly (FieldViewDefinition & { readonly name: FieldName<M> })[]
  readonly creation_fields?: readonly WritableFieldName<M>[]
  readonly allowed_update_fields?: readonly WritableFieldName<M>[]
  readonly rules?: readonly (RuleDefinition & { readonly field: FieldName<M> })[]
  /** Gives messages by field for the merged record, or nothing when it is fine. */
  readonly validate?: (record: { readonly [K in FieldName<M>]: Json }) => Messages<FieldName<M>> | undefined
}

/** A list over the fields and relations that model `M` has. */
export interface ListViewOf<M extends ModelDefinition> {
  readonly name: string
  readonly fields: readonly (FieldViewDefinition & { readonly name: FieldName<M> | RelationName<M> })[]
}

/**
 * Describes a form view of a model defined with `defineModel`. A field that the model does not have is a type error;
 * `view_type` and `model` are filled in. For a model described elsewhere, pass the whole view alone.
 */
export function defineFormView<const M extends ModelDefinition>(model: M, view: FormViewOf<M>): FormViewDefinition
export function defineFormView(view: Omit<FormViewDefinition, 'view_type'>): FormViewDefinition
export function defineFormView(first: object, second?: object): FormViewDefinition {
  return markCallSite(complete('form', first, second) as FormViewDefinition, defineFormView)
}

/**
 * Describes a list view of a model defined with `defineModel`. A field that the model does not have is a type error;
 * `view_type` and `model` are filled in. For a model described elsewhere, pass the whole view alone.
 */
export function defineListView<const M extends ModelDefinition>(model: M, view: ListViewOf<M>): ListViewDefinition
export function defineListView(view: Omit<ListViewDefinition, 'view_type'>): ListViewDefinition
export function defineListView(first: object, second?: object): ListViewDefinition {
  return markCallSite(complete('list', first, second) as ListViewDefinition, defineListView)
}

function complete(viewType: 'form' | 'list', first: object, second: object | undefined): object {
  if (second === undefined) return { ...first, view_type: viewType }
  return { ...second, view_type: viewType, model: (first as ModelDefinition).name }
}

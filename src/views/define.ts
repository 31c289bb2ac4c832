import { markCallSite } from '../config/call-site.ts'
import type { FieldName, RecordOf, RelationName, WritableFieldName } from '../model/define.ts'
import type { ModelDefinition } from '../model/definition.ts'
import type {
  FieldGroupDefinition,
  FieldViewDefinition,
  FormFieldDefinition,
  FormViewDefinition,
  ListViewDefinition,
  RuleDefinition,
  SortDefinition,
} from './definition.ts'

type Messages<N extends string> = { readonly [K in N]?: string | readonly string[] }

/** A form over the fields of model `M`. */
export interface FormViewOf<M extends ModelDefinition> {
  readonly name: string
  readonly fields: readonly (FormFieldDefinition & { readonly name: FieldName<M> })[]
  readonly use?: FormViewDefinition['use']
  readonly groups?: readonly (FieldGroupDefinition & { readonly fields: readonly FieldName<M>[] })[]
  readonly related?: FormViewDefinition['related']
  readonly actions?: FormViewDefinition['actions']
  readonly creation_fields?: readonly WritableFieldName<M>[]
  readonly allowed_update_fields?: readonly WritableFieldName<M>[]
  readonly rules?: readonly (RuleDefinition & { readonly field: FieldName<M> })[]
  /** Returns messages by field for the merged record, or undefined if it is valid. */
  readonly validate?: (record: RecordOf<M>) => Messages<FieldName<M>> | undefined
}

/** A list over the fields and relations of model `M`. */
export interface ListViewOf<M extends ModelDefinition> {
  readonly name: string
  readonly fields: readonly (FieldViewDefinition & { readonly name: FieldName<M> | RelationName<M> })[]
  readonly sort?: readonly (SortDefinition & { readonly field: FieldName<M> | `${RelationName<M>}.${string}` })[]
  readonly page_size?: number
  readonly filters?: readonly FieldName<M>[]
  readonly inline_form?: string
  readonly layout?: {
    readonly board?: FieldName<M>
    readonly calendar?: { readonly start: FieldName<M>; readonly end?: FieldName<M>; readonly title?: FieldName<M> }
  }
  readonly actions?: ListViewDefinition['actions']
}

/**
 * Defines a form view of a model made with `defineModel`. An unknown field is a type error; `view_type` and `model` are filled
 * in. For a model defined elsewhere, pass the whole view as the only argument.
 */
export function defineFormView<const M extends ModelDefinition>(model: M, view: FormViewOf<M>): FormViewDefinition
export function defineFormView(view: Omit<FormViewDefinition, 'view_type'>): FormViewDefinition
export function defineFormView(first: object, second?: object): FormViewDefinition {
  return markCallSite(complete('form', first, second) as FormViewDefinition, defineFormView)
}

/**
 * Defines a list view of a model made with `defineModel`. An unknown field is a type error; `view_type` and `model` are filled
 * in. For a model defined elsewhere, pass the whole view as the only argument.
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

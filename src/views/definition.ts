import type { Json, JsonObject } from '../util/json.ts'

/** How one field of a model is edited or displayed. */
export interface FieldViewDefinition {
  readonly name: string
  readonly title?: string
  readonly help_text?: string
  readonly field_type?: string
  readonly widget?: string
  readonly required?: boolean
  readonly readonly?: boolean
  readonly disabled?: boolean
  readonly placeholder?: string
  readonly default_value?: Json
  /** For the front end; `choices` and limits (`min_length` … `pattern`) are also enforced under the form. */
  readonly options?: JsonObject
  /** Replaces the generated message of the field. */
  readonly error?: { readonly message: string; readonly code?: string }
  readonly is_primary_key?: boolean
}

/** A cross-field condition over the merged record, as a CEL expression over `self`. */
export interface RuleDefinition {
  readonly rule: string
  /** The field that the message is shown at. */
  readonly field: string
  readonly message: string
}

/** How a record is created and updated; its name is the `form_id`. */
export interface FormViewDefinition {
  readonly name: string
  readonly view_type: 'form'
  /** Class name of the model. */
  readonly model: string
  readonly fields: readonly FieldViewDefinition[]
  readonly creation_fields?: readonly string[]
  readonly allowed_update_fields?: readonly string[]
  readonly rules?: readonly RuleDefinition[]
  /** TypeScript only: returns messages by field for a merged record, or undefined if it is valid. */
  readonly validate?: (record: never) => Readonly<Record<string, string | readonly string[] | undefined>> | undefined
}

/** The columns of a list of records. */
export interface ListViewDefinition {
  readonly name: string
  readonly view_type: 'list'
  /** Class name of the model. */
  readonly model: string
  readonly fields: readonly FieldViewDefinition[]
}

/** A view, as written. */
export type ViewDefinition = FormViewDefinition | ListViewDefinition

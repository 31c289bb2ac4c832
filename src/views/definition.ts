import type { Json, JsonObject } from '../util/json.ts'

/** Editing and display of one field of a model. */
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

/** A field of a form. */
export interface FormFieldDefinition extends FieldViewDefinition {
  /** The field is displayed only while this condition over `self`, the record, holds (Common Expression Language). */
  readonly visible_when?: string
}

/** The operations that a form opens for. */
export const FORM_USES = ['create', 'update'] as const

/** Fields that a form displays together under a title. */
export interface FieldGroupDefinition {
  readonly title: string
  readonly fields: readonly string[]
  /** True if the group is folded at first. */
  readonly collapsed?: boolean
}

/** A field that a list is sorted by at first; one of a related record is named `author.username`. */
export interface SortDefinition {
  readonly field: string
  /** Default: `asc`. */
  readonly order?: 'asc' | 'desc'
}

/** A cross-field condition over the merged record, as a CEL expression over `self`. */
export interface RuleDefinition {
  readonly rule: string
  /** The field that the message is shown at. */
  readonly field: string
  readonly message: string
}

/** Records of another model that a form edits as a table below its fields: the lines of an invoice. */
export interface RelatedRowsDefinition {
  /** The relation of the other model to this one: `invoiceline.invoice_id`. */
  readonly field: string
  /** Default: the label of the other model. */
  readonly title?: string
  /** Fields of the other model. */
  readonly columns: readonly string[]
  /** The form of the other model that rows are written under, and that opens at the side for all fields of a row. */
  readonly form?: string
  /** The order of the rows. Rows that are sorted by an integer, ascending, can be moved. */
  readonly sort?: readonly SortDefinition[]
  /** The most rows that the form shows. Default: `DEFAULT_FORM_ROWS`. */
  readonly limit?: number
}

/** The rows that a table of a form shows without `limit`. */
export const DEFAULT_FORM_ROWS = 200
/** The largest `limit` of a table of a form: rows that one request can store with their record. */
export const MAX_FORM_ROWS = 500

/** A form: creates and updates records; its name is the `form_id`. */
export interface FormViewDefinition {
  readonly name: string
  readonly view_type: 'form'
  /** Class name of the model. */
  readonly model: string
  readonly fields: readonly FormFieldDefinition[]
  /** Operations that this form opens for; without it, the first form that fits opens. */
  readonly use?: readonly (typeof FORM_USES)[number][]
  readonly groups?: readonly FieldGroupDefinition[]
  /** Tables of records that refer to the one in the form. They are stored with it, in one transaction. */
  readonly related?: readonly RelatedRowsDefinition[]
  /** The actions that it offers, in this order; all of the model when absent. */
  readonly actions?: readonly string[]
  readonly creation_fields?: readonly string[]
  readonly allowed_update_fields?: readonly string[]
  readonly rules?: readonly RuleDefinition[]
  /** TypeScript only: returns messages by field for a merged record, or undefined if it is valid. */
  readonly validate?: (record: never) => Readonly<Record<string, string | readonly string[] | undefined>> | undefined
}

/** How a list is displayed besides its table. The first one that is written is displayed at first. */
export interface ListLayoutDefinition {
  /** A column for each value of this field, which has choices or is a relation to one record. */
  readonly board?: string
  /** The records by day, week and month. */
  readonly calendar?: CalendarDefinition
}

/** The fields by which a calendar places its records: dates or times. */
export interface CalendarDefinition {
  readonly start: string
  /** Of the same type as `start`. A day of the end belongs to the record, a point in time does not. */
  readonly end?: string
  /** The text of a record; the display field of the model when absent. */
  readonly title?: string
}

/** The columns of a list of records. */
export interface ListViewDefinition {
  readonly name: string
  readonly view_type: 'list'
  /** Class name of the model. */
  readonly model: string
  readonly fields: readonly FieldViewDefinition[]
  /** The order at first. */
  readonly sort?: readonly SortDefinition[]
  /** Number of records on a page at first. */
  readonly page_size?: number
  /** Fields that are offered first as filters. */
  readonly filters?: readonly string[]
  /** The form through which cells may be edited. */
  readonly inline_form?: string
  /** What it is displayed as besides a table. */
  readonly layout?: ListLayoutDefinition
  /** The actions that it offers, in this order; all of the model when absent. */
  readonly actions?: readonly string[]
}

/** A view, as written. */
export type ViewDefinition = FormViewDefinition | ListViewDefinition

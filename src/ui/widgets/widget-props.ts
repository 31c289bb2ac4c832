import type { SiteField, SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import type { FieldView } from '../data/views.ts'

/** Attributes that connect an input with its label, help and messages; as `ui/parts/field.tsx` sets them, or a name of its own. */
export interface WidgetLinks {
  readonly id?: string
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: true | undefined
  readonly 'aria-required'?: true | undefined
}

export interface WidgetProps {
  readonly field: FieldView
  /** The model that has the field. */
  readonly model: SiteModel
  /** The value as the API takes it: null for none, the id of a related record, a list of ids; or an `Unparsed`. */
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly links: WidgetLinks
  /** The record of the value: it names related records, which are otherwise asked for. */
  readonly record?: AnyRecord | undefined
}

/** What a widget gets, with the field of the model resolved. */
export interface InputProps extends WidgetProps {
  readonly modelField: SiteField
}

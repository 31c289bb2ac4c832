import type { SiteField } from '../../client/client.ts'
import { choicesOf } from '../cells/choices.ts'
import type { FieldView } from '../data/views.ts'

/** The kinds of inputs. A kind fits several widgets and types. */
export type WidgetKind =
  | 'line'
  | 'lines'
  | 'markdown'
  | 'number'
  | 'range'
  | 'switch'
  | 'select'
  | 'radio'
  | 'suggest'
  | 'choices'
  | 'checkboxes'
  | 'words'
  | 'color'
  | 'date'
  | 'time'
  | 'datetime'
  | 'json'
  | 'files'
  | 'password'
  | 'relation'
  | 'relations'

/** The kind of a type whose view names no widget, or one that the page does not have. */
const BY_TYPE: Readonly<Record<string, WidgetKind>> = {
  text: 'lines',
  integer: 'number',
  number: 'number',
  decimal: 'number',
  boolean: 'switch',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  choice: 'select',
  multichoice: 'choices',
  json: 'json',
  file: 'files',
  image: 'files',
  password: 'password',
  foreignkey: 'relation',
  one_to_one: 'relation',
  many_to_many: 'relations',
}

/** A kind for the types that choices may be offered for. */
const ofChoices = (kind: WidgetKind) =>
  Object.fromEntries(['boolean', 'choice', 'string', 'slug', 'integer', 'number', 'decimal'].map((type) => [type, kind]))

/** The kinds that widgets ask for, where the type allows them. */
const BY_WIDGET: Readonly<Record<string, Readonly<Record<string, WidgetKind>>>> = {
  textarea: { string: 'lines', text: 'lines' },
  markdown: { text: 'markdown' },
  text: { text: 'line' },
  color: { string: 'color' },
  range: { integer: 'range', number: 'range', decimal: 'range' },
  radio: ofChoices('radio'),
  select: ofChoices('select'),
  autocomplete: { string: 'suggest', choice: 'suggest' },
  checkboxes: { multichoice: 'checkboxes' },
  tags: { json: 'words' },
}

/** The kind of input for a field of a view. A widget that does not fit the type, or is not known, gives the kind of the type. */
export function widgetKind(field: FieldView, modelField: SiteField): WidgetKind {
  const { type } = modelField
  const wanted = BY_WIDGET[field.widget ?? '']?.[type] ?? BY_TYPE[type] ?? 'line'
  const hasNoChoice =
    type !== 'boolean' && (wanted === 'select' || wanted === 'radio') && choicesOf(field, modelField).length === 0
  return hasNoChoice ? (type === 'choice' ? 'line' : (BY_TYPE[type] ?? 'line')) : wanted
}

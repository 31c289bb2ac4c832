import type { SiteField } from '../../client/client.ts'
import { choiceOf, plainView } from '../cells/choices.ts'
import type { FieldView, ListView } from '../data/views.ts'
import type { Text } from '../text/en.ts'
import { formatDate, formatDateTime, formatNumber, formatTime } from '../text/format.ts'
import { itemsOf, type ListFilter } from './filter-text.ts'

const TIMES = new Set(['date', 'time', 'datetime'])
const LISTS = new Set(['many_to_many', 'multichoice'])

/** The operators of a field as an editor offers them; `isnull` is two of them. */
export const offeredOperators = (field: SiteField): readonly string[] =>
  field.operators.flatMap((operator) => (operator === 'isnull' ? ['empty', 'filled'] : operator))

/** The operator of an editor for a filter. */
export const editorOperator = ({ operator, value }: Pick<ListFilter, 'operator' | 'value'>): string =>
  operator === 'isnull' ? (value === 'false' ? 'filled' : 'empty') : operator

/** The operator that an editor begins with. */
export function firstOperator(field: SiteField): string {
  const offered = offeredOperators(field)
  const wanted = ['string', 'text', 'slug', 'email', 'url'].includes(field.type)
    ? 'icontains'
    : TIMES.has(field.type)
      ? 'gte'
      : 'eq'
  return offered.includes(wanted) ? wanted : (offered[0] ?? 'eq')
}

/** An operator in words, as they fit the field. */
export function operatorLabel(text: Text['list'], operator: string, field: SiteField): string {
  const { operators, timeOperators, listOperators } = text
  const own: Readonly<Record<string, string>> = TIMES.has(field.type) ? timeOperators : LISTS.has(field.type) ? listOperators : {}
  return own[operator] ?? (operators as Readonly<Record<string, string>>)[operator] ?? operator
}

/** The operator of a filter in words. */
export const operatorText = (text: Text['list'], filter: ListFilter, field: SiteField): string =>
  operatorLabel(text, editorOperator(filter), field)

interface ValueTexts {
  readonly locale: string
  /** The name of a related record by id; undefined if the field is no relation. */
  readonly nameOf: (id: string) => string | undefined
  readonly yes: string
  readonly no: string
}

/** The value of a filter as a person reads it; empty for an operator without one. */
export function shownValue({ operator, value }: ListFilter, field: FilterField, texts: ValueTexts): string {
  if (operator === 'isnull') return ''
  const items = operator === 'in' ? itemsOf(value) : [value]
  return items.map((item) => shownItem(item, field, texts)).join(', ')
}

function shownItem(item: string, { field, view }: FilterField, { locale, nameOf, yes, no }: ValueTexts): string {
  switch (field.type) {
    case 'boolean':
      return view.options?.labels?.[item] ?? (item === 'true' ? yes : no)
    case 'choice':
    case 'multichoice':
      return choiceOf(item, view, field).label
    case 'date':
      return formatDate(item, locale)
    case 'datetime':
      return formatDateTime(item, locale)
    case 'time':
      return formatTime(item)
    case 'integer':
    case 'number':
    case 'decimal':
      return item !== '' && Number.isFinite(Number(item)) ? formatNumber(item, locale) : item
    default:
      return nameOf(item) ?? item
  }
}

/** A field that a list is filtered by, with the title, labels and colours that the list view gives it. */
export interface FilterField {
  readonly field: SiteField
  readonly view: FieldView & { readonly title: string }
}

/**
 * A field as the filters of a list show it. Limits and narrowed choices of the view are left out, since records may have other values.
 *
 * @param list undefined for a field of a related model
 */
export function filterField(field: SiteField, list: ListView | undefined): FilterField {
  const view = list?.fields.find(({ name }) => name === field.name || name === field.relation?.name)
  const { labels, colors } = view?.options ?? {}
  const options = { ...(labels && { labels }), ...(colors && { colors }) }
  return { field, view: { ...plainView(field), title: view?.title ?? field.label, options } }
}

import type { SiteField } from '../../client/client.ts'
import { plainView } from '../cells/choices.ts'
import { valueText } from '../cells/value-text.ts'
import type { FieldView, ListView } from '../data/views.ts'
import type { Text } from '../text/en.ts'
import { formatList } from '../text/format.ts'
import { endsOf, isPeriod, itemsOf, type ListFilter } from './filter-text.ts'

const TIMES = new Set(['date', 'time', 'datetime'])
const DAYS = new Set(['date', 'datetime'])
const NUMBERS = new Set(['integer', 'number', 'decimal'])
const LISTS = new Set(['many_to_many', 'multichoice'])

/** How the value of a filter is given: some of listed choices, related records, or what fits the type. */
type FilterKind = 'choices' | 'related' | 'days' | 'numbers' | 'text'

/** @param canPick false if the user cannot list the related records, and enters their ids */
export function filterKind(field: SiteField, canPick: boolean): FilterKind {
  if (field.relation !== null) return canPick ? 'related' : 'text'
  if (field.type === 'boolean' || (field.choices ?? []).length > 0) return 'choices'
  if (DAYS.has(field.type)) return 'days'
  return NUMBERS.has(field.type) || field.type === 'time' ? 'numbers' : 'text'
}

const ORDER = ['gt', 'gte', 'lt', 'lte']

/** The operators of a kind in the order in which they are offered, the one that an editor begins with first. */
const OFFERED: Readonly<Record<FilterKind, readonly string[]>> = {
  choices: ['in', 'ne', 'empty', 'filled'],
  related: ['in', 'ne', 'empty', 'filled'],
  days: ['within', 'between', ...ORDER, 'eq', 'ne', 'in', 'empty', 'filled'],
  numbers: ['between', 'eq', 'ne', ...ORDER, 'in', 'empty', 'filled'],
  text: ['icontains', 'eq', 'ne', 'startswith', 'endswith', 'in', 'empty', 'filled'],
}

/** The operator of the API that a field must have for an operator of an editor. */
const NEEDED: Readonly<Record<string, string>> = { empty: 'isnull', filled: 'isnull', within: 'gte', between: 'gte' }

/** The operators of a field as an editor offers them. @param present one that the filter has, which is offered in any case */
export function offeredOperators(field: SiteField, kind: FilterKind, present?: string): readonly string[] {
  const offered = OFFERED[kind].filter((operator) => field.operators.includes(NEEDED[operator] ?? operator))
  return present === undefined || offered.includes(present) ? offered : [present, ...offered]
}

/** The operator of an editor for a filter. Of choices and related records one is chosen as several are. */
export function editorOperator({ operator, value }: Pick<ListFilter, 'operator' | 'value'>, kind: FilterKind): string {
  if (operator === 'isnull') return value === 'false' ? 'filled' : 'empty'
  return operator === 'eq' && (kind === 'choices' || kind === 'related') ? 'in' : operator
}

/** An operator in words, as they fit the field. */
export function operatorLabel(text: Text['list'], operator: string, field: SiteField): string {
  const { operators, timeOperators, listOperators } = text
  const own: Readonly<Record<string, string>> = TIMES.has(field.type) ? timeOperators : LISTS.has(field.type) ? listOperators : {}
  return own[operator] ?? (operators as Readonly<Record<string, string>>)[operator] ?? operator
}

interface SentenceTexts {
  readonly text: Text
  readonly locale: string
  /** The name of a related record by id; undefined if the field is no relation. */
  readonly nameOf: (id: string) => string | undefined
}

/** A filter as a sentence: "Status is Draft or Published". @param title of the field */
export function filterSentence(title: string, filter: ListFilter, shown: FilterField, texts: SentenceTexts): string {
  const { text, locale, nameOf } = texts
  const { operator, value } = filter
  const words = (name: string, end = '') => [title, operatorLabel(text.list, name, shown.field), end].filter(Boolean).join(' ')
  const item = (each: string) => nameOf(each) ?? valueText(each, shown.field, shown.view, texts)
  switch (operator) {
    case 'isnull':
      return words(value === 'false' ? 'filled' : 'empty')
    case 'in':
      return words('eq', formatList(itemsOf(value).map(item), locale))
    case 'within':
      return isPeriod(value) ? text.list.inPeriod(title, text.list.periodPhrases[value]) : title
    case 'between': {
      const [from = '', to = ''] = endsOf(value) ?? []
      if (from !== '' && to !== '') return text.list.between(title, item(from), item(to))
      return from === '' ? words('lte', item(to)) : words('gte', item(from))
    }
    default:
      return words(operator, item(value))
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

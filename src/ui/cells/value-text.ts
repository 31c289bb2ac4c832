import type { SiteField } from '../../client/client.ts'
import type { FieldView } from '../data/views.ts'
import type { Text } from '../text/en.ts'
import { formatDate, formatDateTime, formatNumber, formatTime } from '../text/format.ts'
import { choiceOf } from './choices.ts'

interface ValueTexts {
  readonly text: Text
  readonly locale: string
}

/** A value, or an item of a list, within a sentence: the label of a choice, a date as the browser writes it. @param item as filters write it */
export function valueText(item: string, field: SiteField, view: FieldView, { text, locale }: ValueTexts): string {
  switch (field.type) {
    case 'boolean':
      return view.options?.labels?.[item] ?? (item === 'true' ? text.common.yes : text.common.no)
    case 'choice':
    case 'multichoice':
      return choiceOf(item, view, field).label
    case 'date':
      return formatDate(item, locale)
    case 'datetime':
      return item.includes('T') ? formatDateTime(item, locale) : formatDate(item, locale)
    case 'time':
      return formatTime(item)
    case 'integer':
    case 'number':
    case 'decimal':
      return item !== '' && Number.isFinite(Number(item)) ? formatNumber(item, locale) : item
    default:
      return item
  }
}

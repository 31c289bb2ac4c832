import { formatDate, formatDateTime, formatTime, utcText } from './format.ts'
import { useLocale } from './use-locale.ts'

/** A date or time in the browser's locale; a point in time shows its UTC value on hover. */
export function DateCell({ type, value }: { readonly type: 'date' | 'time' | 'datetime'; readonly value: string }) {
  const locale = useLocale()
  if (type === 'time') return <span className="cell-date">{formatTime(value)}</span>
  const shown = type === 'date' ? formatDate(value, locale) : formatDateTime(value, locale)
  return (
    <time className="cell-date" dateTime={value} title={type === 'datetime' ? utcText(value) : undefined}>
      {shown}
    </time>
  )
}

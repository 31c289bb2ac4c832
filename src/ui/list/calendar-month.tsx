import { Plus } from 'lucide-react'
import { useNarrow } from '../hooks.ts'
import { IconButton } from '../parts/button.tsx'
import { localeDates } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'
import { EntryLink, type ShownCalendar } from './calendar-entry.tsx'
import { entryBars, shownBars } from './calendar-layout.ts'

/** Rows of entries in a week; the last one may say how many there are besides. */
const ROWS = 4

/** The weeks of a month. Arrow keys go from day to day, Tab through the records of the day. */
export function CalendarMonth(props: ShownCalendar) {
  const { entries, weeks, today, place, go, onAdd, fields } = props
  const text = useLaterText().layouts
  const locale = useLocale()
  const isNarrow = useNarrow()
  const named = (name: string, options: Intl.DateTimeFormatOptions) => {
    const format = localeDates(locale, `calendar ${name}`, { ...options, timeZone: 'UTC' })
    return (day: string) => format.format(new Date(`${day}T00:00:00Z`))
  }
  const weekday = named('weekday', { weekday: 'short' })
  const wholeDay = named('whole day', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const countOf = (day: string) => entries.filter(({ first, last }) => first <= day && last >= day).length
  return (
    <div className="schedule-month">
      <div className="schedule-week schedule-weekdays" aria-hidden>
        {weeks[0]?.map((day) => (
          <span key={day}>{weekday(day)}</span>
        ))}
      </div>
      {weeks.map((week) => {
        const { shown, hidden } = shownBars(isNarrow ? [] : entryBars(entries, week), ROWS, week.length)
        return (
          <div key={week[0]} className="schedule-week">
            {week.map((day, column) => {
              const count = countOf(day)
              const isActive = day === place.day
              const more = isNarrow ? count : (hidden[column] ?? 0)
              return (
                // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form.
                <div
                  key={day}
                  role="group"
                  aria-label={`${wholeDay(day)}, ${text.entries(count)}`}
                  className="schedule-cell"
                  style={{ gridColumn: column + 1 }}
                  data-day={isNarrow ? undefined : day}
                  data-outside={day.slice(0, 7) !== place.day.slice(0, 7) || undefined}
                >
                  <div className="schedule-cell-head">
                    <button
                      type="button"
                      className="schedule-date"
                      tabIndex={isActive ? 0 : -1}
                      data-date={day}
                      data-active={isActive || undefined}
                      aria-current={day === today ? 'date' : undefined}
                      aria-label={wholeDay(day)}
                      onClick={() => go({ scale: 'day', day })}
                    >
                      {Number(day.slice(8))}
                    </button>
                    {onAdd !== undefined && !isNarrow && (
                      <IconButton
                        className="schedule-add"
                        label={text.addOn(wholeDay(day))}
                        tabIndex={isActive ? 0 : -1}
                        icon={<Plus size={14} aria-hidden />}
                        onClick={() => onAdd(day)}
                      />
                    )}
                  </div>
                  {more > 0 && (
                    <button
                      type="button"
                      className="schedule-more"
                      tabIndex={isActive || isNarrow ? 0 : -1}
                      aria-label={text.moreOn(more, wholeDay(day))}
                      onClick={() => go({ scale: 'day', day })}
                    >
                      {isNarrow ? more : text.moreShort(more)}
                    </button>
                  )}
                </div>
              )
            })}
            {shown.map(({ entry, column, span, row, startsBefore, endsAfter }) => (
              <EntryLink
                key={entry.record.id}
                {...props}
                {...{ entry, startsBefore, endsAfter }}
                hasGrip={fields.isDays}
                tabIndex={week.slice(column, column + span).includes(place.day) ? 0 : -1}
                style={{ gridColumn: `${column + 1} / span ${span}`, gridRow: row + 2 }}
              />
            ))}
          </div>
        )
      })}
    </div>
  )
}

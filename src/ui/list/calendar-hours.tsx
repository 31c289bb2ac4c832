import { Plus } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { IconButton } from '../parts/button.tsx'
import { localeDates } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'
import { EntryLink, type ShownCalendar } from './calendar-entry.tsx'
import { entryBars, hourBlocks, isAllDay } from './calendar-layout.ts'

const DAY_MINUTES = 1440
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** The hour that is in sight at first. */
const FIRST_HOUR = 7

/** Minutes from which on a block has room for several lines. */
const TALL = 45

const percent = (minutes: number) => `${(minutes / DAY_MINUTES) * 100}%`

/** The hours of a week or a day, with whole days above them. */
export function CalendarHours(props: ShownCalendar) {
  const { entries, days, today, place, go, onAdd, fields } = props
  const text = useLaterText().layouts
  const locale = useLocale()
  const scroller = useRef<HTMLElement>(null)
  const first = useRef(Math.min(FIRST_HOUR * 60, ...entries.filter((each) => !isAllDay(each)).map(({ from = 0 }) => from)))
  useLayoutEffect(() => {
    const frame = scroller.current
    const hours = frame?.querySelector<HTMLElement>('[data-hours]')
    if (frame && hours) frame.scrollTop = (first.current / DAY_MINUTES) * hours.offsetHeight
  }, [])
  const named = (name: string, options: Intl.DateTimeFormatOptions) => {
    const format = localeDates(locale, `calendar ${name}`, { ...options, timeZone: 'UTC' })
    return (day: string) => format.format(new Date(`${day}T00:00:00Z`))
  }
  const head = named('head', { weekday: 'short', day: 'numeric' })
  const wholeDay = named('whole day', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const hourText = localeDates(locale, 'calendar hour', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
  const bars = entryBars(entries.filter(isAllDay), days)
  const rows = Math.max(0, ...bars.map(({ row }) => row + 1))
  const now = new Date()
  return (
    <section
      ref={scroller}
      className="schedule-hours"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the hours can be scrolled by keyboard.
      tabIndex={0}
      aria-label={text.hours}
      data-count={days.length}
    >
      <div className="schedule-heads">
        <span className="schedule-gutter" aria-hidden />
        {days.map((day) => (
          <div key={day} className="schedule-head">
            <button
              type="button"
              className="schedule-date"
              data-date={day}
              data-active={(days.length > 1 && day === place.day) || undefined}
              aria-current={day === today ? 'date' : undefined}
              onClick={() => go({ scale: 'day', day })}
            >
              <span aria-hidden>{head(day)}</span>
              <span className="visually-hidden">{wholeDay(day)}</span>
            </button>
            {onAdd !== undefined && (
              <IconButton
                className="schedule-add"
                label={text.addOn(wholeDay(day))}
                icon={<Plus size={14} aria-hidden />}
                onClick={() => onAdd(day)}
              />
            )}
          </div>
        ))}
        {(rows > 0 || fields.isDays) && <span className="schedule-gutter schedule-all">{text.allDay}</span>}
        {(rows > 0 || fields.isDays) && (
          <div className="schedule-wholes">
            {days.map((day, column) => (
              <div key={day} className="schedule-whole" data-day={day} style={{ gridColumn: column + 1 }} />
            ))}
            {bars.map(({ entry, column, span, row, startsBefore, endsAfter }) => (
              <EntryLink
                key={entry.record.id}
                {...props}
                {...{ entry, startsBefore, endsAfter }}
                hasGrip={fields.isDays}
                style={{ gridColumn: `${column + 1} / span ${span}`, gridRow: row + 1 }}
              />
            ))}
          </div>
        )}
      </div>
      {!fields.isDays && (
        <div className="schedule-grid">
          <div className="schedule-gutter" aria-hidden>
            {HOURS.map((hour) => (
              <span key={hour}>{hour === 0 ? '' : hourText.format(new Date(hour * 3_600_000))}</span>
            ))}
          </div>
          {days.map((day) => {
            const blocks = hourBlocks(entries, day)
            return (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form.
              <div
                key={day}
                role="group"
                aria-label={`${wholeDay(day)}, ${text.entries(blocks.length)}`}
                className="schedule-column"
                data-day={day}
                data-hours=""
              >
                {day === today && (
                  <span className="schedule-now" style={{ top: percent(now.getHours() * 60 + now.getMinutes()) }} aria-hidden />
                )}
                {blocks.map(({ entry, from, to, column, columns }) => (
                  <EntryLink
                    key={entry.record.id}
                    {...props}
                    entry={entry}
                    startsBefore={entry.first < day}
                    endsAfter={entry.last > day}
                    hasGrip
                    isTall={to - from >= TALL}
                    style={{
                      top: percent(from),
                      height: percent(to - from),
                      left: `${(column / columns) * 100}%`,
                      width: `${100 / columns}%`,
                    }}
                  />
                ))}
              </div>
            )
          })}
        </div>
      )}
    </section>
  )
}

import '../styles/calendar.css'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { addMonths, firstWeekday, movedDay, weeksOf } from '../text/days.ts'
import { localeDates } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { IconButton } from './button.tsx'

interface CalendarProps {
  /** The chosen day, such as `2026-07-02`; undefined for none. */
  readonly day: string | undefined
  readonly today: string
  readonly onChoose: (day: string) => void
  /** What stands below the days. */
  readonly children: ReactNode
}

/** How days and months are named. */
const NAMES = {
  weekday: { weekday: 'short', timeZone: 'UTC' },
  longWeekday: { weekday: 'long', timeZone: 'UTC' },
  wholeDay: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  month: { month: 'long', year: 'numeric', timeZone: 'UTC' },
} satisfies Record<string, Intl.DateTimeFormatOptions>

/** The days of a month, of which one can be chosen. Keys move by day, week, month and year, as in other date grids. */
export function Calendar({ day, today, onChoose, children }: CalendarProps) {
  const text = useText().dates
  const locale = useLocale()
  const title = useId()
  const [active, setActive] = useState(day ?? today)
  const grid = useRef<HTMLTableElement>(null)
  const hasMoved = useRef(false)
  const first = firstWeekday(locale)
  const weeks = weeksOf(active, first)

  useEffect(() => {
    if (hasMoved.current) grid.current?.querySelector<HTMLElement>(`[data-day="${active}"]`)?.focus()
    hasMoved.current = false
  }, [active])

  const onKeyDown = (event: KeyboardEvent) => {
    const next = movedDay(active, event.key, event.shiftKey, first)
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    hasMoved.current = true
    setActive(next)
  }
  const named = (name: keyof typeof NAMES) => {
    const format = localeDates(locale, name, NAMES[name])
    return (each: string) => format.format(new Date(`${each}T00:00:00Z`))
  }
  const [weekday, longWeekday, wholeDay] = [named('weekday'), named('longWeekday'), named('wholeDay')]
  const turn = (label: string, months: number) => (
    <IconButton
      label={label}
      icon={months < 0 ? <ChevronLeft size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
      onClick={() => setActive(addMonths(active, months))}
    />
  )
  return (
    <div className="calendar">
      <div className="calendar-head">
        {turn(text.previousMonth, -1)}
        <h2 id={title} className="calendar-title" aria-live="polite">
          {named('month')(active)}
        </h2>
        {turn(text.nextMonth, 1)}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a date grid is a table whose cells take keys. */}
      <table ref={grid} role="grid" aria-labelledby={title} className="calendar-days" onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weeks[0]?.map((each) => (
              <th key={each} scope="col" abbr={longWeekday(each)}>
                {weekday(each)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((each) => (
                // biome-ignore lint/a11y/useAriaPropsSupportedByRole: cells of a grid can be selected.
                <td key={each} aria-selected={each === day}>
                  <button
                    type="button"
                    className="calendar-day"
                    tabIndex={each === active ? 0 : -1}
                    data-day={each}
                    data-active={each === active || undefined}
                    data-outside={each.slice(0, 7) !== active.slice(0, 7) || undefined}
                    aria-label={wholeDay(each)}
                    aria-current={each === today ? 'date' : undefined}
                    onClick={() => onChoose(each)}
                  >
                    {Number(each.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </div>
  )
}

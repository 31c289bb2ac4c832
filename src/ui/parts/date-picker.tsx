import '../styles/calendar.css'
import { CalendarDays } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { useText } from '../text/text.tsx'
import { Button, IconButton } from './button.tsx'
import { lazyPart } from './lazy-part.ts'
import { Popover } from './popups.tsx'
import type { SelectProps } from './select-popup.tsx'
import { Skeleton } from './states.tsx'

const Calendar = lazyPart(() => import('./calendar.tsx').then((module) => module.Calendar))

interface DatePickerProps {
  /** Attributes that connect the input with its label, help and messages. */
  readonly links: SelectProps['links']
  readonly placeholder: string
  /** What is typed. */
  readonly text: string
  readonly onText: (text: string) => void
  readonly onBlur: () => void
  /** The chosen day, such as `2026-07-02`; undefined for none. */
  readonly day: string | undefined
  readonly today: string
  /** The calendar closes then, unless `isStaying`, since a time belongs to the day. */
  readonly onDay: (day: string) => void
  readonly isStaying?: boolean
  /** Removes the value. */
  readonly onClear: () => void
  /** What the button for the present moment does. */
  readonly onNow: () => void
  readonly nowLabel: string
  /** Stands below the days, such as an input for a time. */
  readonly children?: ReactNode
}

/** A date that is typed, or chosen in a calendar beside the input. */
export function DatePicker(props: DatePickerProps) {
  const { links, placeholder, text, onText, onBlur, day, today, onDay, isStaying = false, onClear, onNow, nowLabel } = props
  const words = useText().dates
  const [isOpen, setOpen] = useState(false)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    setOpen(true)
  }
  /** Does something and closes the calendar. */
  const closing = (action: () => void) => () => {
    action()
    setOpen(false)
  }
  return (
    <div className="date-picker">
      <input
        {...links}
        className="input date-input"
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
      />
      <Popover
        trigger={<IconButton className="date-open" label={words.open} icon={<CalendarDays size={16} aria-hidden />} />}
        label={words.calendar}
        focusOn="[data-active]"
        align="end"
        isOpen={isOpen}
        onOpenChange={setOpen}
        fallback={<Skeleton lines={7} />}
      >
        <Calendar
          day={day}
          today={today}
          onChoose={(chosen) => {
            onDay(chosen)
            if (!isStaying) setOpen(false)
          }}
        >
          {props.children}
          <div className="calendar-actions">
            <Button kind="quiet" onClick={closing(onClear)}>
              {words.clear}
            </Button>
            <Button kind="quiet" onClick={closing(onNow)}>
              {nowLabel}
            </Button>
          </div>
        </Calendar>
      </Popover>
    </div>
  )
}

import { textOf } from '../texts/textarea.tsx'
import type { InputProps } from '../widget-props.ts'
import { stepFor } from './date-times.ts'

/** A day. */
export const DateInput = ({ value, onChange, links }: InputProps) => (
  <input
    {...links}
    className="input date-input"
    type="date"
    value={textOf(value)}
    onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
  />
)

/** A time of day. */
export const TimeInput = ({ value, onChange, links }: InputProps) => (
  <input
    {...links}
    className="input date-input"
    type="time"
    step={stepFor(textOf(value))}
    value={textOf(value)}
    onChange={(event) => onChange(event.target.value === '' ? null : withSeconds(event.target.value))}
  />
)

/** Browsers leave out seconds that are zero. */
const withSeconds = (time: string): string => (time.length === 5 ? `${time}:00` : time)

import { useTyped } from '../use-typed.ts'
import type { InputProps } from '../widget-props.ts'
import { fromLocal, stepFor, toLocal } from './date-times.ts'

/** A date and time in the browser's time zone; it is sent with the offset. */
export function DatetimeInput({ modelField, value, onChange, links, record }: InputProps) {
  const stored = record?.[modelField.name]
  const [text, setText] = useTyped({ value, onChange, format: toLocal, parse: (typed) => fromLocal(typed, stored) })
  return (
    <input
      {...links}
      className="input date-input"
      type="datetime-local"
      step={stepFor(text)}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

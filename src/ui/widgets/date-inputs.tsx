import { useText } from '../text/text.tsx'
import { fromLocal, repeatedTimes, stepFor, toLocal } from './date-times.ts'
import { inputText } from './text-inputs.tsx'
import { useTyped } from './unparsed.ts'
import type { InputProps } from './widget-props.ts'

/** A day. */
export const DateInput = ({ value, onChange, links }: InputProps) => (
  <input
    {...links}
    className="input date-input"
    type="date"
    value={inputText(value)}
    onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
  />
)

/** A time of day. */
export const TimeInput = ({ value, onChange, links }: InputProps) => (
  <input
    {...links}
    className="input date-input"
    type="time"
    step={stepFor(inputText(value))}
    value={inputText(value)}
    onChange={(event) => onChange(event.target.value === '' ? null : withSeconds(event.target.value))}
  />
)

/** Browsers leave out seconds that are zero. */
const withSeconds = (time: string): string => (time.length === 5 ? `${time}:00` : time)

/**
 * A date and time in the browser's time zone; it is sent with the offset. Of a time that comes twice when clocks are set back, either can be
 * chosen.
 */
export function DatetimeInput({ modelField, value, onChange, links, record }: InputProps) {
  const { form } = useText()
  // A choice between two times holds while the minutes are typed.
  const isChosen = repeatedTimes(toLocal(value)).length > 0
  const before = isChosen ? value : record?.[modelField.name]
  const [text, setText] = useTyped({ value, onChange, format: toLocal, parse: (typed) => fromLocal(typed, before) })
  const repeated = repeatedTimes(text)
  return (
    <>
      <input
        {...links}
        className="input date-input"
        type="datetime-local"
        step={stepFor(text)}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {repeated.length > 0 && (
        <select
          className="input date-input"
          aria-label={form.repeatedTime}
          value={repeated.find((each) => Date.parse(each.value) === Date.parse(String(value)))?.value}
          onChange={(event) => onChange(event.target.value)}
        >
          {repeated.map((each, index) => (
            <option key={each.offset} value={each.value}>
              {form.timeOfTwo(index === 0, each.offset)}
            </option>
          ))}
        </select>
      )}
    </>
  )
}

import { useText } from '../../text/text.tsx'
import { useTyped } from '../use-typed.ts'
import type { InputProps } from '../widget-props.ts'
import { fromLocal, repeatedTimes, stepFor, toLocal } from './date-times.ts'

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

import { DatePicker } from '../parts/date-picker.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'
import { isDay } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import {
  type DateSigns,
  dateSigns,
  dayPattern,
  dayText,
  momentText,
  readDays,
  readMoments,
  readTime,
  timeText,
} from '../text/typed-dates.ts'
import { fromLocal, repeatedTimes, toLocal } from './date-times.ts'
import { inputText } from './text-inputs.tsx'
import { type InputFault, Unparsed, useTyped } from './unparsed.ts'
import type { InputProps } from './widget-props.ts'

/** The present local time, such as `2026-07-02T10:30`. */
const localNow = (): string => toLocal(new Date().toISOString()).slice(0, 16)

/** A day, as the language writes it. */
export function DateInput({ field, value, onChange, links }: InputProps) {
  const text = useText().dates
  const signs = dateSigns(useLocale())
  const pattern = dayPattern(signs, text.pattern)
  const format = (day: unknown) => dayText(inputText(day), signs)
  const parse = (typed: string) => one(typed, readDays(typed, signs), { kind: 'date', pattern }, format)
  const [typed, setTyped, settle] = useTyped({ value, onChange, format, parse })
  const today = localNow().slice(0, 10)
  return (
    <DatePicker
      links={links}
      placeholder={field.placeholder ?? pattern}
      text={typed}
      onText={setTyped}
      onBlur={settle}
      day={typeof value === 'string' && isDay(value) ? value : undefined}
      today={today}
      onDay={onChange}
      onClear={() => onChange(null)}
      onNow={() => onChange(today)}
      nowLabel={text.today}
    />
  )
}

/** A time of day. */
export function TimeInput({ field, value, onChange, links }: InputProps) {
  const text = useText().dates
  const signs = dateSigns(useLocale())
  const [typed, setTyped, settle] = useTyped({
    value,
    onChange,
    format: (time) => timeText(inputText(time), signs),
    parse: (each) =>
      each.trim() === ''
        ? null
        : (withSeconds(readTime(each)) ?? new Unparsed(each, { kind: 'time', pattern: text.timePattern })),
  })
  return (
    <input
      {...links}
      className="input date-input"
      autoComplete="off"
      placeholder={field.placeholder ?? text.timePattern}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={settle}
    />
  )
}

/** The API takes a time of day with seconds. */
const withSeconds = (time: string | undefined): string | undefined => (time?.length === 5 ? `${time}:00` : time)

/**
 * A date and time in the browser's time zone; it is sent with the offset. Of a time that comes twice when clocks are set back, either can be
 * chosen.
 */
export function DatetimeInput({ field, modelField, value, onChange, links, record }: InputProps) {
  const text = useText()
  const signs = dateSigns(useLocale())
  const pattern = `${dayPattern(signs, text.dates.pattern)}, ${text.dates.timePattern}`
  // A choice between two times holds while the minutes are typed.
  const isChosen = repeatedTimes(toLocal(value)).length > 0
  const before = isChosen ? value : record?.[modelField.name]
  const parse = (typed: string): unknown => {
    const local = one(typed, readMoments(typed, signs), { kind: 'datetime', pattern }, (each) => momentText(each, signs))
    return typeof local === 'string' ? kept(fromLocal(local, before), typed) : local
  }
  const format = (moment: unknown) => momentText(toLocal(moment), signs)
  const [typed, setTyped, settle] = useTyped({ value, onChange, format, parse })
  const [local = ''] = readMoments(typed, signs)
  const [day, time] = local.split('T')
  const repeated = repeatedTimes(local)
  const now = localNow()
  const clock = now.slice(11)
  /** Takes a local time as if it had been typed. */
  const take = (next: string) => setTyped(momentText(next, signs))
  return (
    <>
      <DatePicker
        links={links}
        placeholder={field.placeholder ?? pattern}
        text={typed}
        onText={setTyped}
        onBlur={settle}
        day={day === '' ? undefined : day}
        today={now.slice(0, 10)}
        isStaying
        onDay={(next) => take(`${next}T${time ?? clock}`)}
        onClear={() => onChange(null)}
        onNow={() => take(now)}
        nowLabel={text.dates.now}
      >
        <ClockInput time={time} signs={signs} onTime={(next) => take(`${day === '' ? now.slice(0, 10) : day}T${next}`)} />
      </DatePicker>
      {repeated.length > 0 && (
        <Select
          links={{ 'aria-label': text.form.repeatedTime }}
          value={repeated.find((each) => Date.parse(each.value) === Date.parse(String(value)))?.value ?? ''}
          options={repeated.map((each, index) => ({ value: each.value, label: text.form.timeOfTwo(index === 0, each.offset) }))}
          onChange={onChange}
        />
      )}
    </>
  )
}

interface ClockInputProps {
  readonly time: string | undefined
  readonly signs: DateSigns
  readonly onTime: (time: string) => void
}

/** The time beside the calendar of a date and time. */
function ClockInput({ time, signs, onTime }: ClockInputProps) {
  const text = useText().dates
  const [typed, setTyped, settle] = useTyped({
    value: time,
    onChange: (next) => typeof next === 'string' && onTime(next),
    format: (each) => timeText(withSeconds(inputText(each)) ?? '', signs),
    parse: (each) => readTime(each) ?? time,
  })
  return (
    <LabelledField label={text.time} shape="column">
      {(links) => (
        <input
          {...links}
          className="input date-input"
          autoComplete="off"
          placeholder={text.timePattern}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={settle}
        />
      )}
    </LabelledField>
  )
}

/** A fault has the text that was typed, in the place of what was read. */
const kept = (value: unknown, typed: string): unknown => (value instanceof Unparsed ? new Unparsed(typed, value.fault) : value)

/** The only reading of a typed text; null for an empty one, an `Unparsed` for several or, with the given fault, for none. */
function one(typed: string, readings: readonly string[], none: InputFault, write: (reading: string) => string): unknown {
  if (typed.trim() === '') return null
  const [first, second] = readings
  if (first === undefined) return new Unparsed(typed, none)
  return second === undefined ? first : new Unparsed(typed, { kind: 'ambiguousDate', readings: readings.map(write) })
}

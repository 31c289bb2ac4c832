import { useState } from 'react'
import { DatePicker } from '../parts/date-picker.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'
import { isDay } from '../text/days.ts'
import { useLocale, useText } from '../text/text.tsx'
import {
  clockPattern,
  dateSigns,
  dayPattern,
  dayText,
  momentParts,
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
  const parse = (typed: string) => one(typed, readDays(typed, signs), { kind: 'date', pattern }, (day) => dayText(day, signs))
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
  const pattern = clockPattern(signs, text.timePattern)
  const fault = { kind: 'time', pattern } as const
  const [typed, setTyped, settle] = useTyped({
    value,
    onChange,
    format: (time) => timeText(inputText(time), signs),
    parse: (each) => (each.trim() === '' ? null : (withSeconds(readTime(each)) ?? new Unparsed(each, fault))),
  })
  return (
    <input
      {...links}
      className="input date-input"
      autoComplete="off"
      placeholder={field.placeholder ?? pattern}
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
 * chosen. The calendar and the time beside it each change their part of the typed text, and leave the other as it is typed.
 */
export function DatetimeInput({ field, modelField, value, onChange, links, record }: InputProps) {
  const text = useText()
  const signs = dateSigns(useLocale())
  const clockForm = clockPattern(signs, text.dates.timePattern)
  const pattern = `${dayPattern(signs, text.dates.pattern)}, ${clockForm}`
  // A choice between two times holds while the minutes are typed.
  const isChosen = repeatedTimes(toLocal(value)).length > 0
  const before = isChosen ? value : record?.[modelField.name]
  const parse = (typed: string): unknown => {
    const fault = { kind: 'datetime', pattern } as const
    const local = one(typed, readMoments(typed, signs), fault, (each) => momentText(each, signs))
    return typeof local === 'string' ? kept(fromLocal(local, before), typed) : local
  }
  const format = (moment: unknown) => momentText(toLocal(moment), signs)
  const [typed, setTyped, settle] = useTyped({ value, onChange, format, parse })
  const { day, clock } = momentParts(typed)
  const days = readDays(day, signs)
  const repeated = repeatedTimes(readMoments(typed, signs)[0] ?? '')
  const now = localNow()
  const [today = '', present = ''] = now.split('T')
  return (
    <>
      <DatePicker
        links={links}
        placeholder={field.placeholder ?? pattern}
        text={typed}
        onText={setTyped}
        onBlur={settle}
        day={days.length === 1 ? days[0] : undefined}
        today={today}
        isStaying
        onDay={(next) => setTyped(`${dayText(next, signs)}, ${clock === '' ? timeText(present, signs) : clock}`)}
        onClear={() => onChange(null)}
        onNow={() => setTyped(momentText(now, signs))}
        nowLabel={text.dates.now}
      >
        <ClockInput
          clock={clock}
          pattern={clockForm}
          onClock={(next) => setTyped(next === '' ? day : `${day === '' ? dayText(today, signs) : day}, ${next}`)}
          onBlur={settle}
        />
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
  /** The time as it is typed. */
  readonly clock: string
  /** How a time is written. */
  readonly pattern: string
  readonly onClock: (clock: string) => void
  readonly onBlur: () => void
}

/** The time beside the calendar of a date and time. What is typed stays; once it is left, a text that is no time is named. */
function ClockInput({ clock, pattern, onClock, onBlur }: ClockInputProps) {
  const text = useText()
  const [wasLeft, setLeft] = useState(false)
  const isFaulty = wasLeft && clock !== '' && readTime(clock) === undefined
  return (
    <LabelledField label={text.dates.time} shape="column" errors={isFaulty ? [text.form.faultTime(pattern)] : undefined}>
      {(links) => (
        <input
          {...links}
          className="input date-input"
          autoComplete="off"
          placeholder={pattern}
          value={clock}
          onChange={(event) => {
            setLeft(false)
            onClock(event.target.value)
          }}
          onBlur={() => {
            setLeft(true)
            onBlur()
          }}
        />
      )}
    </LabelledField>
  )
}

/** A fault has the text that was typed, in the place of what was read. */
const kept = (value: unknown, typed: string): unknown => (value instanceof Unparsed ? new Unparsed(typed, value.fault) : value)

/** The only reading of a typed text; null for an empty one, an `Unparsed` for none or several. */
function one(typed: string, readings: readonly string[], fault: InputFault, write: (reading: string) => string): unknown {
  if (typed.trim() === '') return null
  const [first, second] = readings
  if (first === undefined) return new Unparsed(typed, fault)
  return second === undefined ? first : new Unparsed(typed, { kind: 'ambiguousDate', readings: readings.map(write) })
}

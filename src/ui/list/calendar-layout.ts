import type { AnyRecord } from '../data/records.ts'
import { addDays, addMonths, endOfMonth, isDay, localDay, startOfWeek } from '../text/days.ts'

/** What a calendar shows at once. */
export const SCALES = ['month', 'week', 'day'] as const

/** What a calendar shows at once. */
export type Scale = (typeof SCALES)[number]

/** What a calendar shows: a day, and how much around it. */
export interface CalendarPlace {
  readonly scale: Scale
  readonly day: string
}

/** Reads a place as the address has it, such as `week.2026-07-02`; of a malformed one what is sound. */
export function calendarPlace(text: string | undefined, today: string): CalendarPlace {
  const [scale, day = ''] = text?.split('.') ?? []
  return { scale: SCALES.find((each) => each === scale) ?? 'month', day: isDay(day) ? day : today }
}

/** The days of a place, in weeks; one day for the scale of a day. @param first the day that weeks begin with: 1 for Monday to 7 for Sunday */
export function weeksAt({ scale, day }: CalendarPlace, first: number): readonly (readonly string[])[] {
  if (scale === 'day') return [[day]]
  const month = `${day.slice(0, 7)}-01`
  const [from, to] = scale === 'week' ? [day, day] : [month, endOfMonth(month)]
  const weeks: string[][] = []
  for (let start = startOfWeek(from, first); start <= to && weeks.length < MAX_WEEKS; start = addDays(start, 7))
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(start, index)))
  return weeks
}

const MAX_WEEKS = 6

/** The place before or after one. */
export function turned({ scale, day }: CalendarPlace, by: -1 | 1): CalendarPlace {
  return { scale, day: scale === 'month' ? addMonths(day, by) : addDays(day, scale === 'week' ? by * 7 : by) }
}

/** The fields that place the records. */
export interface EntryFields {
  readonly start: string
  readonly end: string | undefined
  /** True for fields of days, false for points in time. */
  readonly isDays: boolean
}

/** A record in a calendar. */
export interface CalendarEntry {
  readonly record: AnyRecord
  /** The first and the last day, which both belong to it, in the time zone of the browser. */
  readonly first: string
  readonly last: string
  /** Minutes of the first day before it; undefined for whole days. */
  readonly from: number | undefined
  /** Minutes of the last day at its end, up to 1440. */
  readonly to: number
}

/** Minutes that a record without an end takes in a calendar. */
const LENGTH = 30
const DAY_MINUTES = 1440

const minutesOf = (time: Date): number => time.getHours() * 60 + time.getMinutes()

/** Places a record; undefined without a start. An end before the start is as none. */
export function entryOf(record: AnyRecord, { start, end, isDays }: EntryFields): CalendarEntry | undefined {
  const [begins, ends] = [record[start], end === undefined ? undefined : record[end]]
  if (typeof begins !== 'string') return undefined
  if (isDays) {
    const last = typeof ends === 'string' && ends > begins ? ends : begins
    return isDay(begins) ? { record, first: begins, last, from: undefined, to: DAY_MINUTES } : undefined
  }
  const time = new Date(begins)
  if (Number.isNaN(time.getTime())) return undefined
  const [first, from] = [localDay(time), minutesOf(time)]
  const until = typeof ends === 'string' ? new Date(ends) : undefined
  if (until === undefined || !(until > time)) {
    return { record, first, last: first, from, to: Math.min(from + LENGTH, DAY_MINUTES) }
  }
  const [last, to] = [localDay(until), minutesOf(until)]
  // What ends at midnight ends with the day before.
  return to === 0 ? { record, first, last: addDays(last, -1), from, to: DAY_MINUTES } : { record, first, last, from, to }
}

/** True for a record that stands above the hours: whole days, and what lasts a day or longer. */
export const isAllDay = ({ from, first, last, to }: CalendarEntry): boolean =>
  from === undefined || last > addDays(first, 1) || (last > first && to >= from)

/** Entries in the order of a calendar: by start, the longer first. */
export const sortedEntries = (entries: readonly CalendarEntry[]): readonly CalendarEntry[] =>
  entries.toSorted(
    (one, other) =>
      compare(one.first, other.first) ||
      compare(other.last, one.last) ||
      (one.from ?? -1) - (other.from ?? -1) ||
      one.record.id - other.record.id,
  )

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** An entry within a line of days. */
export interface EntryBar {
  readonly entry: CalendarEntry
  /** Place of its first day in the line. */
  readonly column: number
  readonly span: number
  readonly row: number
  readonly startsBefore: boolean
  readonly endsAfter: boolean
}

/** The bars of a line of days, each in the first row that has room. */
export function entryBars(entries: readonly CalendarEntry[], days: readonly string[]): readonly EntryBar[] {
  const [start = '', end = ''] = [days[0], days.at(-1)]
  const ends: number[] = []
  return sortedEntries(entries.filter(({ first, last }) => first <= end && last >= start)).map((entry) => {
    const column = entry.first < start ? 0 : days.indexOf(entry.first)
    const until = entry.last > end ? days.length - 1 : days.indexOf(entry.last)
    const free = ends.findIndex((taken) => taken < column)
    const row = free === -1 ? ends.length : free
    ends[row] = until
    return { entry, column, span: until - column + 1, row, startsBefore: entry.first < start, endsAfter: entry.last > end }
  })
}

/** The bars that a line of some rows shows, and the number of the others by place of the day. The last row is for these numbers. */
export function shownBars(bars: readonly EntryBar[], rows: number, days: number) {
  const isOver = (column: number) => bars.some((bar) => bar.row >= rows && covers(bar, column))
  const full = Array.from({ length: days }, (_, column) => isOver(column))
  // Where something is hidden, the last row says how much.
  const shown = bars.filter(
    (bar) => bar.row < rows - 1 || (bar.row < rows && !full.some((over, column) => over && covers(bar, column))),
  )
  const hidden = Array.from(
    { length: days },
    (_, column) => bars.filter((bar) => !shown.includes(bar) && covers(bar, column)).length,
  )
  return { shown, hidden }
}

const covers = ({ column, span }: EntryBar, at: number): boolean => column <= at && at < column + span

/** A part of an entry between the hours of one day. */
export interface HourBlock {
  readonly entry: CalendarEntry
  /** Minutes from the beginning of the day. */
  readonly from: number
  readonly to: number
  /** Place among the blocks beside each other, and their number. */
  readonly column: number
  readonly columns: number
}

/** Minutes that a block takes at least, so that its text can be read. */
const LEAST = 20

/** The blocks of a day; those that overlap stand beside each other. */
export function hourBlocks(entries: readonly CalendarEntry[], day: string): readonly HourBlock[] {
  const parts = entries
    .filter((entry) => !isAllDay(entry) && entry.first <= day && entry.last >= day)
    .map((entry) => {
      const from = entry.first < day ? 0 : (entry.from ?? 0)
      const to = entry.last > day ? DAY_MINUTES : entry.to
      return { entry, from: Math.min(from, DAY_MINUTES - LEAST), to: Math.max(to, from + LEAST) }
    })
    .sort((one, other) => one.from - other.from || other.to - one.to || one.entry.record.id - other.entry.record.id)
  const blocks: HourBlock[] = []
  let group: Omit<HourBlock, 'columns'>[] = []
  let end = 0
  const close = () => {
    const columns = Math.max(0, ...group.map(({ column }) => column)) + 1
    blocks.push(...group.map((block) => ({ ...block, columns })))
    group = []
  }
  for (const part of parts) {
    if (part.from >= end) close()
    const taken = new Set(group.filter(({ to }) => to > part.from).map(({ column }) => column))
    let column = 0
    while (taken.has(column)) column++
    group.push({ ...part, column })
    end = Math.max(group.length === 1 ? 0 : end, part.to)
  }
  close()
  return blocks
}

/** By how much something is moved. */
export interface Shift {
  readonly days: number
  readonly minutes: number
}

/** A day or a point in time later by days and minutes on the clock of the browser, so that an hour stays the same hour across a change of clocks. */
export function shifted(value: string, { days, minutes }: Shift, isDays: boolean): string {
  if (isDays) return addDays(value, days)
  const time = new Date(value)
  time.setDate(time.getDate() + days)
  time.setMinutes(time.getMinutes() + minutes)
  return time.toISOString()
}

/** The values of a record that is moved as a whole; of one without an end, only its start. */
export function movedValues(record: AnyRecord, { start, end, isDays }: EntryFields, by: Shift): Readonly<Record<string, string>> {
  const [begins, ends] = [record[start], end === undefined ? undefined : record[end]]
  if (typeof begins !== 'string') return {}
  const next = shifted(begins, by, isDays)
  if (end === undefined || typeof ends !== 'string') return { [start]: next }
  // A change of clocks between the two leaves the length as it is.
  const after = isDays
    ? shifted(ends, by, true)
    : new Date(Date.parse(ends) + Date.parse(next) - Date.parse(begins)).toISOString()
  return { [start]: next, [end]: after }
}

/** The values of a record whose end is moved; undefined if it would not be after the start. */
export function resizedValues(
  record: AnyRecord,
  { start, end, isDays }: EntryFields,
  by: Shift,
): Readonly<Record<string, string>> | undefined {
  const [begins, ends] = [record[start], end === undefined ? undefined : record[end]]
  if (end === undefined || typeof begins !== 'string') return undefined
  const former = typeof ends === 'string' ? ends : isDays ? begins : shifted(begins, { days: 0, minutes: LENGTH }, false)
  const next = shifted(former, by, isDays)
  const isAfter = isDays ? next >= begins : Date.parse(next) > Date.parse(begins)
  return isAfter ? { [end]: next } : undefined
}

/** A day with minutes, as a point in time in the time zone of the browser. */
export function timeAt(day: string, minutes: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const time = new Date(2000, 0, 1, 0, minutes)
  time.setFullYear(year, month - 1, date)
  return time.toISOString()
}

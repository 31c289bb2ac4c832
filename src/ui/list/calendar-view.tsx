import '../styles/calendar-view.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { SiteField } from '../../client/client.ts'
import { withOffset } from '../../client/local-time.ts'
import { hasChoices } from '../cells/choices.ts'
import { type LayoutPlan, laidQuery, NONE_FIXED } from '../data/boards.ts'
import { useSession } from '../data/page-session.ts'
import type { AnyRecord } from '../data/records.ts'
import { nameOf, requestedIncludes } from '../data/related.ts'
import { fieldOf, may, useSite } from '../data/site.ts'
import type { FormValues } from '../form/values.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { addDays, firstWeekday, localDay, movedDay } from '../text/days.ts'
import { formatDate, formatDateTime, localeDates } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'
import { CALENDAR_KEYS_ID, type ShownCalendar } from './calendar-entry.tsx'
import { CalendarHours } from './calendar-hours.tsx'
import {
  type CalendarPlace,
  calendarPlace,
  type EntryFields,
  entryOf,
  movedValues,
  resizedValues,
  SCALES,
  type Scale,
  type Shift,
  timeAt,
  turned,
  weeksAt,
} from './calendar-layout.ts'
import { CalendarMonth } from './calendar-month.tsx'
import type { LayoutProps } from './layout-props.ts'
import { editableFields } from './selection.ts'
import { CLOCK_STEP, slotAt, useEntryDrag } from './use-entry-drag.ts'
import { useMoves } from './use-moves.ts'

interface CalendarViewProps extends LayoutProps {
  readonly start: SiteField
}

/** Records of a page, and pages that are read for what a calendar shows. */
const PAGE = 100
const MAX_PAGES = 5

/** Milliseconds after the last key until a move by keys is stored. */
const KEYS_REST = 600

/** Minutes of a day at which a record begins that is added to a whole day. */
const MORNING = 540

/** Records by day, week or month. They are moved and resized by pointer and by keys. */
export function CalendarView({ model, view, forms, columns, plan, state, change, start }: CalendarViewProps) {
  const text = useLaterText().layouts
  const locale = useLocale()
  const session = useSession()
  const site = useSite()
  const navigate = useNavigate()
  const root = useRef<HTMLDivElement>(null)
  const today = localDay(new Date())
  const place = calendarPlace(state.at, today)
  const weekday = firstWeekday(locale)
  const weeks = weeksAt(place, weekday)
  const days = weeks.flat()

  const { calendar } = view.layout ?? {}
  const end = calendar?.end === undefined ? undefined : fieldOf(model, calendar.end)
  const title = fieldOf(model, calendar?.title ?? model.display_field)
  const titleView = view.fields.find(({ name }) => name === title?.name)
  const fields: EntryFields = { start: start.name, end: end?.name, isDays: start.type === 'date' }
  const tint = columns.find(({ field }) => hasChoices(field) && field.type !== 'multichoice')

  const ranged: LayoutPlan = {
    ...rangePlan(plan, fields, days[0] ?? today, days.at(-1) ?? today),
    sort: start.sortable ? [start.name] : [],
    fields: [...new Set([start.name, end?.name, title?.name, tint?.name, model.display_field].flatMap((name) => name ?? []))],
    include: title === undefined ? [] : requestedIncludes(site, [title]),
  }
  const form = may(model, 'change') ? forms.find(({ name }) => name === view.inline_form) : undefined
  const editable = form === undefined ? [] : editableFields(form, model, site.user.is_superuser)
  const isMovable = editable.includes(start.name) && (end === undefined || editable.includes(end.name))
  const isResizable = end !== undefined && editable.includes(end.name)
  const { data, error, refetch, isPlaceholderData } = useQuery(
    laidQuery(session, model.key, `calendar ${place.scale}`, ranged, {
      pages: MAX_PAGES,
      size: PAGE,
      isEdited: isMovable || isResizable,
    }),
  )

  const { pending, asMoved, move } = useMoves(model, form)
  /** The record that is being moved, by pointer or keys, where it would be. */
  const [draft, setDraft] = useState<{ readonly id: number; readonly values: FormValues }>()
  /** What keys have moved, and not stored yet. */
  const keyed = useRef<{ id: number; by: Shift; isResize: boolean; timer: ReturnType<typeof setTimeout> }>(undefined)
  /** The entry that is to have the focus: a move shows it elsewhere. */
  const focused = useRef<number>(undefined)

  const stored = data?.records ?? []
  const fixed = data?.fixed ?? NONE_FIXED
  const records = stored.map((record): AnyRecord => {
    const values = draft?.id === record.id ? draft.values : pending.get(record.id)?.values
    return values === undefined ? record : { ...record, ...values }
  })
  const entries = records.flatMap((record) => entryOf(record, fields) ?? [])

  const valuesOf = (id: number, by: Shift, isResize: boolean): FormValues | undefined => {
    const record = stored.find((each) => each.id === id)
    if (record === undefined || fixed.has(id) || (isResize ? !isResizable : !isMovable)) return undefined
    return (isResize ? resizedValues : movedValues)(asMoved(record), fields, by)
  }
  const shift = (id: number, by: Shift | undefined, isResize: boolean, isEnd: boolean) => {
    const isNothing = by === undefined || (by.days === 0 && by.minutes === 0)
    const values = isNothing ? undefined : valuesOf(id, by, isResize)
    setDraft(values === undefined || isEnd ? undefined : { id, values })
    const record = stored.find((each) => each.id === id)
    if (!isEnd || values === undefined || record === undefined) return
    const when = String(values[isResize ? (end?.name ?? '') : start.name])
    const shown = fields.isDays ? formatDate(when, locale) : formatDateTime(when, locale)
    void move(record, values, (isResize ? text.endMoved : text.moved)(nameOf(record, model), shown))
  }
  const onPointerDown = useEntryDrag({
    onDrag: (...dragged) => {
      storeKeyed()
      shift(...dragged)
    },
  })

  /** Adds up the steps of keys, and stores them once none has come for a while. */
  const nudge = (id: number, step: Shift, isResize: boolean) => {
    const isSame = keyed.current?.id === id && keyed.current.isResize === isResize
    if (!isSame) storeKeyed()
    const former = keyed.current
    const sum = former ? { days: former.by.days + step.days, minutes: former.by.minutes + step.minutes } : step
    if (valuesOf(id, sum, isResize) === undefined) return
    clearTimeout(former?.timer)
    focused.current = id
    keyed.current = { id, by: sum, isResize, timer: setTimeout(storeKeyed, KEYS_REST) }
    shift(id, sum, isResize, false)
  }
  const latestShift = useRef(shift)
  latestShift.current = shift
  /** Stores what keys have moved: after a while, before something else is moved, and when the calendar is left. */
  const storeKeyed = () => {
    const moved = keyed.current
    keyed.current = undefined
    if (moved === undefined) return
    clearTimeout(moved.timer)
    latestShift.current(moved.id, moved.by, moved.isResize, true)
  }
  const storeLast = useEffectEvent(storeKeyed)
  useEffect(() => () => storeLast(), [])
  // The browser asks before it closes the page; in a page that stays the move is stored.
  const onUnload = useEffectEvent((event: BeforeUnloadEvent) => {
    if (keyed.current === undefined) return
    event.preventDefault()
    storeKeyed()
  })
  useEffect(() => {
    addEventListener('beforeunload', onUnload)
    return () => removeEventListener('beforeunload', onUnload)
  }, [])

  // An entry that was moved is another element, and gets the focus that the former one had.
  useEffect(() => {
    const { activeElement } = document
    if (focused.current === undefined || (activeElement !== document.body && !root.current?.contains(activeElement))) return
    const link = root.current?.querySelector<HTMLElement>(`[data-entry="${focused.current}"]`)
    if (link && link !== activeElement) link.focus()
  })

  const go = (next: CalendarPlace, isReplaced = false) => {
    storeKeyed()
    change({ at: `${next.scale}.${next.day}`, page: state.page }, isReplaced)
  }
  const wasMoved = useRef(false)
  useEffect(() => {
    if (wasMoved.current) root.current?.querySelector<HTMLElement>(`[data-date="${place.day}"]`)?.focus()
    wasMoved.current = false
  }, [place.day])

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, target } = event
    if (altKey || !(target instanceof HTMLElement) || !event.currentTarget.contains(target)) return
    const { entry } = target.dataset
    const step = stepOf(key, place.scale, fields.isDays)
    if (entry !== undefined && shiftKey) {
      if (step === undefined) return
      event.preventDefault()
      return nudge(Number(entry), step, ctrlKey || metaKey)
    }
    if (ctrlKey || metaKey || shiftKey) return
    if (key === 'PageUp' || key === 'PageDown') {
      event.preventDefault()
      wasMoved.current = true
      return go(turned(place, key === 'PageUp' ? -1 : 1), true)
    }
    const next =
      place.scale === 'month' && target.dataset.date !== undefined ? movedDay(place.day, key, false, weekday) : undefined
    if (next === undefined) return
    event.preventDefault()
    wasMoved.current = true
    go({ scale: 'month', day: next }, true)
  }

  const canAdd = may(model, 'add')
  const add = (day: string, minutes: number | undefined) => {
    const value = fields.isDays ? day : timeAt(day, minutes ?? MORNING)
    void navigate({ to: '/models/$model/new', params: { model: model.key }, search: { fill: `${start.name}=${value}` } })
  }
  const onClick = ({ target, clientX, clientY }: MouseEvent) => {
    if (!canAdd || !(target instanceof HTMLElement) || target.dataset.day === undefined) return
    const slot = slotAt(clientX, clientY)
    if (slot !== undefined) add(slot.day, slot.minutes === undefined ? undefined : Math.floor(slot.minutes / 30) * 30)
  }

  const shown: ShownCalendar = {
    ...{ model, title, titleView, tint, fields, isMovable, isResizable, entries, weeks, days, today, place, go },
    busy: new Set(pending.keys()),
    fixed,
    onAdd: canAdd ? (day) => add(day, undefined) : undefined,
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and clicks of what is within.
    <div
      ref={root}
      className="schedule"
      data-scale={place.scale}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onPointerDown={onPointerDown}
      onDragStart={(event) => event.preventDefault()}
      onFocus={({ target }) => {
        if (Number(target.dataset.entry) !== focused.current) focused.current = undefined
      }}
    >
      <div className="schedule-bar">
        <Button onClick={() => go({ scale: place.scale, day: today })}>{text.today}</Button>
        <IconButton
          label={text.previous[place.scale]}
          icon={<ChevronLeft size={16} aria-hidden />}
          onClick={() => go(turned(place, -1))}
        />
        <IconButton
          label={text.next[place.scale]}
          icon={<ChevronRight size={16} aria-hidden />}
          onClick={() => go(turned(place, 1))}
        />
        <h2 className="schedule-title" aria-live="polite">
          {titleOfPlace(place, days, locale)}
        </h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form. */}
        <div className="schedule-scales" role="group" aria-label={text.scale}>
          {SCALES.map((scale) => (
            <button
              key={scale}
              type="button"
              className="button button-quiet"
              aria-pressed={scale === place.scale}
              onClick={() => go({ scale, day: place.day })}
            >
              {text.scales[scale]}
            </button>
          ))}
        </div>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && data.total > stored.length && (
        <Notice kind="info">{text.moreEntries(stored.length, data.total)}</Notice>
      )}
      {data === undefined && error === null ? (
        <Skeleton lines={12} />
      ) : (
        <div className="schedule-days" aria-busy={isPlaceholderData || undefined}>
          {place.scale === 'month' ? <CalendarMonth {...shown} /> : <CalendarHours key={place.scale} {...shown} />}
        </div>
      )}
      <p className="visually-hidden" id={CALENDAR_KEYS_ID}>
        {isMovable ? text.calendarKeysWithMoves(isResizable) : text.calendarKeys}
      </p>
    </div>
  )
}

/** The records that have a part between two days. */
function rangePlan(plan: LayoutPlan, { start, end, isDays }: EntryFields, first: string, last: string): LayoutPlan {
  const from = isDays ? first : withOffset(first)
  const before = isDays ? `${start}__lte=${last}` : `${start}__lt=${withOffset(addDays(last, 1))}`
  const after = `${start}__gte=${from}`
  const { q, sort, fields, include } = plan
  const kept = { q, sort, fields, include }
  if (end === undefined) return { ...kept, filters: [...plan.filters, before, after], any: plan.any }
  const endsAfter = isDays ? `${end}__gte=${from}` : `${end}__gt=${from}`
  return { ...kept, filters: [...plan.filters, before], any: [...plan.any, [after, endsAfter]] }
}

/** How far an arrow key moves an entry. */
function stepOf(key: string, scale: Scale, isDays: boolean): Shift | undefined {
  const across = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0
  const down = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0
  if (across !== 0) return { days: across, minutes: 0 }
  if (down === 0) return undefined
  if (scale === 'month') return { days: down * 7, minutes: 0 }
  return isDays ? undefined : { days: 0, minutes: down * CLOCK_STEP }
}

const TITLES = {
  month: { month: 'long', year: 'numeric', timeZone: 'UTC' },
  week: { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  day: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
} satisfies Record<Scale, Intl.DateTimeFormatOptions>

function titleOfPlace({ scale, day }: CalendarPlace, days: readonly string[], locale: string): string {
  const format = localeDates(locale, `calendar ${scale}`, TITLES[scale])
  const at = (each: string | undefined) => new Date(`${each ?? day}T00:00:00Z`)
  return scale === 'week' ? format.formatRange(at(days[0]), at(days.at(-1))) : format.format(at(day))
}

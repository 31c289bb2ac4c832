import type { CSSProperties } from 'react'
import type { SiteField, SiteModel } from '../../client/client.ts'
import { NameCell } from '../cells/cell.tsx'
import { choiceOf, plainView } from '../cells/choices.ts'
import { nameOf } from '../data/related.ts'
import type { FieldView } from '../data/views.ts'
import { localeDates } from '../text/format.ts'
import { useLocale } from '../text/text.tsx'
import type { CalendarEntry, CalendarPlace, EntryFields } from './calendar-layout.ts'
import type { ListColumn } from './columns.ts'
import { useRecordLinks } from './use-open-record.ts'

/** The id of the text that says which keys an entry has. */
export const CALENDAR_KEYS_ID = 'calendar-keys'

/** What the parts of a calendar show. */
export interface ShownCalendar {
  readonly model: SiteModel
  /** The field that names entries. */
  readonly title: SiteField | undefined
  readonly titleView: FieldView | undefined
  /** The column whose choices colour the entries. */
  readonly tint: ListColumn | undefined
  readonly fields: EntryFields
  readonly isMovable: boolean
  readonly isResizable: boolean
  readonly entries: readonly CalendarEntry[]
  readonly weeks: readonly (readonly string[])[]
  readonly days: readonly string[]
  readonly today: string
  readonly place: CalendarPlace
  readonly go: (place: CalendarPlace) => void
  /** Ids of records that the user may not change. */
  readonly fixed: ReadonlySet<number>
  /** Ids of records that are being stored. */
  readonly busy: ReadonlySet<number>
  /** Adds a record to a day; undefined for users who may not. */
  readonly onAdd: ((day: string) => void) | undefined
}

interface EntryProps extends ShownCalendar {
  readonly entry: CalendarEntry
  /** Its place in the grid of the calendar. */
  readonly style: CSSProperties
  /** True if its end can be moved here. */
  readonly hasGrip: boolean
  readonly startsBefore?: boolean
  readonly endsAfter?: boolean
  readonly tabIndex?: number | undefined
  /** True for one with room for several lines. */
  readonly isTall?: boolean
}

/** A record in a calendar: a link that opens it, with its time. */
export function EntryLink(props: EntryProps) {
  const { model, title, titleView, tint, fields, isMovable, isResizable, busy, fixed, entry, style } = props
  const { hasGrip, startsBefore = false, endsAfter = false, tabIndex, isTall = false } = props
  const locale = useLocale()
  const links = useRecordLinks(model)
  const { record } = entry
  const value = tint === undefined ? null : (record[tint.name] ?? null)
  const color =
    tint === undefined || value === null ? undefined : choiceOf(value, tint.view ?? plainView(tint.field), tint.field).color
  const isFixed = fixed.has(record.id)
  const isTimed = !fields.isDays && !startsBefore
  return (
    <a
      className="chip schedule-entry"
      style={style}
      tabIndex={tabIndex}
      data-entry={record.id}
      data-movable={!isFixed && (isMovable || isResizable) ? '' : undefined}
      data-color={color}
      data-tall={isTall || undefined}
      data-before={startsBefore || undefined}
      data-after={endsAfter || undefined}
      aria-busy={busy.has(record.id) || undefined}
      aria-describedby={CALENDAR_KEYS_ID}
      {...links(record)}
    >
      {isTimed && (
        <span className="schedule-time">
          {localeDates(locale, 'calendar time', { hour: '2-digit', minute: '2-digit' }).format(
            new Date(String(record[fields.start])),
          )}{' '}
        </span>
      )}
      <span className="schedule-name">
        {title === undefined ? (
          nameOf(record, model)
        ) : (
          <NameCell field={title} view={titleView} value={record[title.name]} record={record} />
        )}
      </span>
      {hasGrip && isResizable && !isFixed && !endsAfter && <span className="schedule-grip" data-grip="" aria-hidden />}
    </a>
  )
}

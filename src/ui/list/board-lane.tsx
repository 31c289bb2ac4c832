import { useQuery } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { SiteField } from '../../client/client.ts'
import { Cell, NameCell } from '../cells/cell.tsx'
import { isNumeric } from '../cells/choices.ts'
import { LAYOUT_PAGE, laidQuery } from '../data/boards.ts'
import { useSession } from '../data/page-session.ts'
import type { AnyRecord } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { LazyMenu } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { type BoardColumn, columnFilter, columnKey, KEYS_ID, shownRecords } from './board-columns.ts'
import { type ListColumn, linkColumn } from './columns.ts'
import type { LayoutProps } from './layout-props.ts'
import { shownTotal } from './totals.tsx'
import type { Moves } from './use-moves.ts'
import { useRecordLinks } from './use-open-record.ts'

const CardMenu = partOnUse(() => import('./card-menu.tsx').then((module) => module.CardMenu))

interface BoardLaneProps extends LayoutProps {
  readonly field: SiteField
  readonly column: BoardColumn
  readonly label: string
  readonly pending: Moves['pending']
  /** The columns of the list that are added up. */
  readonly added: readonly ListColumn[]
  /** The records of the board by id. */
  readonly known: Map<number, AnyRecord>
  /** True for a column that is read at once. */
  readonly isNear: boolean
  /** Id of the record that the pointer moves. */
  readonly dragged: number | undefined
  /** True while the pointer would drop a card here. */
  readonly over: boolean
  /** True if cards can be moved here. */
  readonly isTarget: boolean
  /** The columns that the cards can be moved to. */
  readonly targets: readonly BoardColumn[]
  readonly labelOf: (column: BoardColumn) => string
  readonly onMove: (record: AnyRecord, to: BoardColumn) => void
  /** True if the user may move cards, but for those that access rules keep. */
  readonly isMovable: boolean
}

/** A column of a board: the first of its records, their number and totals. */
export function BoardLane(props: BoardLaneProps) {
  const { model, field, plan, columns, totals, column, label, pending, added, known, isNear, dragged, over, isTarget } = props
  const { isMovable } = props
  const text = useText()
  const later = useLaterText().layouts
  const locale = useLocale()
  const session = useSession()
  const title = useId()
  const lane = useRef<HTMLElement>(null)
  const isWanted = useNear(lane, isNear)
  const [pages, setPages] = useState(1)
  const fields = [...new Set([...plan.fields, field.name])]
  const own = { ...plan, fields, filters: [...plan.filters, columnFilter(field, column)] }
  const { data, error, refetch } = useQuery({
    ...laidQuery(session, model.key, `board ${field.name} ${column.key}`, own, { pages, isEdited: isMovable }),
    enabled: isWanted,
  })
  const records = shownRecords(data?.records ?? [], column.key, field.name, pending)
  for (const record of records) known.set(record.id, record)
  const change = records.length - (data?.records.length ?? 0)
  const stored = data?.total ?? (plan.q === '' ? (column.group?.count ?? 0) : undefined)
  const count = stored === undefined ? undefined : stored + change
  const rest = (data?.total ?? 0) - (data?.records.length ?? 0)
  return (
    <section
      ref={lane}
      className="board-lane"
      data-column={column.key}
      data-over={over || undefined}
      data-closed={(dragged !== undefined && !isTarget) || undefined}
      aria-labelledby={title}
    >
      <header className="board-head">
        <h2 id={title} className="board-title">
          <Chip color={column.color}>{label}</Chip>
          {count !== undefined && (
            <span className="board-count" title={text.list.total(count, count.toLocaleString(locale))}>
              {count.toLocaleString(locale)}
              <span className="visually-hidden"> {later.records(count)}</span>
            </span>
          )}
        </h2>
        {added.length > 0 && (
          <dl className="board-totals" title={plan.q === '' ? undefined : text.list.totalsOfSearch}>
            {added.flatMap(({ name, label: of, field: measured, view }) =>
              totals.map((total) => (
                <div key={`${name} ${total}`}>
                  <dt>{totals.length === 1 && total === 'sum' ? of : `${of}, ${text.list.totalNames[total]}`}</dt>
                  <dd>
                    {plan.q === ''
                      ? shownTotal(column.group?.totals[total]?.[name], total, measured, placesOf(measured, view), locale)
                      : '–'}
                  </dd>
                </div>
              )),
            )}
          </dl>
        )}
      </header>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && stored !== 0 && <Skeleton lines={3} />}
      <ul className="board-cards">
        {records.map((record) => (
          <Card
            key={record.id}
            {...props}
            record={record}
            columns={columns}
            isFixed={!isMovable || data?.fixed.has(record.id) === true}
            isDragged={dragged === record.id}
            isPending={pending.has(record.id)}
          />
        ))}
        {rest > 0 && (
          <li>
            <Button className="board-more" onClick={() => setPages(pages + 1)}>
              {later.more(Math.min(rest, LAYOUT_PAGE), rest)}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}

function placesOf(field: SiteField, view: ListColumn['view']): number | undefined {
  const { decimal_places: places } = { ...field.bounds, ...view?.options }
  return typeof places === 'number' ? places : undefined
}

interface CardProps extends BoardLaneProps {
  readonly record: AnyRecord
  readonly isFixed: boolean
  readonly isDragged: boolean
  readonly isPending: boolean
}

/** A record of a board: its name, and its other fields that have a value. */
function Card({ model, field, columns, record, targets, labelOf, onMove, isFixed, isDragged, isPending }: CardProps) {
  const later = useLaterText().layouts
  const links = useRecordLinks(model)
  const name = linkColumn(columns, model)
  const others = columns.filter(
    (each) => each !== name && each.name !== field.name && !isEmpty(record[each.name]) && each.field.type !== 'primarykey',
  )
  return (
    <li
      className="board-card"
      data-card={record.id}
      data-fixed={isFixed || undefined}
      data-dragged={isDragged || undefined}
      aria-busy={isPending || undefined}
    >
      <div className="board-name">
        <a className="list-link" aria-describedby={KEYS_ID} {...links(record)}>
          {name === undefined ? (
            nameOf(record, model)
          ) : (
            <NameCell field={name.field} view={name.view} value={record[name.name]} record={record} />
          )}
        </a>
        {targets.length > 0 && !isFixed && (
          <LazyMenu
            trigger={
              <IconButton
                className="board-menu"
                label={later.move(nameOf(record, model))}
                icon={<Ellipsis size={16} aria-hidden />}
              />
            }
          >
            <CardMenu
              label={later.move(nameOf(record, model))}
              targets={targets.map((each) => ({ key: each.key, label: labelOf(each), color: each.color }))}
              onMove={(key) => {
                const to = targets.find((each) => each.key === key)
                if (to !== undefined && columnKey(record[field.name]) !== key) onMove(record, to)
              }}
            />
          </LazyMenu>
        )}
      </div>
      {others.length > 0 && (
        <dl className="board-facts">
          {others.map(({ name: each, label, field: of, view }) => (
            <div key={each} title={label}>
              <dt className={isNumeric(of) || of.type === 'boolean' || of.type === 'date' ? undefined : 'visually-hidden'}>
                {label}
              </dt>
              <dd>
                <Cell field={of} view={view} value={record[each]} record={record} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** True once an element comes near the part of the page that is in sight. @param isFirst true from the beginning */
function useNear(element: React.RefObject<HTMLElement | null>, isFirst: boolean): boolean {
  const [isSeen, setSeen] = useState(isFirst)
  useEffect(() => {
    if (isSeen || element.current === null) return
    const observer = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && setSeen(true), {
      rootMargin: '400px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isSeen])
  return isSeen
}

import '../styles/board.css'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { SiteField } from '../../client/client.ts'
import { groupsQuery } from '../data/boards.ts'
import { useSession } from '../data/page-session.ts'
import type { AnyRecord } from '../data/records.ts'
import { labelsQuery, nameOf } from '../data/related.ts'
import { may, useModel, useSite } from '../data/site.ts'
import { usePreference } from '../hooks.ts'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'
import { type BoardColumn, boardColumns, boardMoves, columnKey, KEYS_ID, MAX_COLUMNS } from './board-columns.ts'
import { BoardLane } from './board-lane.tsx'
import type { LayoutProps } from './layout-props.ts'
import { addedColumns } from './totals.tsx'
import { useCardDrag } from './use-card-drag.ts'
import { useMoves } from './use-moves.ts'

interface BoardProps extends LayoutProps {
  /** The field whose values are the columns. */
  readonly field: SiteField
}

/** Records as cards, in a column for each value of a field. Cards are moved by pointer, by key or from their menu. */
export function Board(props: BoardProps) {
  const { model, view, forms, columns, plan, totals, field } = props
  const later = useLaterText().layouts
  const locale = useLocale()
  const session = useSession()
  const site = useSite()
  const [density] = usePreference('density')
  const root = useRef<HTMLElement>(null)
  /** The records of the columns that are shown, by id. */
  const known = useRef(new Map<number, AnyRecord>())
  /** The card that is to have the focus: a move puts it into another column. */
  const focused = useRef<number>(undefined)

  const added = totals.length === 0 ? [] : addedColumns(columns)
  const measured = { totals, fields: added.map(({ name }) => name) }
  const groups = useQuery(groupsQuery(session, model.key, field, plan, measured))
  const target = useModel(field.relation?.model ?? '')
  const ids = (groups.data ?? []).flatMap(({ value }) => (typeof value === 'number' ? [value] : [])).slice(0, MAX_LABELS)
  const canName = field.relation !== null && may(target, 'view')
  const names = useQuery({ ...labelsQuery(session, target, ids), enabled: canName && ids.length > 0 })
  const form = may(model, 'change') ? forms.find(({ name }) => name === view.inline_form) : undefined
  const { form: movedBy, canTake } = boardMoves(model, field, form, site)
  const { pending, move } = useMoves(model, movedBy)

  const isNamed = !canName || ids.length === 0 || names.data !== undefined || names.error !== null
  const ofView = view.fields.find(({ name }) => name === field.name)
  const made =
    groups.data === undefined || !isNamed
      ? undefined
      : boardColumns(field, ofView, groups.data, field.relation === null ? undefined : (names.data ?? []), locale)
  const labelOf = ({ key, label }: BoardColumn) => label ?? (key === '' ? later.none : `#${key}`)

  const moveTo = (record: AnyRecord, to: BoardColumn) => {
    focused.current = record.id
    void move(record, { [field.name]: to.value }, later.moved(nameOf(record, model), labelOf(to)))
  }
  const drag = useCardDrag(root, {
    isMovable: movedBy !== undefined,
    canDrop: (key) => made?.some((column) => column.key === key && canTake(column)) === true,
    onDrop: (id, key) => {
      const to = made?.find((column) => column.key === key)
      const record = known.current.get(id)
      if (to !== undefined && record !== undefined && columnKey(record[field.name]) !== key) moveTo(record, to)
    },
  })
  // A card that was moved is another element, and gets the focus that the former one had.
  useEffect(() => {
    const link = cardLink(root.current, focused.current)
    if (link === undefined || link === document.activeElement) return
    if (document.activeElement === document.body || root.current?.contains(document.activeElement)) link.focus()
  })

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, target: at, currentTarget } = event
    if (ctrlKey || metaKey || altKey || !(at instanceof HTMLElement) || !currentTarget.contains(at)) return
    const card = at.closest<HTMLElement>('[data-card]')
    const by = STEPS[key]
    if (card === null || by === undefined) return
    event.preventDefault()
    const lanes = [...currentTarget.querySelectorAll<HTMLElement>('[data-column]')]
    const place = lanes.findIndex((lane) => lane.contains(card))
    if (shiftKey) {
      const record = known.current.get(Number(card.dataset.card))
      const from = made?.findIndex((column) => column.key === lanes[place]?.dataset.column) ?? -1
      const to = by.columns === 0 ? undefined : nextColumn(made ?? [], from, by.columns, canTake)
      if (record !== undefined && to !== undefined && card.dataset.fixed === undefined) moveTo(record, to)
      return
    }
    focused.current = undefined
    nextCard(lanes, place, card, by)?.querySelector<HTMLElement>('a')?.focus()
  }

  if (groups.error !== null) return <Failure error={groups.error} onRetry={() => void groups.refetch()} />
  if (made === undefined) return <Skeleton lines={12} />
  const values = groups.data?.length ?? 0
  return (
    <>
      {values > MAX_COLUMNS && <Notice kind="info">{later.moreColumns(MAX_COLUMNS, values)}</Notice>}
      <section
        ref={root}
        className="board"
        data-density={density}
        data-dragging={drag.id === undefined ? undefined : ''}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the board can be scrolled by keyboard.
        tabIndex={0}
        aria-label={later.boardOf(model.label)}
        onKeyDown={onKeyDown}
        onPointerDown={drag.onPointerDown}
        onDragStart={(event) => event.preventDefault()}
        onFocus={({ target: at }) => {
          const card = at.closest<HTMLElement>('[data-card]')?.dataset.card
          if (card !== undefined && Number(card) !== focused.current) focused.current = undefined
        }}
      >
        {made.map((column, place) => (
          <BoardLane
            key={column.key}
            {...props}
            {...{ column, pending, added, known: known.current }}
            label={labelOf(column)}
            isNear={place < NEAR}
            dragged={drag.id}
            over={drag.over === column.key}
            isTarget={canTake(column)}
            targets={movedBy === undefined ? [] : made.filter((each) => each !== column && canTake(each))}
            labelOf={labelOf}
            isMovable={movedBy !== undefined}
            onMove={moveTo}
          />
        ))}
      </section>
      <div ref={drag.ghost} className="board-ghost" aria-hidden hidden={drag.id === undefined}>
        {drag.id !== undefined && nameOf(known.current.get(drag.id) ?? { id: drag.id }, model)}
      </div>
      <p className="visually-hidden" id={KEYS_ID}>
        {movedBy === undefined ? later.keys : later.keysWithMoves}
      </p>
    </>
  )
}

/** Related records whose names are read. */
const MAX_LABELS = 100

/** Columns that are read at once; others once they come near. */
const NEAR = 8

interface Step {
  readonly columns: -1 | 0 | 1
  readonly cards: -1 | 0 | 1
}

const STEPS: Readonly<Record<string, Step>> = {
  ArrowLeft: { columns: -1, cards: 0 },
  ArrowRight: { columns: 1, cards: 0 },
  ArrowUp: { columns: 0, cards: -1 },
  ArrowDown: { columns: 0, cards: 1 },
}

/** The nearest column in a direction that takes a card. */
function nextColumn(
  columns: readonly BoardColumn[],
  from: number,
  by: -1 | 0 | 1,
  canTake: (column: BoardColumn) => boolean,
): BoardColumn | undefined {
  for (let place = from + by; from >= 0 && place >= 0 && place < columns.length; place += by) {
    const column = columns[place]
    if (column !== undefined && canTake(column)) return column
  }
  return undefined
}

/** The card below, above or beside a card; columns without cards are passed over. */
function nextCard(
  lanes: readonly HTMLElement[],
  place: number,
  card: HTMLElement,
  { columns, cards }: Step,
): HTMLElement | undefined {
  const cardsOf = (lane: HTMLElement | undefined) => [...(lane?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
  const row = cardsOf(lanes[place]).indexOf(card)
  if (columns === 0) return cardsOf(lanes[place])[row + cards]
  for (let next = place + columns; next >= 0 && next < lanes.length; next += columns) {
    const found = cardsOf(lanes[next])
    if (found.length > 0) return found[Math.min(row, found.length - 1)]
  }
  return undefined
}

const cardLink = (root: HTMLElement | null, id: number | undefined): HTMLElement | undefined =>
  id === undefined ? undefined : (root?.querySelector<HTMLElement>(`[data-card="${id}"] a`) ?? undefined)

import { ArrowDown, ArrowUp } from 'lucide-react'
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { whenIdle } from '../parts/lazy-part.ts'
import { Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { columnClass, type ListColumn } from './columns.ts'

interface HeaderCellProps {
  readonly column: ListColumn
  /** Names of the columns that stay in sight. */
  readonly pinned: readonly string[]
  /** The sort keys of the columns that are shown. */
  readonly sort: readonly string[]
  /** @param isAdded true if the column is sorted by beside the others */
  readonly onSort: (isAdded: boolean) => void
  /** The width that the user gave the column; undefined if it fits its contents. */
  readonly width: number | undefined
  /** @param width undefined to fit the contents @param isDone false while the user still changes it */
  readonly onResize: (width: number | undefined, isDone: boolean) => void
}

/** The head of a column: a click or Enter sorts by it, with Shift beside the other columns. */
export function HeaderCell({ column, pinned, sort, onSort, width, onResize }: HeaderCellProps) {
  const text = useText().list
  const { name, label, field } = column
  const place = sort.findIndex((key) => key.replace(/^-/, '') === name)
  const isDown = sort[place]?.startsWith('-') === true
  const direction = isDown ? 'descending' : 'ascending'
  const Icon = isDown ? ArrowDown : ArrowUp
  const head = { scope: 'col', className: columnClass(column, pinned), 'data-column': name } as const
  if (!field.sortable) {
    return (
      <th {...head}>
        <span className="list-head">{label}</span>
        <WidthHandle {...{ label, width, onResize }} />
      </th>
    )
  }
  return (
    <th {...head} aria-sort={place === -1 ? undefined : direction}>
      <button type="button" className="list-sort" title={text.sortHint} onClick={(event) => onSort(event.shiftKey)}>
        <span className="list-head">{label}</span>
        {place !== -1 && <Icon size={14} aria-hidden />}
        {place !== -1 && sort.length > 1 && <span className="list-sort-place">{place + 1}</span>}
      </button>
      <WidthHandle {...{ label, width, onResize }} />
    </th>
  )
}

/** Widths in pixels of columns that the user has resized. */
export type Widths = Readonly<Record<string, number>>

const MIN_WIDTH = 56
const MAX_WIDTH = 960

/** How far an arrow key moves the end of a column. */
const STEP = 16

/** Width of the column of ticks. */
const TICKS = 36

/** The part of a table that pinned columns may take; further ones scroll with the others. */
const MAX_PINNED = 0.6

const limited = (width: number): number => Math.round(Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH))

/**
 * A style sheet of the document for rules that depend on what the user does: no row renders again for them.
 *
 * @returns a function that sets the rules. The browser styles the whole document again for a change, so equal rules are left alone
 */
function useSheet(): (rules: readonly string[]) => void {
  const [sheet] = useState(() => new CSSStyleSheet())
  const present = useRef('')
  useLayoutEffect(() => {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
    }
  }, [sheet])
  return useCallback(
    (rules) => {
      const next = rules.join('\n')
      if (next === present.current) return
      present.current = next
      sheet.replaceSync(next)
    },
    [sheet],
  )
}

interface ColumnLayout {
  readonly scroller: RefObject<HTMLElement | null>
  readonly columns: readonly ListColumn[]
  /** Names of the columns that stay in sight, in their order. */
  readonly pinned: readonly string[]
  readonly widths: Widths
}

/**
 * Lays out the columns of a table: widths, and places of those that stay in sight. Other columns are as wide as their contents.
 *
 * @returns the id of the table, and a function that shows a width while the user changes it
 */
export function useColumnLayout({ scroller, columns, pinned, widths }: ColumnLayout) {
  const id = useId()
  const [setWidthRules, setPlaceRules] = [useSheet(), useSheet()]
  const names = columns.map(({ name }) => name).join()
  const order = pinned.join()
  const rule = useCallback(
    (name: string, declarations: string) => {
      const place = names.split(',').indexOf(name) + 2
      return place < 2 ? '' : `#${CSS.escape(id)} > * > tr > :nth-child(${place}) { ${declarations} }`
    },
    [id, names],
  )
  const show = useCallback(
    (shown: Widths) => {
      const rules = Object.entries(shown).map(([name, width]) =>
        rule(name, `--column: ${limited(width)}px; --text: auto; --cut: 100%; --clip: hidden`),
      )
      setWidthRules(rules)
    },
    [rule, setWidthRules],
  )
  useLayoutEffect(() => show(widths), [show, widths])

  useLayoutEffect(() => {
    const frame = scroller.current
    const heads = order.split(',')
    if (frame === null || heads.length < 2) {
      // The style sheet of the page has the place of a single one.
      setPlaceRules([])
      return
    }
    const found = heads.map((name) => frame.querySelector<HTMLElement>(`th[data-column="${CSS.escape(name)}"]`))
    const place = () => {
      let left = TICKS
      const rules = found.map((head, number) => {
        const width = head?.offsetWidth ?? 0
        const isFree = number > 0 && left + width > frame.clientWidth * MAX_PINNED
        const made = rule(heads[number] ?? '', isFree ? 'left: auto' : `left: ${left}px`)
        if (!isFree) left += width
        return made
      })
      setPlaceRules(rules)
    }
    // It is called before the first paint, too, when the browser has laid out the table.
    const sizes = new ResizeObserver(place)
    for (const each of [frame, ...found]) if (each !== null) sizes.observe(each)
    return () => sizes.disconnect()
  }, [scroller, order, rule, setPlaceRules])

  return { id, show }
}

/** Stands for a table while its records are loaded: the heads of its columns, with the widths that the user gave them. */
export function TableSkeleton({ columns, pinned, widths }: Omit<ColumnLayout, 'scroller'>) {
  const { loading } = useText().common
  const scroller = useRef<HTMLElement>(null)
  const { id } = useColumnLayout({ scroller, columns, pinned, widths })
  return (
    <div className="list-frame">
      <section
        ref={scroller}
        className="list-scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the columns can be scrolled by keyboard, as those of the table.
        tabIndex={0}
        aria-label={loading}
      >
        <table id={id} className="list-table list-waiting">
          <thead>
            <tr>
              <td className="list-check" />
              {columns.map((column) => (
                <th key={column.name} scope="col" className={columnClass(column, pinned)} data-column={column.name}>
                  <span className="list-head">{column.label}</span>
                </th>
              ))}
            </tr>
          </thead>
        </table>
        <Skeleton lines={12} />
      </section>
    </div>
  )
}

interface WidthHandleProps {
  /** Label of the column. */
  readonly label: string
  /** The width that the user gave the column. */
  readonly width: number | undefined
  /** @param width undefined to fit the contents @param isDone false while the user still changes it */
  readonly onResize: (width: number | undefined, isDone: boolean) => void
}

/** The end of a column: moved by the pointer or arrow keys; a double click or Enter fits the column to its contents. */
function WidthHandle({ label, width, onResize }: WidthHandleProps) {
  const text = useText().list
  const handle = useRef<HTMLSpanElement>(null)
  const drag = useRef<{ readonly from: number; readonly width: number; moved: number | undefined }>(undefined)
  const present = () => handle.current?.parentElement?.offsetWidth ?? 0
  const [fitted, setFitted] = useState(0)
  // Only once the table is painted: reading a width makes the browser lay it out.
  useEffect(() => whenIdle(() => setFitted(handle.current?.parentElement?.offsetWidth ?? 0)), [])

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { from: event.clientX, width: present(), moved: undefined }
  }
  const onPointerMove = ({ clientX }: PointerEvent) => {
    const { current } = drag
    if (current === undefined || (current.moved === undefined && Math.abs(clientX - current.from) < 2)) return
    current.moved = limited(current.width + clientX - current.from)
    onResize(current.moved, false)
  }
  const onPointerEnd = () => {
    const moved = drag.current?.moved
    drag.current = undefined
    if (moved !== undefined) onResize(moved, true)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    if (by === undefined && event.key !== 'Enter') return
    event.preventDefault()
    onResize(by === undefined ? undefined : limited(present() + by), true)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line cannot be moved.
    <span
      ref={handle}
      role="separator"
      className="list-resize"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={text.columnWidth(label)}
      aria-valuenow={width ?? fitted}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      title={text.columnWidthHint}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerEnd}
      onPointerCancel={onPointerEnd}
      onKeyDown={onKeyDown}
      onFocus={() => setFitted(present())}
      onDoubleClick={() => onResize(undefined, true)}
    />
  )
}

/**
 * Marks the parent of a scrolling element while contents are hidden: with `data-before` at the left, of which `--edge-at` is the place
 * beside the columns that stay in sight, and with `data-after` at the right.
 */
export function useScrollEdges(scroller: RefObject<HTMLElement | null>, pinned: readonly string[]): void {
  useEffect(() => {
    const element = scroller.current
    const frame = element?.parentElement
    if (!element || !frame) return
    const heads = [...element.querySelectorAll('thead :is(.list-check, .list-sticky)')]
    const mark = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element
      frame.toggleAttribute('data-before', scrollLeft > 0)
      frame.toggleAttribute('data-after', scrollLeft + clientWidth < scrollWidth - 1)
      const { left } = element.getBoundingClientRect()
      const at = Math.max(...heads.map((head) => head.getBoundingClientRect().right - left))
      frame.style.setProperty('--edge-at', `${at}px`)
    }
    const sizes = new ResizeObserver(mark)
    for (const each of [element, element.firstElementChild, ...heads]) if (each !== null) sizes.observe(each)
    element.addEventListener('scroll', mark, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', mark)
    }
  }, [scroller, pinned])
}

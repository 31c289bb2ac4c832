import { ArrowDown, ArrowUp } from 'lucide-react'
import { isNumeric } from '../cells/cell.tsx'
import { useText } from '../text/text.tsx'
import { WidthHandle } from './column-widths.tsx'
import type { ListColumn } from './columns.ts'

interface HeaderCellProps {
  readonly column: ListColumn
  /** Names of the columns that stay in sight. */
  readonly pinned: readonly string[]
  /** The sort keys of the columns that are shown. */
  readonly sort: readonly string[]
  /** @param isAdded true if the column is sorted by beside the others */
  readonly onSort: (isAdded: boolean) => void
  /** @param width undefined to fit the contents @param isDone false while the user still changes it */
  readonly onResize: (width: number | undefined, isDone: boolean) => void
}

/** The head of a column: a click or Enter sorts by it, with Shift beside the other columns. */
export function HeaderCell({ column, pinned, sort, onSort, onResize }: HeaderCellProps) {
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
        <WidthHandle label={label} onResize={onResize} />
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
      <WidthHandle label={label} onResize={onResize} />
    </th>
  )
}

/** The classes of the cells of a column. */
export const columnClass = ({ name, field }: ListColumn, pinned: readonly string[]): string | undefined =>
  [isNumeric(field) && 'number', pinned.includes(name) && 'list-sticky', pinned.at(-1) === name && 'list-edge']
    .filter(Boolean)
    .join(' ') || undefined

import { ArrowDown, ArrowUp } from 'lucide-react'
import { isNumeric } from '../cells/cell.tsx'
import { useText } from '../text/text.tsx'
import type { ListColumn } from './columns.ts'

interface HeaderCellProps {
  readonly column: ListColumn
  /** True for the column that stays in sight. */
  readonly isPinned: boolean
  /** The sort keys of the columns that are shown. */
  readonly sort: readonly string[]
  /** @param isAdded true if the column is sorted by beside the others */
  readonly onSort: (isAdded: boolean) => void
}

/** The head of a column: a click or Enter sorts by it, with Shift beside the other columns. */
export function HeaderCell({ column, isPinned, sort, onSort }: HeaderCellProps) {
  const text = useText().list
  const { name, label, field } = column
  const place = sort.findIndex((key) => key.replace(/^-/, '') === name)
  const isDown = sort[place]?.startsWith('-') === true
  const direction = isDown ? 'descending' : 'ascending'
  const Icon = isDown ? ArrowDown : ArrowUp
  const classes = columnClass(column, isPinned)
  if (!field.sortable) {
    return (
      <th scope="col" className={classes}>
        {label}
      </th>
    )
  }
  return (
    <th scope="col" className={classes} aria-sort={place === -1 ? undefined : direction}>
      <button type="button" className="list-sort" title={text.sortHint} onClick={(event) => onSort(event.shiftKey)}>
        {label}
        {place !== -1 && <Icon size={14} aria-hidden />}
        {place !== -1 && sort.length > 1 && <span className="list-sort-place">{place + 1}</span>}
      </button>
    </th>
  )
}

/** The classes of the cells of a column. */
export const columnClass = ({ field }: ListColumn, isPinned: boolean): string | undefined =>
  [isNumeric(field) && 'number', isPinned && 'list-sticky'].filter(Boolean).join(' ') || undefined

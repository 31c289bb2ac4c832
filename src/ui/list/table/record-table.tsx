import { useCallback, useMemo, useRef } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import type { AnyRecord } from '../../data/records.ts'
import { may, useSite } from '../../data/site.ts'
import { type FormView, type ListView, writableFields } from '../../data/views.ts'
import { useText } from '../../text/text.tsx'
import { toggledSort } from '../list-state.ts'
import { isSelected, type Selection, toggled, toggledPage } from '../selection/selection.ts'
import { type Column, linkColumn, shownSort } from './columns.ts'
import { HeaderCell } from './header-cell.tsx'
import { RecordRow } from './record-row.tsx'

interface RecordTableProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly forms: readonly FormView[]
  readonly columns: readonly Column[]
  readonly records: readonly AnyRecord[]
  /** True while the records are those of the former page. */
  readonly isStale: boolean
  /** Sort keys by column. */
  readonly sort: readonly string[]
  readonly onSort: (sort: readonly string[] | undefined) => void
  readonly selection: Selection
  readonly setSelection: (change: (selection: Selection) => Selection) => void
  /** Called with the record of which a cell is edited, undefined when the editor closes. */
  readonly setEditedId: (id: number | undefined) => void
}

/** The table of a list: columns to sort by, rows to select, cells to edit. */
export function RecordTable(props: RecordTableProps) {
  const { model, view, forms, columns, records, isStale, sort, onSort, selection, setSelection, setEditedId } = props
  const text = useText().list
  const { user } = useSite()
  const ids = useMemo(() => records.map(({ id }) => id), [records])
  const latestIds = useRef(ids)
  latestIds.current = ids
  const toggle = useCallback(
    (id: number, isRange: boolean) => setSelection((former) => toggled(former, latestIds.current, id, isRange)),
    [setSelection],
  )
  const form = may(model, 'change') ? forms.find(({ name }) => name === view.inline_form) : undefined
  const editable = useMemo(
    () => new Set(form === undefined ? [] : writableFields(form, 'update', model, user.is_superuser)),
    [form, model, user],
  )
  const link = linkColumn(columns, model)?.name
  const marked = shownSort(sort, columns)
  const isFull = ids.every((id) => isSelected(selection, id))
  const isPart = !isFull && ids.some((id) => isSelected(selection, id))

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the table can be scrolled by keyboard.
    <section className="list-scroll" tabIndex={0} aria-label={model.label} aria-busy={isStale || undefined}>
      <table className="list-table">
        <thead>
          <tr>
            <th className="list-check" scope="col">
              <label className="tick">
                <input
                  type="checkbox"
                  aria-label={text.selectPage}
                  checked={isFull}
                  ref={(box) => {
                    if (box !== null) box.indeterminate = isPart
                  }}
                  onChange={() => setSelection((former) => toggledPage(former, ids))}
                />
              </label>
            </th>
            {columns.map((column) => (
              <HeaderCell
                key={column.name}
                column={column}
                isLink={column.name === link}
                sort={marked}
                onSort={(isAdded) => onSort(toggledSort(sort, column.name, isAdded))}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <RecordRow
              key={record.id}
              {...{ model, record, columns, link, editable, form, setEditedId }}
              isSelected={isSelected(selection, record.id)}
              onToggle={toggle}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

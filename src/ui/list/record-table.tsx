import { type ReactNode, useCallback, useMemo, useRef } from 'react'
import type { SiteModel } from '../../client/client.ts'
import type { RecordOrder } from '../data/record-order.ts'
import type { AnyRecord, ListedPage } from '../data/records.ts'
import { may, useSite } from '../data/site.ts'
import type { FormView, ListView } from '../data/views.ts'
import { useKeys } from '../layout/page-keys.tsx'
import { useText } from '../text/text.tsx'
import { HeaderCell, useColumnLayout, useScrollEdges, type Widths } from './column-heads.tsx'
import { type ListColumn, linkColumn, shownSort } from './columns.ts'
import { toggledSort } from './list-state.ts'
import { editableFields, isSelected, type ListSelection, toggled, toggledPage } from './selection.ts'
import { focusRow, moveByArrows, openClickedRow, RecordRow } from './table-row.tsx'
import type { Look } from './use-look.ts'

interface RecordTableProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly forms: readonly FormView[]
  /** All columns that the list can have. */
  readonly all: readonly ListColumn[]
  readonly columns: readonly ListColumn[]
  /** Names of the columns that stay in sight. Always the same list until it changes. */
  readonly pinned: readonly string[]
  readonly widths: Widths
  readonly setWidths: (widths: Widths) => void
  /** Height of the rows; undefined if they are comfortable. */
  readonly density: Look['density']
  /** What stands below the rows. */
  readonly footer: ReactNode
  readonly records: readonly AnyRecord[]
  /** What a search has found in each of the records; undefined without a search. */
  readonly hits: ListedPage['hits']
  /** The list as the page of a record needs it. Always the same function. */
  readonly order: () => RecordOrder | undefined
  /** True while the records are those of the former page. */
  readonly isStale: boolean
  /** Sort keys by column. */
  readonly sort: readonly string[]
  readonly onSort: (sort: readonly string[] | undefined) => void
  readonly selection: ListSelection
  readonly setSelection: (change: (selection: ListSelection) => ListSelection) => void
  /** Called with the record of which a cell is edited, undefined when the editor closes. */
  readonly setEditedId: (id: number | undefined) => void
}

/** The table of a list: columns to sort by, rows to select, cells to edit. */
export function RecordTable(props: RecordTableProps) {
  const { model, view, forms, all, columns, records, hits, isStale, sort, onSort, selection, setSelection } = props
  const { pinned, widths, setWidths, density, footer, order, setEditedId } = props
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
    () => new Set(form === undefined ? [] : editableFields(form, model, user.is_superuser)),
    [form, model, user],
  )
  const link = linkColumn(columns, model)?.name
  const marked = shownSort(sort, columns)
  const isFull = ids.every((id) => isSelected(selection, id))
  const scroller = useRef<HTMLElement>(null)
  useScrollEdges(scroller, pinned)
  const layout = useColumnLayout({ scroller, columns, pinned, widths })
  const resize = (name: string, width: number | undefined, isDone: boolean) => {
    const { [name]: _, ...others } = widths
    const next = width === undefined ? others : { ...others, [name]: width }
    if (isDone) setWidths(next)
    else layout.show(next)
  }
  useKeys(useMemo(() => ({ j: () => focusRow(scroller.current, 1), k: () => focusRow(scroller.current, -1) }), []))
  const isPart = !isFull && ids.some((id) => isSelected(selection, id))

  return (
    <div className="list-frame">
      <section
        ref={scroller}
        className="list-scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the table can be scrolled by keyboard.
        tabIndex={0}
        aria-label={model.label}
        aria-busy={isStale || undefined}
        onKeyDown={moveByArrows}
      >
        <table id={layout.id} className="list-table" data-density={density}>
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
                  pinned={pinned}
                  width={widths[column.name]}
                  sort={marked}
                  onSort={(isAdded) => onSort(toggledSort(sort, column.name, isAdded))}
                  onResize={(width, isDone) => resize(column.name, width, isDone)}
                />
              ))}
            </tr>
          </thead>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: a shortcut for the pointer; the link of the name is for all. */}
          <tbody onClick={openClickedRow} onAuxClick={openClickedRow}>
            {records.map((record, place) => (
              <RecordRow
                key={record.id}
                {...{ model, record, all, columns, link, pinned, editable, form, order, setEditedId }}
                matched={hits?.[place]?.matches}
                isSelected={isSelected(selection, record.id)}
                onToggle={toggle}
              />
            ))}
          </tbody>
          {footer}
        </table>
      </section>
    </div>
  )
}

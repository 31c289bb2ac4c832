import { ArrowDown, ArrowUp, Pencil } from 'lucide-react'
import { memo, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { Cell, isNumeric, NameCell, RecordLink } from '../cells/cell.tsx'
import type { AnyRecord } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { may, useSite } from '../data/site.ts'
import { type FormView, type ListView, writableFields } from '../data/views.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import { Popover } from '../parts/popups.tsx'
import { Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { type ListColumn, linkColumn, shownSort } from './columns.ts'
import { toggledSort } from './list-state.ts'
import { isSelected, type ListSelection, toggled, toggledPage } from './selection.ts'

interface RecordTableProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly forms: readonly FormView[]
  readonly columns: readonly ListColumn[]
  readonly records: readonly AnyRecord[]
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

interface HeaderCellProps {
  readonly column: ListColumn
  /** True for the column that names the records; it stays in sight. */
  readonly isLink: boolean
  /** The sort keys of the columns that are shown. */
  readonly sort: readonly string[]
  /** @param isAdded true if the column is sorted by beside the others */
  readonly onSort: (isAdded: boolean) => void
}

/** The head of a column: a click or Enter sorts by it, with Shift beside the other columns. */
function HeaderCell({ column: { name, label, field }, isLink, sort, onSort }: HeaderCellProps) {
  const text = useText().list
  const place = sort.findIndex((key) => key.replace(/^-/, '') === name)
  const isDown = sort[place]?.startsWith('-') === true
  const direction = isDown ? 'descending' : 'ascending'
  const Icon = isDown ? ArrowDown : ArrowUp
  const classes = [isNumeric(field) && 'number', isLink && 'list-sticky'].filter(Boolean).join(' ')
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

interface RecordRowProps {
  readonly model: SiteModel
  readonly record: AnyRecord
  readonly columns: readonly ListColumn[]
  /** Name of the column that links to the record. */
  readonly link: string | undefined
  /** Fields that can be edited in their cells, by the form. */
  readonly editable: ReadonlySet<string>
  readonly form: FormView | undefined
  readonly isSelected: boolean
  readonly onToggle: (id: number, isRange: boolean) => void
  readonly setEditedId: (id: number | undefined) => void
}

/** A record of a list. It renders again only if the record or its selection changes. */
const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { model, record, columns, link, editable, form, isSelected, onToggle, setEditedId } = props
  const text = useText().list
  const { id } = record
  return (
    <tr data-selected={isSelected || undefined}>
      <td className="list-check">
        <label className="tick">
          <input
            type="checkbox"
            aria-label={text.select(nameOf(record, model))}
            checked={isSelected}
            onChange={() => {}}
            onClick={(event) => onToggle(id, event.shiftKey)}
          />
        </label>
      </td>
      {columns.map(({ name, field, view }) => {
        const value = record[name]
        const isLink = name === link
        const shown = isLink ? (
          <RecordLink model={model.key} id={String(id)} className="list-link">
            <NameCell field={field} view={view} value={value} record={record} />
          </RecordLink>
        ) : (
          <Cell field={field} view={view} value={value} record={isRelated(field) ? record : undefined} />
        )
        const classes = [isNumeric(field) && 'number', isLink && 'list-sticky'].filter(Boolean).join(' ')
        return (
          <td key={name} className={classes || undefined}>
            {form !== undefined && editable.has(name) ? (
              <EditableCell {...{ model, record, name, form, setEditedId }}>{shown}</EditableCell>
            ) : (
              shown
            )}
          </td>
        )
      })}
    </tr>
  )
})

/** Only cells of relations read other members of the record; the others need not render again with them. */
const isRelated = ({ type }: ListColumn['field']): boolean => type === 'foreignkey' || type === 'one_to_one'

const CellEditor = lazyPart(() => import('./cell-editor.tsx').then((module) => module.CellEditor))

const LOADING = (
  <div className="cell-editor">
    <Skeleton lines={2} />
  </div>
)

interface EditableCellProps {
  readonly model: SiteModel
  readonly record: AnyRecord
  /** Name of the field. */
  readonly name: string
  readonly form: FormView
  readonly setEditedId: (id: number | undefined) => void
  /** The value to read. */
  readonly children: ReactNode
}

/** A cell with a button that opens an editor of its value. */
function EditableCell({ model, record, name, form, setEditedId, children }: EditableCellProps) {
  const text = useText().list
  const [isOpen, setOpen] = useState(false)
  const label = text.editCell(form.fields.find((field) => field.name === name)?.title ?? name)

  const change = (open: boolean) => {
    setOpen(open)
    setEditedId(open ? record.id : undefined)
  }

  const button = (
    <button type="button" className="cell-button cell-edit" aria-label={label}>
      <Pencil size={14} aria-hidden />
    </button>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the pointer; the button is for all.
    <div className="cell-editable" onDoubleClick={() => change(true)}>
      {children}
      <Popover trigger={button} label={label} isOpen={isOpen} onOpenChange={change} fallback={LOADING}>
        <CellEditor {...{ model, record, name, form }} onClose={() => change(false)} />
      </Popover>
    </div>
  )
}

import { Pencil } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { Cell, NameCell, RecordLink } from '../cells/cell.tsx'
import { MatchNote } from '../cells/marked.tsx'
import type { RecordOrder } from '../data/record-order.ts'
import type { AnyRecord, Matched } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import type { FormView } from '../data/views.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import { Popover } from '../parts/popups.tsx'
import { Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { columnClass, type ListColumn } from './columns.ts'

interface RecordRowProps {
  readonly model: SiteModel
  readonly record: AnyRecord
  /** Where the words of a search are in the record; undefined without a search. */
  readonly matched: Matched | undefined
  /** All columns that the list can have. */
  readonly all: readonly ListColumn[]
  readonly columns: readonly ListColumn[]
  /** Name of the column that links to the record. */
  readonly link: string | undefined
  /** Names of the columns that stay in sight. Always the same list until it changes. */
  readonly pinned: readonly string[]
  /** Fields that can be edited in their cells, by the form. */
  readonly editable: ReadonlySet<string>
  readonly form: FormView | undefined
  /** The list as the page of a record needs it. */
  readonly order: () => RecordOrder | undefined
  readonly isSelected: boolean
  readonly onToggle: (id: number, isRange: boolean) => void
  readonly setEditedId: (id: number | undefined) => void
}

/** A record of a list. It renders again only if the record or its selection changes. */
export const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { model, record, matched, all, columns, link, pinned, editable, form, order, isSelected, onToggle, setEditedId } = props
  const text = useText().list
  const { id } = record
  const hidden = hiddenMatch(matched, columns, all)
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
      {columns.map((column) => {
        const { name, field, view } = column
        const value = record[name]
        const shown =
          name === link ? (
            <RecordLink model={model.key} id={String(id)} className="list-link" order={order}>
              <NameCell field={field} view={view} value={value} record={record} places={matched?.[name]} />
            </RecordLink>
          ) : (
            <Cell {...{ field, view, value }} record={isRelated(field) ? record : undefined} places={matched?.[name]} />
          )
        const isEditable = form !== undefined && editable.has(name)
        return (
          <td key={name} className={columnClass(column, pinned)} data-editable={isEditable || undefined}>
            {isEditable ? <EditableCell {...{ model, record, name, form, setEditedId }}>{shown}</EditableCell> : shown}
            {name === link && hidden !== undefined && (
              <MatchNote
                {...hidden.column}
                title={hidden.column.label}
                value={record[hidden.column.name]}
                places={hidden.places}
              />
            )}
          </td>
        )
      })}
    </tr>
  )
})

/** The first field that has words of a search, if no column of the list shows one. */
function hiddenMatch(matched: Matched | undefined, columns: readonly ListColumn[], all: readonly ListColumn[]) {
  if (matched === undefined || columns.some(({ name }) => Object.hasOwn(matched, name))) return undefined
  const column = all.find(({ name }) => Object.hasOwn(matched, name))
  const places = column && matched[column.name]
  return places && { column, places }
}

/** Only cells of relations read other members of the record; the others need not render again with them. */
const isRelated = ({ type }: ListColumn['field']): boolean => type === 'foreignkey' || type === 'one_to_one'

/** What takes clicks itself within a row. */
const TAKES_CLICKS = 'a, button, input, label, [data-editable]'

/** Opens the record whose row is clicked, by the link of its name; the middle button, Ctrl and ⌘ open it in a tab. */
export function openClickedRow({ button, ctrlKey, metaKey, shiftKey, altKey, target, currentTarget }: MouseEvent): void {
  // A popup of a cell is a part of the row, but stands elsewhere in the document.
  if (!(target instanceof Element) || !currentTarget.contains(target) || target.closest(TAKES_CLICKS) !== null) return
  // The end of marking a text to copy is a click, too.
  if (shiftKey || altKey || (getSelection()?.toString() ?? '') !== '') return
  const link = target.closest('tr')?.querySelector<HTMLAnchorElement>('a.list-link')
  if (!link) return
  if (button === 1 || ctrlKey || metaKey) open(link.href, '_blank', 'noopener')
  else if (button === 0) link.click()
}

/** Moves the focus to the name in the next or former row; to the first row, if it is in none. */
export function focusRow(table: HTMLElement | null, by: -1 | 1): void {
  const rows = [...(table?.querySelectorAll('tbody tr') ?? [])]
  const place = rows.findIndex((row) => row.contains(document.activeElement))
  const next = place === -1 ? 0 : Math.min(Math.max(place + by, 0), rows.length - 1)
  rows[next]?.querySelector<HTMLElement>('a.list-link')?.focus()
}

/** Moves through the rows by the arrow keys while the focus is in the table. */
export function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined
  const { target, currentTarget, ctrlKey, metaKey, altKey, shiftKey } = event
  if (by === undefined || ctrlKey || metaKey || altKey || shiftKey) return
  if (!(target instanceof Element) || !currentTarget.contains(target)) return
  event.preventDefault()
  focusRow(currentTarget, by)
}

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

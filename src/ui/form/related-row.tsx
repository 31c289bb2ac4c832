import { ArrowDown, ArrowUp, PanelRightOpen, Pencil, Trash2, Undo2 } from 'lucide-react'
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef } from 'react'
import type { SiteField } from '../../client/client.ts'
import { Cell } from '../cells/cell.tsx'
import { isNumeric } from '../cells/choices.ts'
import type { AnyRecord } from '../data/records.ts'
import { idOf } from '../data/related.ts'
import type { FieldView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { useRelated } from '../widgets/use-related.ts'
import { Widget } from '../widgets/widget.tsx'
import { isEditedInPlace, type RowForms, settableIn } from './row-forms.ts'
import type { ActiveRow, RowDraft } from './use-rows.ts'
import { valueIn } from './values.ts'

/** A column of a table of a form. */
export interface RowColumn {
  readonly name: string
  readonly label: string
  readonly field: SiteField
  /** The field in the form of the rows; undefined for one that the form lacks. */
  readonly view: FieldView | undefined
}

/** What the user does with a row. */
export type RowAction =
  | { readonly kind: 'edit'; readonly column?: string }
  | { readonly kind: 'set'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'remove' | 'keep' | 'mine' | 'open' | 'close' }
  | { readonly kind: 'move'; readonly step: 1 | -1 }
  | { readonly kind: 'go'; readonly step: 1 | -1; readonly column?: string; readonly button?: string }

interface TableRowProps {
  readonly forms: RowForms
  readonly columns: readonly RowColumn[]
  readonly rowKey: string
  /** Its place in the table, from 1. */
  readonly number: number
  readonly draft: RowDraft
  /** What others have done with the row. */
  readonly state: 'new' | 'stored' | 'changed' | 'gone'
  /** The column that has the focus while the row has inputs; undefined for a row to read. */
  readonly column: string | undefined
  /** Another object each time that the focus is to go there. */
  readonly focus: ActiveRow | undefined
  /** True if the table has columns with inputs. */
  readonly isInPlace: boolean
  /** True if the form of the row has fields that are no columns. */
  readonly hasMore: boolean
  readonly canMove: boolean
  readonly canDelete: boolean
  /** True for the row whose buttons the Tab key reaches. */
  readonly isCurrent: boolean
  /** The same function for all rows, always. */
  readonly act: (key: string, action: RowAction) => void
}

/** A row of a table of a form. Only the one that is edited has inputs; it renders again only if something of it changes. */
export const TableRow = memo(function TableRow(props: TableRowProps) {
  const { forms, columns, rowKey, number, draft, state, column, focus, act } = props
  const text = useText()
  const later = useLaterText().rows
  const element = useRef<HTMLTableRowElement>(null)
  const settable = settableIn(forms, draft)
  const isActive = column !== undefined && !draft.isRemoved
  const isEditable = settable.length > 0 && !draft.isRemoved && state !== 'gone'
  useEffect(() => {
    if (focus?.column === undefined) return
    const cell = element.current?.querySelector(`[data-column="${CSS.escape(focus.column)}"]`)
    const input = cell?.querySelector<HTMLElement>('input:not([type=hidden]), button, textarea')
    const target = input ?? element.current?.querySelector<HTMLElement>('td input, td button')
    target?.focus()
    if (target instanceof HTMLInputElement && target.type !== 'checkbox') target.select()
  }, [focus])
  const hasErrors = Object.keys(draft.errors).length > 0
  const messages = Object.entries(draft.errors).flatMap(([, each]) => each)
  const unparsed = Object.values(draft.edits).flatMap((value) => faultsOf(value, text.form, hasErrors))
  const notes = [...unparsed, ...messages.map(text.errors.fromServer)]
  const notesId = `rows-${rowKey}-notes`
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>) => onRowKey(event, props, isActive)
  return (
    <>
      <tr
        ref={element}
        data-row={rowKey}
        data-active={isActive || undefined}
        data-removed={draft.isRemoved || undefined}
        data-dirty={(draft.isChanged && !draft.isRemoved) || undefined}
        data-faulty={notes.length > 0 || undefined}
        onKeyDown={onKeyDown}
      >
        {columns.map((each) => {
          const { name, label, field, view } = each
          const isInput = isActive && view !== undefined && settable.includes(name) && isEditedInPlace(forms, field, view)
          const value =
            name in draft.edits
              ? draft.edits[name]
              : draft.base === undefined
                ? (draft.start[name] ?? null)
                : valueIn(draft.base.record, field)
          const isFaulty = draft.errors[name] !== undefined || faultsOf(value, text.form, hasErrors).length > 0
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the button of the row.
            <td
              key={name}
              data-column={name}
              data-label={label}
              data-invalid={isFaulty || undefined}
              className={isNumeric(field) ? 'number' : undefined}
              onClick={
                isInput || !isEditable
                  ? undefined
                  : (event) => isPlain(event.target) && act(rowKey, { kind: 'edit', column: name })
              }
            >
              {isInput ? (
                <Widget
                  field={view}
                  model={forms.model}
                  value={value}
                  record={draft.base?.record}
                  onChange={(next) => act(rowKey, { kind: 'set', name, value: next })}
                  links={{
                    'aria-label': later.cell(label, number),
                    'aria-invalid': isFaulty || undefined,
                    'aria-describedby': notes.length > 0 ? notesId : undefined,
                    'aria-required': view.required || field.required || undefined,
                  }}
                />
              ) : (
                <ShownValue
                  {...{ field, view, value }}
                  record={draft.base?.record}
                  isEdited={name in draft.edits || draft.base === undefined}
                />
              )}
            </td>
          )
        })}
        <td className="rows-actions">
          <RowButtons {...props} isActive={isActive} isEditable={isEditable} />
        </td>
      </tr>
      {(notes.length > 0 || state === 'changed' || state === 'gone') && !draft.isRemoved && (
        <tr className="rows-notes">
          <td colSpan={columns.length + 1}>
            {notes.length > 0 && (
              <ul id={notesId} className="field-errors">
                {notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            )}
            {(state === 'changed' || state === 'gone') && (
              <div className="rows-conflict" role="status">
                <span>{state === 'gone' ? later.gone : later.changed}</span>
                <Button onClick={() => act(rowKey, { kind: 'keep' })}>{state === 'gone' ? later.drop : later.theirs}</Button>
                {state === 'changed' && <Button onClick={() => act(rowKey, { kind: 'mine' })}>{later.mine}</Button>}
              </div>
            )}
          </td>
        </tr>
      )}
    </>
  )
})

/** False for what a click on a cell reaches and that has a purpose of its own. */
const isPlain = (target: EventTarget): boolean => target instanceof Element && target.closest('a, button, input') === null

/** The keys of a row: up and down, with Alt to move the row, Enter to the next row, Escape to end the editing. */
function onRowKey(event: KeyboardEvent, { rowKey, column, canMove, act }: TableRowProps, isActive: boolean): void {
  const { target, key, altKey, ctrlKey, metaKey, shiftKey } = event
  if (event.defaultPrevented || ctrlKey || metaKey || !(target instanceof HTMLElement)) return
  const action = actionOf()
  if (action === undefined) return
  event.preventDefault()
  event.stopPropagation()
  act(rowKey, action)

  function actionOf(): RowAction | undefined {
    if (!(target instanceof HTMLElement)) return undefined
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : undefined
    if (step !== undefined && altKey) return canMove ? { kind: 'move', step } : undefined
    if (altKey || shiftKey) return undefined
    const button = target.dataset.do
    if (step !== undefined && button !== undefined && !isActive) return { kind: 'go', step, button }
    if (!isActive) return undefined
    if (key === 'Escape') return { kind: 'close' }
    const isText = target instanceof HTMLInputElement && target.role !== 'combobox' && target.type !== 'checkbox'
    if (key !== 'Enter' || !isText) return undefined
    return { kind: 'go', step: 1, column: target.closest<HTMLElement>('[data-column]')?.dataset.column ?? column ?? '' }
  }
}

interface ShownValueProps {
  readonly field: SiteField
  readonly view: FieldView | undefined
  readonly value: unknown
  readonly record: AnyRecord | undefined
  readonly isEdited: boolean
}

/** A value of a row to read. */
function ShownValue({ field, view, value, record, isEdited }: ShownValueProps) {
  if (value instanceof Unparsed) return <span className="cell-text">{value.text}</span>
  if (field.relation !== null && isEdited && value !== null && !Array.isArray(value))
    return <RelatedName field={field} value={value} />
  return <Cell field={field} view={view} value={value} record={record} />
}

/** The name of a record that was chosen and is not stored yet. */
function RelatedName({ field, value }: { readonly field: SiteField; readonly value: unknown }): ReactNode {
  const id = idOf(value) ?? 0
  const related = useRelated(field, undefined, [id])
  return <span className="cell-text">{related.relatedOf(id).label ?? `#${id}`}</span>
}

interface RowButtonsProps extends TableRowProps {
  readonly isActive: boolean
  readonly isEditable: boolean
}

/** The buttons of a row: few for one to read, since a table has hundreds. */
function RowButtons({
  rowKey,
  number,
  draft,
  isInPlace,
  hasMore,
  canMove,
  canDelete,
  isActive,
  isEditable,
  isCurrent,
  state,
  act,
}: RowButtonsProps) {
  const later = useLaterText().rows
  const tab = isCurrent ? 0 : -1
  const button = (name: string, label: string, icon: ReactNode, action: RowAction) => (
    <button
      type="button"
      className="icon-button"
      data-do={name}
      aria-label={label}
      title={label}
      tabIndex={tab}
      onClick={() => act(rowKey, action)}
    >
      {icon}
    </button>
  )
  if (draft.isRemoved) return button('keep', later.keep(number), <Undo2 size={16} aria-hidden />, { kind: 'keep' })
  return (
    <>
      {isActive && canMove && (
        <>
          {button('up', later.up(number), <ArrowUp size={16} aria-hidden />, { kind: 'move', step: -1 })}
          {button('down', later.down(number), <ArrowDown size={16} aria-hidden />, { kind: 'move', step: 1 })}
        </>
      )}
      {isEditable &&
        isInPlace &&
        !isActive &&
        button('edit', later.edit(number), <Pencil size={16} aria-hidden />, { kind: 'edit' })}
      {isEditable && hasMore && button('open', later.open(number), <PanelRightOpen size={16} aria-hidden />, { kind: 'open' })}
      {canDelete &&
        state !== 'gone' &&
        button('remove', later.remove(number), <Trash2 size={16} aria-hidden />, { kind: 'remove' })}
    </>
  )
}

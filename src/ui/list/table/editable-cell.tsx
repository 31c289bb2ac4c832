import { Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import type { AnyRecord } from '../../data/records.ts'
import type { FormView } from '../../data/views.ts'
import { lazyPart } from '../../parts/lazy/lazy-part.ts'
import { Popover } from '../../parts/popups/popover.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useText } from '../../text/text.tsx'

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
export function EditableCell({ model, record, name, form, setEditedId, children }: EditableCellProps) {
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

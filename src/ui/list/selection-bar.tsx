import { Pencil, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { may, useSite } from '../data/site.ts'
import type { FormView } from '../data/views.ts'
import { ActionBar } from '../form/action-bar.tsx'
import { useSelectionOffers } from '../form/action-offers.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { focusContent } from '../parts/page-header.tsx'
import { passing } from '../parts/pass-focus.ts'
import { useText } from '../text/text.tsx'
import { ExportMenu, type ShownList } from './export-menu.tsx'
import {
  allSelected,
  bulkFields,
  bulkSelection,
  type ListSelection,
  type Matches,
  NO_SELECTION,
  selectedCount,
} from './selection.ts'

const BulkEdit = partOnUse(() => import('./bulk-dialogs.tsx').then((module) => module.BulkEdit))
const BulkDelete = partOnUse(() => import('./bulk-dialogs.tsx').then((module) => module.BulkDelete))

interface SelectionBarProps {
  readonly model: SiteModel
  readonly forms: readonly FormView[]
  readonly selection: ListSelection
  readonly setSelection: (selection: ListSelection) => void
  readonly matches: Matches
  /** Number of matches over all pages. */
  readonly total: number
  /** The order of an export. */
  readonly sort: readonly string[]
  readonly shown: ShownList
  /** The records of the page. */
  readonly records: readonly AnyRecord[]
}

/** Says how many records are selected, and what can be done with them. */
export function SelectionBar({ model, forms, selection, setSelection, matches, total, sort, shown, records }: SelectionBarProps) {
  const text = useText().list
  const { user, limits } = useSite()
  const offers = useSelectionOffers(model, shown.view, selection, records)
  const [action, setAction] = useState<'edit' | 'delete'>()
  const count = selectedCount(selection)
  const fields = may(model, 'change') ? bulkFields(model, forms, user.is_superuser) : []
  const clear = () => {
    setSelection(NO_SELECTION)
    // The bar goes away, and a dialog with it.
    setTimeout(() => document.activeElement === document.body && focusContent())
  }
  const close = (isDone: boolean) => {
    setAction(undefined)
    if (isDone) clear()
  }
  const isNamed = selection.allOf === undefined && count <= limits.bulk_size
  const dialog = { model, selection, setSelection, matches, onClose: close }
  return (
    <section className="selection-bar" aria-label={text.selection}>
      <span className="selection-count" role="status">
        {selection.allOf === undefined ? text.selected(count) : text.allSelected(count)}
      </span>
      {selection.allOf === undefined && count < total && (
        <Button kind="quiet" onClick={passing(() => setSelection(allSelected(total)))}>
          {text.selectAll(total)}
        </Button>
      )}
      <IconButton label={text.clearSelection} icon={<X size={16} aria-hidden />} onClick={clear} />
      <span className="selection-actions">
        <ActionBar
          model={model}
          offers={offers}
          records={isNamed ? [...selection.ids] : bulkSelection(selection, matches)}
          count={count}
          onDone={clear}
        />
        {fields.length > 0 && (
          <Button icon={<Pencil size={14} aria-hidden />} onClick={() => setAction('edit')}>
            {text.bulkEdit}
          </Button>
        )}
        <ExportMenu {...{ model, selection, matches, sort, shown }} />
        {may(model, 'delete') && (
          <Button kind="danger" icon={<Trash2 size={14} aria-hidden />} onClick={() => setAction('delete')}>
            {text.bulkDelete}
          </Button>
        )}
      </span>
      {action !== undefined && (
        <LoadedPopup onFail={() => setAction(undefined)}>
          {action === 'edit' ? <BulkEdit {...dialog} fields={fields} /> : <BulkDelete {...dialog} />}
        </LoadedPopup>
      )}
    </section>
  )
}

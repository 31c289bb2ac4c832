import '../styles/records.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { recordQuery } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { Button } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Dialog } from '../parts/popups.tsx'
import { EmptyState, Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { openerOf } from '../widgets/use-related.ts'
import { ActionBar } from './action-bar.tsx'
import { useRecordOffers } from './action-offers.ts'
import { RecordForm } from './record-form.tsx'
import { useEditing } from './use-editing.tsx'
import { type LoadedRecord, useLoadedRecord } from './use-loaded-record.tsx'

interface RecordDrawerProps {
  readonly model: SiteModel
  readonly id: number
  /** Called when the user closes the drawer. @param isSaved true if it has no edits to ask about */
  readonly onClose: (isSaved: boolean) => void
  /** The drawers that are opened from this one. */
  readonly children: ReactNode
}

const WAITING = <Skeleton shape="fields" lines={12} />

/** A related record with its form, at the side of the form that it was opened from. */
export function RecordDrawer({ model, id, onClose, children }: RecordDrawerProps) {
  const { errors, relation } = useText()
  const missing = <EmptyState title={errors.noRecordTitle}>{errors.noRecordText}</EmptyState>
  const { loaded, instead } = useLoadedRecord(model, id, { missing, waiting: WAITING })
  const known = useQuery({ ...recordQuery(useSession(), model.key, id), enabled: false }).data?.data
  return (
    <Dialog
      isOpen
      onClose={() => onClose(false)}
      title={known === undefined ? model.label : nameOf(known, model)}
      description={
        <>
          {model.label} ·{' '}
          <Link to="/models/$model/$id" params={{ model: model.key, id: String(id) }}>
            {relation.openInFull}
          </Link>
        </>
      }
      shape="drawer"
      returnTo={() => openerOf(model.key, id)}
    >
      {instead}
      {loaded !== undefined && (
        <Loaded fallback={WAITING}>
          <DrawerForm {...{ loaded, onClose }} />
        </Loaded>
      )}
      {children}
    </Dialog>
  )
}

interface DrawerFormProps extends Pick<RecordDrawerProps, 'onClose'> {
  readonly loaded: LoadedRecord
}

function DrawerForm({ loaded, onClose }: DrawerFormProps) {
  const text = useText().common
  const { edits, save, notices, dialogs } = useEditing(loaded, { onSaved: () => onClose(true) })
  const { model, form, isDeleted } = loaded
  const offers = useRecordOffers(model, form, edits.base)
  return (
    <>
      {notices}
      {offers.length > 0 && !isDeleted && (
        <div className="drawer-actions">
          <ActionBar {...{ model, offers }} records={edits.base.id} count={1} onDone={edits.reload} />
        </div>
      )}
      <RecordForm
        model={model}
        form={form}
        edits={edits}
        onSave={save}
        isLocked={edits.isLocked}
        actions={
          <>
            <Button onClick={() => onClose(false)}>{text.cancel}</Button>
            <Button kind="primary" type="submit" isBusy={edits.isBusy} aria-disabled={!edits.isDirty || isDeleted || undefined}>
              {text.save}
            </Button>
          </>
        }
      />
      {dialogs}
    </>
  )
}

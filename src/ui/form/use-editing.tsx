import type { ReactNode } from 'react'
import { useUndoNotice } from '../panels/use-undo-notice.ts'
import { Button } from '../parts/button.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { Notice } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { useLeaveGuard } from './use-leave-guard.tsx'
import type { LoadedRecord } from './use-loaded-record.tsx'
import { type RecordEdits, type Saved, useRecordEdits } from './use-record-edits.ts'
import type { Rights } from './use-rights.ts'

const ConflictDialog = lazyPart(() => import('./conflict-dialog.tsx').then((module) => module.ConflictDialog))

interface Editing {
  readonly edits: RecordEdits
  /** Saves the edits and says so; nothing while there are none. */
  readonly save: () => void
  /** Says what others have done with the record meanwhile. */
  readonly notices: ReactNode
  /** The dialogs that ask how versions are merged, and whether edits are given up. */
  readonly dialogs: ReactNode
}

interface EditingOptions {
  /** The rights that the page shows apart from the form. */
  readonly rights?: Rights
  /** Called after the edits are stored. */
  readonly onSaved?: () => void
}

/** The editing of a record, on its page or in a drawer: edits, conflicts, and the question before edits are given up. */
export function useEditing(record: LoadedRecord, { rights, onSaved }: EditingOptions = {}): Editing {
  const { model, form, latest, isDeleted, onDeleted } = record
  const text = useText()
  const say = useUndoNotice()
  const edits = useRecordEdits(model, form, latest, onDeleted, rights)
  const guard = useLeaveGuard(edits.isDirty)

  const report = (saved: Saved | undefined) => {
    if (saved === undefined) return
    say(text.form.saved, saved.undo)
    onSaved?.()
  }
  const save = () => {
    if (!isDeleted && edits.isDirty) void edits.save().then(report)
  }
  const notices = isDeleted ? (
    <Notice kind="warning">{text.form.deletedElsewhere}</Notice>
  ) : (
    <>
      {edits.wasRefreshed && <Notice kind="info">{text.form.refreshed}</Notice>}
      {edits.isOutdated && (
        <Notice kind="warning" actions={<Button onClick={edits.compare}>{text.form.compare}</Button>}>
          {text.form.changedElsewhere}
        </Notice>
      )}
    </>
  )
  const dialogs = (
    <>
      {edits.conflict !== undefined && (
        <LoadedPopup onFail={edits.closeConflict}>
          <ConflictDialog
            conflict={edits.conflict}
            model={model}
            form={form}
            base={edits.base}
            onClose={edits.closeConflict}
            onResolve={(sides, isSaving) =>
              void edits.resolve(sides, isSaving).then((saved) => (isSaving ? report(saved) : undefined))
            }
          />
        </LoadedPopup>
      )}
      {guard}
    </>
  )
  return { edits, save, notices, dialogs }
}

import { Suspense } from 'react'
import { formFor, formModel, useViews } from '../../data/views.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Dialog } from '../../parts/popups/dialog.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useText } from '../../text/text.tsx'
import type { CreateRelatedProps } from '../../widgets/relations/create-related.ts'
import { NewRecordForm } from './new-record-form.tsx'
import { useNewRecord } from './use-new-record.ts'

/** Creates a record over the page, for a picker that selects it then. */
export function CreateDialog({ model, onClose }: CreateRelatedProps) {
  const text = useText()
  const views = useViews(model.key)
  const form = views.data === undefined ? undefined : formFor(views.data.forms, 'create')
  return (
    <Dialog isOpen onClose={() => onClose(undefined)} title={text.form.createIn(model.label)} shape="wide">
      {views.data === undefined && <Skeleton />}
      {views.data !== undefined && form === undefined && <EmptyState title={text.form.noForm} />}
      {form !== undefined && (
        <Suspense fallback={<Skeleton />}>
          <CreateForm model={formModel(model, form)} form={form} onClose={onClose} />
        </Suspense>
      )}
    </Dialog>
  )
}

function CreateForm({ model, form, onClose }: CreateRelatedProps & { readonly form: Parameters<typeof useNewRecord>[1] }) {
  const text = useText()
  const state = useNewRecord(model, form)
  const submit = async () => {
    const created = await state.save()
    if (created !== undefined) onClose(created)
  }
  return (
    <NewRecordForm
      {...{ form, model, state }}
      onSave={() => void submit()}
      round={0}
      actions={
        <>
          <Button onClick={() => onClose(undefined)}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={state.isBusy}>
            {text.form.createAndSelect}
          </Button>
        </>
      }
    />
  )
}

import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { AdminError, type SiteModel, type Versioned } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { may } from '../data/site.ts'
import type { FormView } from '../data/views.ts'
import { RecordPanels } from '../panels/record-panels.tsx'
import { Button } from '../parts/button.tsx'
import { PageHeader, Tabs } from '../parts/page-header.tsx'
import { errorMessage, Notice, Skeleton } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { firstOf } from '../search-params.ts'
import { useText } from '../text/text.tsx'
import { CreateRelatedContext } from '../widgets/use-picker.tsx'
import { FormFields } from './form-fields.tsx'
import { FormFrame } from './form-frame.tsx'
import { CreateDialog } from './new-record.tsx'
import { RecordFacts } from './record-facts.tsx'
import { RecordMenu } from './record-menu.tsx'
import { RecordNeighbours } from './record-neighbours.tsx'
import { useLeaveGuard } from './use-leave-guard.tsx'
import { type RecordEdits, type Saved, useRecordEdits } from './use-record-edits.ts'
import { useSaveKey } from './use-save-key.ts'

const ConflictDialog = lazy(() => import('./conflict-dialog.tsx').then((module) => ({ default: module.ConflictDialog })))
const DeleteDialog = lazy(() => import('./delete-dialog.tsx').then((module) => ({ default: module.DeleteDialog })))
const RecordHistory = lazy(() => import('./record-history.tsx').then((module) => ({ default: module.RecordHistory })))

interface RecordEditorProps {
  readonly model: SiteModel
  readonly forms: readonly FormView[]
  readonly form: FormView
  /** The newest version that the page knows. */
  readonly latest: Versioned<AnyRecord>
  /** True if the record was deleted while it was open. */
  readonly isDeleted: boolean
  readonly onDeleted: () => void
  /** Deletes the record. @throws {AdminError} */
  readonly onDelete: (etag: string) => Promise<void>
}

/** A record: its form, facts beside it, its history. */
export function RecordEditor({ model, forms, form, latest, isDeleted, onDeleted, onDelete }: RecordEditorProps) {
  const text = useText()
  const toasts = useToasts()
  const navigate = useNavigate()
  const tab = firstOf(useSearch({ strict: false }), 'tab') === 'history' && model.history ? 'history' : 'form'
  const [isDeleting, setDeleting] = useState(false)
  const edits = useRecordEdits(model, form, latest, onDeleted)
  const guard = useLeaveGuard(edits.isDirty)
  const { base, conflict } = edits
  const label = nameOf(base, model)

  const showTab = (value: string) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, tab: value === 'history' ? value : undefined }),
      state: true,
      replace: true,
    })
  const reportSaved = (saved: Saved | undefined) => {
    const undo = saved?.undo
    const failed = (error: unknown) => {
      const isChanged = error instanceof AdminError && error.type === 'precondition'
      toasts.failed(text.history.notUndone, isChanged ? text.history.changedSince : errorMessage(error, text.errors))
    }
    const run = () => void undo?.().then(() => toasts.done(text.history.undone), failed)
    if (saved !== undefined) toasts.done(text.form.saved, undo && { label: text.history.undo, run })
  }
  const save = () => {
    if (!isDeleted && edits.isDirty) void edits.save().then(reportSaved)
  }
  useSaveKey(save)
  const duplicate = () =>
    void navigate({ to: '/models/$model/new', params: { model: model.key }, search: { copy: String(base.id) } })

  const page = (
    <>
      <RecordForm model={model} form={form} edits={edits} isDeleted={isDeleted} onSave={save} />
      {!isDeleted && (
        <div className="record-panels">
          <RecordPanels model={model.key} record={base} onSaved={() => void edits.reload()} />
        </div>
      )}
    </>
  )
  return (
    <CreateRelatedContext value={CreateDialog}>
      <PageHeader
        above={
          <Link to="/models/$model" params={{ model: model.key }}>
            {model.label}
          </Link>
        }
        title={label}
        actions={
          <>
            <RecordNeighbours model={model.key} id={base.id} />
            <RecordMenu
              model={model}
              forms={edits.writable.length > 0 ? forms : []}
              form={form}
              onDuplicate={may(model, 'add') && !isDeleted ? duplicate : undefined}
              onDelete={may(model, 'delete') && !isDeleted ? () => setDeleting(true) : undefined}
            />
          </>
        }
      />
      {isDeleted && <Notice kind="warning">{text.form.deletedElsewhere}</Notice>}
      {!isDeleted && edits.wasRefreshed && <Notice kind="info">{text.form.refreshed}</Notice>}
      {!isDeleted && edits.isOutdated && (
        <Notice kind="warning" actions={<Button onClick={edits.compare}>{text.form.compare}</Button>}>
          {text.form.changedElsewhere}
        </Notice>
      )}
      <div className="record">
        <div className="record-main">
          {model.history ? (
            <Tabs
              label={text.form.tabs}
              value={tab}
              onChange={showTab}
              tabs={[
                { value: 'form', label: text.form.formTab, content: page },
                {
                  value: 'history',
                  label: text.history.title,
                  content: (
                    <Suspense fallback={<Skeleton />}>
                      <RecordHistory
                        model={model}
                        form={form}
                        id={base.id}
                        writable={isDeleted ? [] : edits.writable}
                        onRestore={(values) => {
                          edits.setValues(values)
                          showTab('form')
                        }}
                      />
                    </Suspense>
                  ),
                },
              ]}
            />
          ) : (
            page
          )}
        </div>
        <RecordFacts model={model} record={base} />
      </div>
      <Suspense>
        {conflict !== undefined && (
          <ConflictDialog
            conflict={conflict}
            model={model}
            form={form}
            base={base}
            onClose={edits.closeConflict}
            onResolve={(sides, isSaving) => void edits.resolve(sides, isSaving).then(reportSaved)}
          />
        )}
        {isDeleting && (
          <DeleteDialog
            model={model}
            id={base.id}
            label={label}
            onDelete={() => onDelete(edits.etag)}
            onClose={() => setDeleting(false)}
          />
        )}
      </Suspense>
      {guard}
    </CreateRelatedContext>
  )
}

interface RecordFormProps {
  readonly model: SiteModel
  readonly form: FormView
  readonly edits: RecordEdits
  /** True if the record cannot be saved any more. */
  readonly isDeleted: boolean
  readonly onSave: () => void
}

/** The form of a record; without a field that the user may change, its values to read. */
function RecordForm({ model, form, edits, isDeleted, onSave }: RecordFormProps) {
  const text = useText()
  const { base, writable, hidden, problems, isDirty, isBusy } = edits
  const fields = (
    <FormFields
      form={form}
      model={model}
      writable={writable}
      hidden={hidden}
      record={base}
      values={edits.edits}
      onChange={edits.setValue}
      errors={problems?.fields ?? {}}
      wasTried={problems !== undefined}
    />
  )
  if (writable.length === 0) return <div className="form">{fields}</div>
  const isIdle = !isDirty || isDeleted
  return (
    <FormFrame
      form={form}
      model={model}
      problems={problems}
      shown={writable.filter((name) => !hidden.has(name))}
      onSave={onSave}
      actions={
        <>
          {isDirty && (
            <Button kind="quiet" onClick={edits.discard}>
              {text.form.discard}
            </Button>
          )}
          <Button kind="primary" type="submit" isBusy={isBusy} aria-disabled={isIdle || undefined}>
            {text.common.save}
          </Button>
        </>
      }
    >
      {fields}
    </FormFrame>
  )
}

import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useId, useState } from 'react'
import { nameOf } from '../data/related.ts'
import { may } from '../data/site.ts'
import { RecordPanels } from '../panels/record-panels.tsx'
import { Tabs } from '../parts/page-header.tsx'
import { Skeleton } from '../parts/states.tsx'
import { firstOf } from '../search-params.ts'
import { useText } from '../text/text.tsx'
import { RecordFacts } from './record-facts.tsx'
import { RecordForm } from './record-form.tsx'
import { RecordHeader } from './record-header.tsx'
import { RecordMenu } from './record-menu.tsx'
import { RecordNeighbours } from './record-neighbours.tsx'
import { RelationDrawers } from './relation-drawers.tsx'
import { useEditing } from './use-editing.tsx'
import type { LoadedRecord } from './use-loaded-record.tsx'
import { useSaveKey } from './use-save-key.ts'

const DeleteDialog = lazy(() => import('./delete-dialog.tsx').then((module) => ({ default: module.DeleteDialog })))
const RecordHistory = lazy(() => import('./record-history.tsx').then((module) => ({ default: module.RecordHistory })))

interface RecordEditorProps extends LoadedRecord {
  /** Deletes the record. @throws {AdminError} */
  readonly onDelete: (etag: string) => Promise<void>
}

/** A record: its form, facts beside it, its history. */
export function RecordEditor({ onDelete, ...record }: RecordEditorProps) {
  const { model, forms, form, isDeleted } = record
  const text = useText()
  const navigate = useNavigate()
  const tab = firstOf(useSearch({ strict: false }), 'tab') === 'history' && model.history ? 'history' : 'form'
  const [isDeleting, setDeleting] = useState(false)
  const formId = useId()
  // The messages stand in the form.
  const { edits, save, notices, dialogs } = useEditing(record, { onRefused: () => tab !== 'form' && showTab('form') })
  const { base } = edits
  const label = nameOf(base, model)

  const showTab = (value: string) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, tab: value === 'history' ? value : undefined }),
      state: true,
      replace: true,
    })
  useSaveKey(save)
  const duplicate = () =>
    void navigate({ to: '/models/$model/new', params: { model: model.key }, search: { copy: String(base.id) } })

  const page = (
    <>
      <RecordForm id={formId} model={model} form={form} edits={edits} onSave={save} />
      {!isDeleted && (
        <div className="record-panels">
          <RecordPanels model={model.key} record={base} onSaved={() => void edits.reload()} />
        </div>
      )}
    </>
  )
  return (
    <RelationDrawers>
      <RecordHeader
        model={model}
        title={label}
        isDirty={edits.isDirty}
        onDiscard={edits.discard}
        save={
          edits.writable.length === 0
            ? undefined
            : {
                form: tab === 'form' ? formId : undefined,
                onSave: save,
                isBusy: edits.isBusy,
                isIdle: !edits.isDirty || isDeleted,
              }
        }
      >
        <RecordNeighbours model={model.key} id={base.id} />
        <RecordMenu
          model={model}
          forms={edits.writable.length > 0 ? forms : []}
          form={form}
          onDuplicate={may(model, 'add') && !isDeleted ? duplicate : undefined}
          onDelete={may(model, 'delete') && !isDeleted ? () => setDeleting(true) : undefined}
        />
      </RecordHeader>
      {notices}
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
      {dialogs}
    </RelationDrawers>
  )
}

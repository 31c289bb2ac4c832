import { useNavigate, useSearch } from '@tanstack/react-router'
import { Fragment, useEffect, useEffectEvent, useId, useMemo, useState } from 'react'
import { nameOf } from '../data/related.ts'
import { may, useSite } from '../data/site.ts'
import { lazyPart, partOnUse } from '../parts/lazy-part.ts'
import { Loaded, LoadedPopup } from '../parts/loaded.tsx'
import { Tabs } from '../parts/page-header.tsx'
import { Skeleton } from '../parts/states.tsx'
import { firstOf } from '../search-params.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { ActionBar } from './action-bar.tsx'
import { useRecordOffers } from './action-offers.ts'
import { type Problems, problemsAt } from './problems.ts'
import { RecordFacts } from './record-facts.tsx'
import { RecordForm } from './record-form.tsx'
import { RecordHeader } from './record-header.tsx'
import { RecordMenu } from './record-menu.tsx'
import { RecordNeighbours } from './record-neighbours.tsx'
import { RelationDrawers } from './relation-drawers.tsx'
import { useEditing } from './use-editing.tsx'
import type { LoadedRecord } from './use-loaded-record.tsx'
import { useRights } from './use-rights.ts'
import { useSaveKey } from './use-save-key.ts'

const DeleteDialog = lazyPart(() => import('./delete-dialog.tsx').then((module) => module.DeleteDialog))
const AccessForm = partOnUse(() => import('./access-form.tsx').then((module) => module.AccessForm))
const UserPanel = partOnUse(() => import('../accounts/user-panel.tsx').then((module) => module.UserPanel))
const RecordHistory = partOnUse(() => import('./record-history.tsx').then((module) => module.RecordHistory))

interface RecordEditorProps extends LoadedRecord {
  /** Deletes the record. @throws {AdminError} */
  readonly onDelete: (etag: string) => Promise<void>
}

type Tab = 'form' | 'access' | 'history'

/** A record: its form, its rights if it is a user or a group, its history, and facts beside them. */
export function RecordEditor({ onDelete, ...record }: RecordEditorProps) {
  const { model, forms, form, isDeleted } = record
  const text = useText()
  const later = useLaterText()
  const { user, models } = useSite()
  const navigate = useNavigate()
  const wanted = firstOf(useSearch({ strict: false }), 'tab')
  const [isDeleting, setDeleting] = useState(false)
  const formId = useId()
  const rights = useRights(model)
  const { edits, save, notices, dialogs } = useEditing(record, { rights })
  const { base, problems } = edits
  const offers = useRecordOffers(model, form, base)
  const label = nameOf(base, model)
  const hasAccess = rights.names.length > 0
  const isOpen = (wanted === 'history' && model.history) || (wanted === 'access' && hasAccess)
  const tab: Tab = isOpen ? wanted : 'form'

  const showTab = (value: string) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, tab: value === 'form' ? undefined : value }),
      state: true,
      replace: true,
    })
  const faults = useFaults(problems, rights.names, tab === 'access' ? 'access' : 'form')
  const showFault = useEffectEvent(() => {
    const faulty = faults.form === undefined ? 'access' : 'form'
    if (tab !== faulty) showTab(faulty)
  })
  useEffect(() => {
    if (problems !== undefined) showFault()
  }, [problems])
  useSaveKey(save)
  const duplicate = (withRows: boolean) => {
    const search = { copy: String(base.id), ...(withRows ? { rows: 'true' } : {}) }
    void navigate({ to: '/models/$model/new', params: { model: model.key }, search })
  }

  const hasForm = edits.writable.length > 0 || edits.rows.isWritable
  const canSave = hasForm || rights.isWritable
  const tabs = [
    {
      value: 'form',
      label: text.form.formTab,
      isFaulty: faults.form !== undefined,
      content: (
        <>
          <RecordForm id={formId} model={model} form={form} edits={{ ...edits, problems: faults.form }} onSave={save} />
          {model.key === 'user' && user.is_superuser && !isDeleted && (
            <div className="record-panels">
              <Loaded fallback={<Skeleton />}>
                <UserPanel record={base} onSaved={() => void edits.reload()} />
              </Loaded>
            </div>
          )}
        </>
      ),
    },
    hasAccess && {
      value: 'access',
      label: model.key === 'user' ? later.users.access : later.users.permissions,
      isFaulty: faults.access !== undefined,
      content: (
        <Loaded fallback={<Skeleton lines={models.length} />}>
          <AccessForm
            {...{ model, form }}
            id={formId}
            edits={{ ...edits, problems: faults.access }}
            isWritable={rights.isWritable}
            onSave={save}
          />
        </Loaded>
      ),
    },
    model.history && {
      value: 'history',
      label: later.history.title,
      content: (
        <Loaded fallback={<Skeleton />}>
          <RecordHistory
            model={model}
            form={form}
            id={base.id}
            writable={isDeleted ? [] : [...edits.writable, ...(rights.isWritable ? rights.names : [])]}
            onRestore={(values) => {
              edits.setValues(values)
              showTab(Object.keys(values).every((name) => rights.names.includes(name)) ? 'access' : 'form')
            }}
          />
        </Loaded>
      ),
    },
  ].filter((each) => each !== false)
  return (
    <RelationDrawers>
      <RecordHeader
        model={model}
        title={label}
        isDirty={edits.isDirty}
        onDiscard={edits.discard}
        save={
          canSave
            ? {
                // The form of the rights may still be loading.
                form: tab === 'form' && hasForm ? formId : undefined,
                onSave: save,
                isBusy: edits.isBusy,
                isIdle: !edits.isDirty || isDeleted,
              }
            : undefined
        }
      >
        <RecordNeighbours model={model.key} id={base.id} />
        {!isDeleted && <ActionBar {...{ model, offers }} records={base.id} count={1} onDone={edits.reload} isInPalette />}
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
          {tabs.length > 1 ? (
            <Tabs label={text.form.tabs} value={tab} onChange={showTab} tabs={tabs} />
          ) : (
            tabs.map(({ value, content }) => <Fragment key={value}>{content}</Fragment>)
          )}
        </div>
        <RecordFacts model={model} record={base} />
      </div>
      {isDeleting && (
        <LoadedPopup onFail={() => setDeleting(false)}>
          <DeleteDialog
            model={model}
            id={base.id}
            label={label}
            onDelete={() => onDelete(edits.etag)}
            onClose={() => setDeleting(false)}
          />
        </LoadedPopup>
      )}
      {dialogs}
    </RelationDrawers>
  )
}

/** What kept a record from being saved, by the tab of its field. A fault of no field stands where the user is. */
function useFaults(problems: Problems | undefined, rights: readonly string[], place: 'form' | 'access') {
  const faults = useMemo(() => {
    const at = (isOwn: (name: string) => boolean) => problems && problemsAt(problems, isOwn)
    const form = at((name) => !rights.includes(name))
    const hasRows = (problems?.rows ?? []).length > 0
    return {
      form: hasRows && problems ? { ...problems, fields: form?.fields ?? {} } : form,
      access: at((name) => rights.includes(name)),
    }
  }, [problems, rights])
  const isPlaced = faults.form !== undefined || faults.access !== undefined
  return isPlaced ? faults : { form: undefined, access: undefined, [place]: problems }
}

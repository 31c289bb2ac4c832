import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useCallback, useState } from 'react'
import { AdminError, type ChangeEvent, type SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { recordQuery, refreshModel } from '../data/records.ts'
import { may, useModel } from '../data/site.ts'
import { useChanges } from '../data/use-live.ts'
import { useViews } from '../data/use-views.ts'
import { formFor, formModel, formsFor } from '../data/views.ts'
import { focusContent } from '../form/form-frame.tsx'
import { RecordEditor } from '../form/record-editor.tsx'
import { mayRestore, useRestore } from '../panels/use-restore.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { firstOf } from '../search-params.ts'
import { useText } from '../text/text.tsx'
import { NotFound } from './not-found.tsx'

/** A record, to read and to edit. */
export function RecordPage() {
  const { model: key = '', id = '' } = useParams({ strict: false })
  const model = useModel(key)
  const number = Number(id)
  if (model === undefined || !may(model, 'view') || !Number.isSafeInteger(number) || number < 1) return <NotFound />
  return <OpenRecord key={`${key}/${number}`} model={model} id={number} />
}

function OpenRecord({ model, id }: { readonly model: SiteModel; readonly id: number }) {
  const text = useText()
  const restore = useRestore()
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  const [isDeleted, setDeleted] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const views = useViews(model.key)
  const chosen = firstOf(useSearch({ strict: false }), 'form')
  // A record that is known to be deleted is not asked for again.
  const record = useQuery({ ...recordQuery(session, model.key, id), enabled: !isDeleted && !isLeaving })
  useChanges(
    useCallback(
      (change: ChangeEvent) => {
        if (change.model === model.key && change.record_id === id && change.action === 'delete') setDeleted(true)
      },
      [model.key, id],
    ),
  )

  const remove = async (etag: string) => {
    setLeaving(true)
    try {
      await session.run((client) => client.model(model.key).delete(id, { if_match: etag }))
    } catch (error) {
      setLeaving(false)
      throw error
    }
    const undo = { label: text.history.undo, run: () => void restore(model, id) }
    toasts.done(text.remove.done, mayRestore(model) ? undo : undefined)
    await navigate({ to: '/models/$model', params: { model: model.key }, ignoreBlocker: true })
    focusContent()
    queries.removeQueries({ queryKey: recordQuery(session, model.key, id).queryKey })
    void refreshModel(queries, model.key)
  }

  const isMissing = record.error instanceof AdminError && record.error.type === 'not_found'
  if (isMissing && record.data === undefined) return <NotFound />
  const failure = views.error ?? (isMissing || record.data !== undefined ? null : record.error)
  if (failure !== null) {
    const retry = () => void Promise.all([views.refetch(), record.refetch()])
    return <Failure error={failure} onRetry={retry} />
  }
  if (views.data === undefined || record.data === undefined) return <Skeleton />
  const forms = formsFor(views.data.forms, 'update')
  const form = forms.find(({ name }) => name === chosen) ?? formFor(views.data.forms, 'update') ?? views.data.forms[0]
  if (form === undefined) return <NotFound />
  return (
    <Suspense fallback={<Skeleton />}>
      <RecordEditor
        model={formModel(model, form)}
        forms={forms}
        form={form}
        latest={record.data}
        isDeleted={(isDeleted || isMissing) && !isLeaving}
        onDeleted={() => setDeleted(true)}
        onDelete={remove}
      />
    </Suspense>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { recordQuery, refreshModel } from '../data/records.ts'
import { may, useModel } from '../data/site.ts'
import { RecordEditor } from '../form/record-editor.tsx'
import { RecordSkeleton } from '../form/record-header.tsx'
import { useLoadedRecord } from '../form/use-loaded-record.tsx'
import { mayRestore, useRestore } from '../panels/use-restore.ts'
import { Loaded } from '../parts/loaded.tsx'
import { focusContent } from '../parts/page-header.tsx'
import { useToasts } from '../parts/toast.tsx'
import { firstOf } from '../search-params.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { NoRecord, NotFound } from './not-found.tsx'

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
  const later = useLaterText()
  const { one: restore } = useRestore()
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  const [isLeaving, setLeaving] = useState(false)
  const chosen = firstOf(useSearch({ strict: false }), 'form')
  const waiting = <RecordSkeleton model={model} />
  const { loaded, instead } = useLoadedRecord(model, id, { chosen, isLeaving, missing: <NoRecord model={model} />, waiting })

  const remove = async (etag: string) => {
    setLeaving(true)
    try {
      await session.run((client) => client.model(model.key).delete(id, { if_match: etag }))
    } catch (error) {
      setLeaving(false)
      throw error
    }
    const undo = { label: later.history.undo, run: () => void restore(model, id) }
    toasts.done(text.remove.done, mayRestore(model) ? undo : undefined)
    await navigate({ to: '/models/$model', params: { model: model.key }, ignoreBlocker: true })
    focusContent()
    queries.removeQueries({ queryKey: recordQuery(session, model.key, id).queryKey })
    void refreshModel(queries, model.key)
  }

  if (loaded === undefined) return instead
  return (
    <Loaded fallback={waiting}>
      <RecordEditor {...loaded} onDelete={remove} />
    </Loaded>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminError, type RemovalForecast } from '../../client/client.ts'
import { refreshModel } from '../data/records.ts'
import { modelOf, useSite, useSiteRefresh } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'
import type { BulkDialogProps } from './bulk-edit.tsx'
import { BulkFailure } from './bulk-failure.tsx'
import { bulkSelection, selectedCount } from './selection.ts'

/** Deletes all selected records in one transaction, after it has said what goes with them. */
export function BulkDelete({ model, selection, setSelection, matches, onClose }: BulkDialogProps) {
  const text = useText()
  const session = useSession()
  const queries = useQueryClient()
  const toasts = useToasts()
  const refreshSite = useSiteRefresh()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const count = selectedCount(selection)
  const selected = bulkSelection(selection, matches)
  const remove = <const Dry extends boolean>(dryRun: Dry) =>
    session.run((client) => client.model(model.key).bulkDelete(selected, { dryRun }))
  const forecast = useQuery({
    // Not below `records`: after the deletion, the same selection matches nothing.
    queryKey: ['removal', model.key, selected],
    queryFn: async () => forecastIn(await remove(true)),
    staleTime: 0,
    gcTime: 0,
  })
  const failure = error ?? forecast.error ?? undefined
  const isBlocked = (forecast.data?.blocked_by.length ?? 0) > 0

  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { total } = await remove(false)
      await refreshModel(queries, model.key)
      void refreshSite()
      toasts.done(text.list.deleted(total))
      onClose(true)
    } catch (fault) {
      setError(fault)
      setBusy(false)
      if (fault instanceof AdminError && fault.type === 'conflict') void refreshModel(queries, model.key)
    }
  }

  return (
    <Dialog
      isOpen
      onClose={() => onClose(false)}
      title={text.list.bulkDeleteTitle(count)}
      actions={
        <>
          <Button onClick={() => onClose(false)}>{text.common.cancel}</Button>
          {forecast.data !== undefined && !isBlocked && (
            <Button kind="danger" isBusy={isBusy} onClick={() => void confirm()}>
              {text.list.deleteCount(count)}
            </Button>
          )}
        </>
      }
    >
      <div className="list-form">
        {failure !== undefined && <BulkFailure {...{ error: failure, model, selection, setSelection, matches }} />}
        {forecast.isPending && <Skeleton lines={2} />}
        {forecast.data !== undefined && <Forecast forecast={forecast.data} />}
      </div>
    </Dialog>
  )
}

/** The answer of a dry run has all records too, which are not kept. */
const forecastIn = ({ consequences, blocked_by }: RemovalForecast): RemovalForecast => ({ consequences, blocked_by })

function Forecast({ forecast: { consequences, blocked_by } }: { readonly forecast: RemovalForecast }) {
  const text = useText().list
  const site = useSite()
  const label = (key: string) => modelOf(site, key)?.label ?? key
  if (blocked_by.length > 0) {
    return (
      <Notice kind="error">
        <p>{text.deleteBlocked}</p>
        <ul className="bulk-errors">
          {blocked_by.map(({ model, field, count }) => (
            <li key={`${model}.${field}`}>{text.blockedBy(count, label(model))}</li>
          ))}
        </ul>
      </Notice>
    )
  }
  if (consequences.length === 0) return <p>{text.deleteAlone}</p>
  return (
    <Notice kind="warning">
      <p>{text.deleteWith}</p>
      <ul className="bulk-errors">
        {consequences.map(({ model, action, count }) => (
          <li key={`${model}.${action}`}>
            {action === 'cascade' ? text.cascade(count, label(model)) : text.setNull(count, label(model))}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

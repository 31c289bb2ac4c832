import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminError, type RemovalForecast } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { refreshModel } from '../data/records.ts'
import { useSiteRefresh } from '../data/site.ts'
import { Consequences, isPermission } from '../form/delete-dialog.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Skeleton } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
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
  const forecast = useQuery({
    // Not below `records`: after the deletion, the same selection matches nothing.
    queryKey: ['removal', model.key, selected],
    queryFn: async ({ signal }) =>
      forecastIn(await session.read(signal, (client) => client.model(model.key).bulkDelete(selected, { dryRun: true, signal }))),
    staleTime: 0,
    gcTime: 0,
  })
  const failure = error ?? forecast.error ?? undefined
  const isBlocked = (forecast.data?.blocked_by.length ?? 0) > 0
  const isRefused = isPermission(failure)
  const isOver = isBlocked || isRefused

  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { total } = await session.run((client) => client.model(model.key).bulkDelete(selected))
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
      title={isOver ? text.list.deleteBlockedTitle : text.list.bulkDeleteTitle(count)}
      description={isRefused ? text.list.deleteRefused(count) : isBlocked ? text.list.deleteBlocked : text.list.deleteText}
      actions={
        <>
          <Button onClick={() => onClose(false)}>{isOver ? text.common.close : text.common.cancel}</Button>
          {forecast.data !== undefined && !isOver && (
            <Button kind="danger" isBusy={isBusy} onClick={() => void confirm()}>
              {text.list.deleteCount(count)}
            </Button>
          )}
        </>
      }
    >
      <div className="list-form">
        {failure !== undefined && !isRefused && <BulkFailure {...{ error: failure, model, selection, setSelection, matches }} />}
        {forecast.isPending && <Skeleton lines={2} />}
        {forecast.data !== undefined && <Consequences forecast={forecast.data} />}
      </div>
    </Dialog>
  )
}

/** The answer of a dry run has all records too, which are not kept. */
const forecastIn = ({ consequences, blocked_by }: RemovalForecast): RemovalForecast => ({ consequences, blocked_by })

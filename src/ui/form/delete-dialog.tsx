import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { Button } from '../parts/button.tsx'
import { Failure } from '../parts/failure.tsx'
import { Dialog } from '../parts/popups/dialog.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import type { PageSession } from '../session/page-session.ts'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'
import { Consequences } from './consequences.tsx'

interface DeleteDialogProps {
  readonly model: SiteModel
  readonly id: number
  /** The text that stands for the record. */
  readonly label: string
  /** Deletes the record. @throws {AdminError} */
  readonly onDelete: () => Promise<void>
  readonly onClose: () => void
}

const forecastQuery = (session: PageSession, model: string, id: number) =>
  queryOptions({
    queryKey: ['forecast', model, id],
    queryFn: ({ signal }) => session.read(signal, (client) => client.model(model).delete(id, { dryRun: true, signal })),
    staleTime: 0,
    gcTime: 0,
  })

/** Says what goes with a record, or what keeps it from being deleted, before it asks. */
export function DeleteDialog({ model, id, label, onDelete, onClose }: DeleteDialogProps) {
  const text = useText()
  const forecast = useQuery(forecastQuery(useSession(), model.key, id))
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const isBlocked = forecast.data !== undefined && forecast.data.blocked_by.length > 0
  const remove = async () => {
    setBusy(true)
    try {
      await onDelete()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isBlocked ? text.remove.blockedTitle : text.remove.title}
      description={isBlocked ? text.remove.blocked(label) : text.remove.question(label)}
      actions={
        <>
          <Button onClick={onClose}>{isBlocked ? text.common.close : text.common.cancel}</Button>
          {forecast.data !== undefined && !isBlocked && (
            <Button kind="danger" isBusy={isBusy} onClick={() => void remove()}>
              {text.common.delete}
            </Button>
          )}
        </>
      }
    >
      {error !== undefined && <Failure error={error} />}
      {forecast.error !== null && <Failure error={forecast.error} onRetry={() => void forecast.refetch()} />}
      {forecast.isPending && <Skeleton lines={2} />}
      {forecast.data !== undefined && <Consequences id={id} forecast={forecast.data} />}
    </Dialog>
  )
}

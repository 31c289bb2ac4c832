import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RemovalForecast, SiteModel } from '../../client/client.ts'
import { type PageSession, useSession } from '../data/page-session.ts'
import { fieldOf, may, modelOf, useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'

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

interface ConsequencesProps {
  readonly forecast: Pick<RemovalForecast, 'consequences' | 'blocked_by'>
  /** The record that is to be deleted, if it is one: what refers to it is then linked. */
  readonly id?: number
}

/** What goes with records that are to be deleted, or keeps them from it. */
export function Consequences({ forecast: { consequences, blocked_by: blocked }, id }: ConsequencesProps) {
  const text = useText().remove
  const site = useSite()
  const locale = useLocale()
  const labelOf = (key: string) => modelOf(site, key)?.label ?? key
  if (consequences.length + blocked.length === 0) return <p>{text.alone}</p>
  return (
    <ul className="consequences">
      {blocked.map(({ model: key, field, count }) => {
        const model = modelOf(site, key)
        const name = (model === undefined ? undefined : fieldOf(model, field)?.label) ?? field
        const sentence = text.blocks(count.toLocaleString(locale), labelOf(key), name)
        return (
          <li key={`${key} ${field}`}>
            {id !== undefined && may(model, 'view') ? (
              <Link to="/models/$model" params={{ model: key }} search={{ filter: `${field}=${id}` }}>
                {sentence}
              </Link>
            ) : (
              sentence
            )}
          </li>
        )
      })}
      {consequences.map(({ model: key, action, count }) => (
        <li key={`${key} ${action}`} data-action={action}>
          {text[action](count.toLocaleString(locale), labelOf(key))}
        </li>
      ))}
    </ul>
  )
}

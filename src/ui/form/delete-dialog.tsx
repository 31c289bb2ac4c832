import '../styles/record-dialogs.css'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { AdminError, type RemovalForecast, type SiteModel } from '../../client/client.ts'
import { type PageSession, useSession } from '../data/page-session.ts'
import { fieldOf, may, modelOf, useSite } from '../data/site.ts'
import { useNoun } from '../data/use-views.ts'
import { mayRestore } from '../panels/use-restore.ts'
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
  const isRefused = isPermission(error ?? forecast.error)
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
      title={isBlocked || isRefused ? text.remove.blockedTitle : text.remove.title}
      description={
        isRefused
          ? text.remove.refused(label)
          : isBlocked
            ? text.remove.blocked(label)
            : text.remove.question(label, !mayRestore(model))
      }
      actions={
        <>
          <Button onClick={onClose}>{isBlocked || isRefused ? text.common.close : text.common.cancel}</Button>
          {forecast.data !== undefined && !isBlocked && !isRefused && (
            <Button kind="danger" isBusy={isBusy} onClick={() => void remove()}>
              {text.common.delete}
            </Button>
          )}
        </>
      }
    >
      {error !== undefined && !isRefused && <Failure error={error} />}
      {forecast.error !== null && !isRefused && <Failure error={forecast.error} onRetry={() => void forecast.refetch()} />}
      {forecast.isPending && <Skeleton lines={2} />}
      {forecast.data !== undefined && <Consequences record={{ id, model }} forecast={forecast.data} />}
    </Dialog>
  )
}

/** True for the answer that the user may not do this with the record; the access rules of a model decide it for each record. */
export const isPermission = (error: unknown): boolean => error instanceof AdminError && error.type === 'permission'

interface ConsequencesProps {
  readonly forecast: Pick<RemovalForecast, 'consequences' | 'blocked_by'>
  /** The record that is to be deleted, if it is one: what refers to it is then linked. */
  readonly record?: { readonly id: number; readonly model: SiteModel }
}

/** What goes with records that are to be deleted, or keeps them from it. */
export function Consequences({ forecast: { consequences, blocked_by: blocked }, record }: ConsequencesProps) {
  const text = useText().remove
  const site = useSite()
  const noun = useNoun()
  const locale = useLocale()
  const amountOf = (key: string, count: number) => {
    const model = modelOf(site, key)
    const one = model === undefined ? key : noun(model)
    return { count, shown: count.toLocaleString(locale), one, many: model?.label ?? key }
  }
  const target = record === undefined ? undefined : noun(record.model)
  if (consequences.length + blocked.length === 0) return <p>{text.alone}</p>
  const isHidden = blocked.some(({ count }) => count === 0)
  return (
    <ul className="consequences">
      {blocked.map(({ model: key, field, count }) => {
        if (key === null || field === null || count === 0) return null
        const model = modelOf(site, key)
        const name = (model === undefined ? undefined : fieldOf(model, field)?.label) ?? field
        const sentence = text.blocks({ ...amountOf(key, count), target, field: name })
        return (
          <li key={`${key} ${field}`}>
            {record !== undefined && may(model, 'view') ? (
              <Link to="/models/$model" params={{ model: key }} search={{ filter: `${field}=${record.id}` }}>
                {sentence}
              </Link>
            ) : (
              sentence
            )}
          </li>
        )
      })}
      {isHidden && <li>{text.hidden}</li>}
      {consequences.map(({ model: key, action, count }) => (
        <li key={`${key} ${action}`} data-action={action}>
          {text[action](amountOf(key, count))}
        </li>
      ))}
    </ul>
  )
}

import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { AdminError, type RemovalForecast, type SiteModel } from '../../client/client.ts'
import { type PageSession, useSession } from '../data/page-session.ts'
import { refreshModel } from '../data/records.ts'
import { fieldOf, useSite, useSiteRefresh } from '../data/site.ts'
import { helpOf } from '../data/views.ts'
import { Consequences, isPermission } from '../form/delete-dialog.tsx'
import { useCloseGuard } from '../form/use-leave-guard.tsx'
import { mayRestore, useRestore } from '../panels/use-restore.ts'
import { useUndoNotice } from '../panels/use-undo-notice.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Select } from '../parts/select.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { Widget } from '../widgets/widget.tsx'
import {
  allSelected,
  type BulkField,
  bulkSelection,
  type ListSelection,
  type Matches,
  NO_SELECTION,
  selectedCount,
} from './selection.ts'
import { useBulkEdit } from './use-bulk-edit.ts'

interface BulkDialogProps extends BulkProps {
  /** @param isDone true if the records were changed */
  readonly onClose: (isDone: boolean) => void
}

/** Gives a field of all selected records the same value, in one transaction. */
export function BulkEdit({
  model,
  selection,
  setSelection,
  matches,
  onClose,
  fields,
}: BulkDialogProps & { readonly fields: readonly BulkField[] }) {
  const text = useText()
  const queries = useQueryClient()
  const edit = useBulkEdit(model)
  const form = useId()
  const [name, setName] = useState(fields[0]?.view.name)
  const [value, setValue] = useState<unknown>(null)
  const { close, guard } = useCloseGuard(value !== null, () => onClose(false))
  const [error, setError] = useState<unknown>()
  const [wasTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const count = selectedCount(selection)
  const chosen = fields.find(({ view }) => view.name === name)
  if (chosen === undefined) return undefined
  const { view, field } = chosen

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    // A checkbox that shows neither is "no"; other widgets have null for an empty value.
    const stored = field.type === 'boolean' ? value === true : value
    if (isBusy) return
    setTried(true)
    if (value instanceof Unparsed) return
    setBusy(true)
    setError(undefined)
    try {
      await edit(bulkSelection(selection, matches), chosen, stored)
      onClose(true)
    } catch (failure) {
      setError(failure)
      setBusy(false)
      void refreshModel(queries, model.key)
    }
  }

  return (
    <Dialog
      isOpen
      onClose={close}
      title={text.list.bulkEditTitle(count)}
      description={text.list.bulkEditText}
      actions={
        <>
          <Button onClick={close}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {text.list.change(count)}
          </Button>
        </>
      }
    >
      <form id={form} className="list-form" onSubmit={submit}>
        {error !== undefined && <BulkFailure {...{ error, model, selection, setSelection, matches }} />}
        <LabelledField label={text.list.field}>
          {(links) => (
            <Select
              links={links}
              value={view.name}
              options={fields.map(({ view: each }) => ({ value: each.name, label: each.title ?? each.name }))}
              onChange={(chosen) => {
                setName(chosen)
                setValue(null)
                setTried(false)
                setError(undefined)
              }}
            />
          )}
        </LabelledField>
        <LabelledField
          key={view.name}
          label={text.list.value}
          help={helpOf(view, field)}
          errors={faultsOf(value, text.form, wasTried)}
        >
          {(links) => <Widget field={view} model={model} value={value} onChange={setValue} links={links} />}
        </LabelledField>
      </form>
      {guard}
    </Dialog>
  )
}

/** Deletes all selected records in one transaction, after it has said what goes with them. */
export function BulkDelete({ model, selection, setSelection, matches, onClose }: BulkDialogProps) {
  const text = useText()
  const session = useSession()
  const queries = useQueryClient()
  const sayDone = useUndoNotice()
  const restore = useRestore()
  const { limits } = useSite()
  const refreshSite = useSiteRefresh()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const count = selectedCount(selection)
  const selected = bulkSelection(selection, matches)
  const canUndo = mayRestore(model) && count <= limits.bulk_size
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
      const { data, total } = await session.run((client) => client.model(model.key).bulkDelete(selected))
      await refreshModel(queries, model.key)
      void refreshSite()
      sayDone(text.list.deleted(total), canUndo ? (say) => restore.all(model, data, say) : undefined)
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
      description={
        isRefused
          ? text.list.deleteRefused(count)
          : isBlocked
            ? text.list.deleteBlocked
            : canUndo
              ? undefined
              : text.list.deleteText
      }
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

/** Selected records of a list. */
interface BulkProps {
  readonly model: SiteModel
  readonly selection: ListSelection
  readonly setSelection: (selection: ListSelection) => void
  readonly matches: Matches
}

/** Messages of invalid records that are shown. */
const SHOWN = 10

/** Why a bulk operation changed nothing: other records match than were selected, or some of them are invalid. */
function BulkFailure({ error, ...props }: BulkProps & { readonly error: unknown }) {
  const { list: text, errors } = useText()
  if (!(error instanceof AdminError)) return <Failure error={error} />
  if (error.type === 'conflict') return <CountConflict {...props} />
  const { fieldErrors } = error.titled((name) => fieldOf(props.model, name)?.label ?? name)
  const messages = Object.entries(fieldErrors).map(([key, faults]): [string, string] => {
    const [id = key] = key.split('.')
    return [key, text.bulkError(id, faults.map(errors.fromServer).join('; '))]
  })
  if (messages.length === 0) return <Failure error={error} />
  return (
    <Notice kind="error">
      <p>{text.bulkInvalid}</p>
      <ul className="bulk-errors">
        {messages.slice(0, SHOWN).map(([key, message]) => (
          <li key={key}>{message}</li>
        ))}
      </ul>
      {messages.length > SHOWN && <p>{text.bulkMore(messages.length - SHOWN)}</p>}
    </Notice>
  )
}

/** Says how many records match now, and selects them. */
function CountConflict({ model, selection, setSelection, matches }: BulkProps) {
  const text = useText().list
  const { filters, any = [], search = '' } = bulkSelection(selection, matches)
  const { data: now, error, refetch } = useQuery(countQuery(useSession(), model.key, { q: search, filters, any }))
  const expected = selectedCount(selection)
  if (now === undefined) {
    return (
      <>
        <Notice kind="error">{text.conflict(expected)}</Notice>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      </>
    )
  }
  const select = () => setSelection(selection.allOf === undefined ? NO_SELECTION : allSelected(now))
  return (
    <Notice
      kind="error"
      actions={now !== expected && <Button onClick={select}>{text.selectNow(now, selection.allOf !== undefined)}</Button>}
    >
      {text.conflictNow(expected, now)}
    </Notice>
  )
}

/** The query of the number of records that match now. */
const countQuery = (session: PageSession, model: string, { q, filters, any }: Matches) =>
  queryOptions({
    queryKey: ['records', model, 'count', q, filters, any],
    queryFn: async ({ signal }) => {
      const query = { page_size: 1, filters, any }
      const { total } = await session.read(signal, async (client) => {
        const records = client.model(model)
        return q === ''
          ? records.list({ ...query, fields: ['id'] }, { signal })
          : records.search(q, { ...query, complete: true }, { signal })
      })
      return total
    },
    staleTime: 0,
  })

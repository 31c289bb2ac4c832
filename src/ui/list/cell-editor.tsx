import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { AdminError, type SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, recordQuery, refreshModel } from '../data/records.ts'
import { idOf } from '../data/related.ts'
import { fieldOf } from '../data/site.ts'
import { type FormView, helpOf, underForm } from '../data/views.ts'
import { type FormValues, formerValues } from '../form/values.ts'
import { type Undo, useUndoNotice } from '../panels/use-undo-notice.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Failure, Notice } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { Widget } from '../widgets/widget.tsx'

interface CellEditorProps {
  readonly model: SiteModel
  readonly record: AnyRecord
  readonly name: string
  readonly form: FormView
  readonly onClose: () => void
}

/** Edits one field of a record of a list, through a form. It saves only over the version that it has shown. */
export function CellEditor({ model, record, name, form, onClose }: CellEditorProps) {
  const text = useText()
  const session = useSession()
  const queries = useQueryClient()
  const say = useUndoNotice()
  const read = useQuery({ ...recordQuery(session, model.key, record.id), staleTime: 0 })
  const [etag, setEtag] = useState<string>()
  const [typed, setTyped] = useState<{ readonly value: unknown }>()
  const [error, setError] = useState<unknown>()
  const [wasTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const field = form.fields.find((each) => each.name === name)

  // The version of the record as the editor first read it: a later one is a change by others.
  const readEtag = read.isFetching ? undefined : read.data?.etag
  useEffect(() => setEtag((former) => former ?? readEtag), [readEtag])
  if (field === undefined) return undefined

  const stored = stateOf((read.data?.data ?? record)[name])
  const value = typed === undefined ? stored : typed.value
  const isConflict = error instanceof AdminError && error.type === 'precondition'
  const title = field.title ?? name
  const messages = error instanceof AdminError ? (error.titled(() => title).fieldErrors[name] ?? []) : []

  const save = async () => {
    if (isBusy) return
    setTried(true)
    if (value instanceof Unparsed) return
    if (typed === undefined) return onClose()
    setBusy(true)
    // The answer to the editor's first request may still be under way.
    const version = etag ?? (await read.refetch({ cancelRefetch: false })).data?.etag
    if (version === undefined) return setBusy(false)
    try {
      const put = (data: FormValues, if_match: string) =>
        session.run((client) => client.model(model.key).update(record.id, data, { ...underForm(form), if_match }))
      const changed = await put({ [name]: value }, version)
      await refreshModel(queries, model.key)
      const former = model.history ? formerValues(model, [name], read.data?.data ?? record) : undefined
      const undo: Undo = async () => {
        if (former !== undefined) await put(former, changed.etag)
        await refreshModel(queries, model.key)
      }
      say(text.list.saved, former && undo)
      onClose()
    } catch (failure) {
      // The next attempt replaces the value that the user then sees.
      if (failure instanceof AdminError && failure.type === 'precondition') setEtag((await read.refetch()).data?.etag)
      setError(failure)
      setBusy(false)
    }
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
  }

  return (
    <form className="cell-editor" onSubmit={submit} onKeyDown={onKeyDown}>
      {isConflict && <Notice kind="warning">{text.list.cellConflict(valueText(stored))}</Notice>}
      {error !== undefined && !isConflict && messages.length === 0 && <Failure error={error} />}
      {read.error !== null && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      <LabelledField
        label={title}
        help={helpOf(field, fieldOf(model, name))}
        errors={[...faultsOf(value, text.form, wasTried), ...messages]}
        isRequired={field.required}
      >
        {(links) => <Widget {...{ field, model, value, links, record }} onChange={(next) => setTyped({ value: next })} />}
      </LabelledField>
      <div className="dialog-actions">
        <Button onClick={onClose}>{text.common.cancel}</Button>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {text.common.save}
        </Button>
      </div>
    </form>
  )
}

/** The value as widgets and the API take it: related records by id. */
const stateOf = (value: unknown): unknown => (Array.isArray(value) ? value.map((each: unknown) => idOf(each) ?? each) : value)

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

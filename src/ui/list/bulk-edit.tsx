import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useSession } from '../data/page-session.ts'
import { refreshModel } from '../data/records.ts'
import { helpOf, underForm } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Select } from '../parts/select.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { Widget } from '../widgets/widget.tsx'
import { BulkFailure, type BulkProps } from './bulk-failure.tsx'
import type { BulkField } from './bulk-fields.ts'
import { bulkSelection, selectedCount } from './selection.ts'

export interface BulkDialogProps extends BulkProps {
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
  const session = useSession()
  const queries = useQueryClient()
  const toasts = useToasts()
  const form = useId()
  const [name, setName] = useState(fields[0]?.view.name)
  const [value, setValue] = useState<unknown>(null)
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
    const data = { [view.name]: field.type === 'boolean' ? value === true : value }
    if (isBusy) return
    setTried(true)
    if (value instanceof Unparsed) return
    setBusy(true)
    setError(undefined)
    try {
      const { total } = await session.run((client) =>
        client.model(model.key).bulkUpdate({ ...bulkSelection(selection, matches), data }, underForm(chosen.form)),
      )
      await refreshModel(queries, model.key)
      toasts.done(text.list.changed(total))
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
      onClose={() => onClose(false)}
      title={text.list.bulkEditTitle(count)}
      description={text.list.bulkEditText}
      actions={
        <>
          <Button onClick={() => onClose(false)}>{text.common.cancel}</Button>
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
    </Dialog>
  )
}

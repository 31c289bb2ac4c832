import { useId, useState } from 'react'
import type { SiteModel, SiteModelAction } from '../../client/client.ts'
import { useSite } from '../data/site.ts'
import { type FieldView, type FormView, labelIn } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { RelatedContext } from '../widgets/use-related.ts'
import { FormFields, useHidden } from './form-fields.tsx'
import { FormFrame } from './form-frame.tsx'
import { hasUnparsed, type Problems, problemsOf, unparsedProblems } from './problems.ts'
import { useCloseGuard } from './use-leave-guard.tsx'
import { createdValues, type FormValues, startValues } from './values.ts'

interface ActionDialogProps {
  readonly model: SiteModel
  readonly action: SiteModelAction
  /** Number of records. */
  readonly count: number
  /** @throws {AdminError} whose messages are by the names of the inputs */
  readonly perform: (input: FormValues) => Promise<void>
  /** The same without a change. */
  readonly dryRun: (input: FormValues) => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before an action is performed, and for the values of its input. */
export function ActionDialog({ model: own, action, count, perform, dryRun, onClose }: ActionDialogProps) {
  const text = useText()
  const locale = useLocale()
  const { user } = useSite()
  const id = useId()
  const [edits, setEdits] = useState<FormValues>({})
  const [problems, setProblems] = useState<Problems>()
  const [isBusy, setBusy] = useState(false)
  const { close, guard } = useCloseGuard(Object.keys(edits).length > 0, onClose)
  const [openedAt] = useState(() => new Date())
  const model: SiteModel = { ...own, fields: action.input_fields }
  const [form] = useState((): FormView => {
    const fields = action.input as readonly unknown[] as readonly FieldView[]
    return { name: action.name, view_type: 'form', fields }
  })
  const values = { ...startValues(form.fields, model, user.id, openedAt), ...edits }
  const hidden = useHidden(form, model, undefined, values)
  const names = form.fields.map(({ name }) => name).filter((name) => !hidden.has(name))
  const titleOf = (name: string) => labelIn(form, model, name)
  // The messages of records stand where those of inputs do.
  const hasForm = names.length > 0 || problems !== undefined

  const submit = async () => {
    if (isBusy) return
    setBusy(true)
    setProblems(undefined)
    const input = createdValues(names, values, edits)
    try {
      if (hasUnparsed(input)) {
        setProblems(await unparsedProblems(input, dryRun, titleOf))
      } else {
        await perform(input)
        onClose()
        return
      }
    } catch (error) {
      setProblems(problemsOf(error, titleOf))
    }
    setBusy(false)
  }

  const question = action.confirm?.replaceAll('{count}', count.toLocaleString(locale))
  return (
    <Dialog
      isOpen
      onClose={close}
      title={action.title}
      description={question ?? (count > 1 ? text.list.selected(count) : undefined)}
      actions={
        <>
          <Button onClick={close}>{text.common.cancel}</Button>
          <Button
            kind={action.tone === 'danger' ? 'danger' : 'primary'}
            type={hasForm ? 'submit' : 'button'}
            form={hasForm ? id : undefined}
            onClick={hasForm ? undefined : () => void submit()}
            isBusy={isBusy}
          >
            {action.title}
          </Button>
        </>
      }
    >
      {hasForm && (
        // What a picker opened would cover the dialog.
        <RelatedContext value={undefined}>
          <FormFrame {...{ id, form, model, problems, values }} shown={names} onSave={() => void submit()} isLocked={isBusy}>
            <FormFields
              {...{ form, model, hidden, values }}
              writable={names}
              record={undefined}
              onChange={(name, value) => setEdits((former) => ({ ...former, [name]: value }))}
              errors={problems?.fields ?? {}}
              wasTried={problems !== undefined}
            />
          </FormFrame>
        </RelatedContext>
      )}
      {guard}
    </Dialog>
  )
}

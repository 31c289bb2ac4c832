import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { type AnyRecord, refreshModel } from '../../data/records.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Dialog } from '../../parts/popups/dialog.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { useText } from '../../text/text.tsx'
import { useAction } from '../use-action.ts'
import { useFaultFocus } from '../use-fault-focus.ts'

interface SetPasswordProps {
  readonly record: AnyRecord
  readonly onSaved: () => void
  readonly onClose: () => void
}

/** Sets the password of a user; a superuser need not know the present one. */
export function SetPassword({ record, onSaved, onClose }: SetPasswordProps) {
  const text = useText()
  const form = useId()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run } = useAction({ password: text.account.newPassword })
  const focused = useFaultFocus(error)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const password = String(new FormData(event.currentTarget).get('password'))
    if (!(await run((client) => client.model('user').update(record.id, { password })))) return
    toasts.done(text.users.passwordSet)
    onClose()
    onSaved()
    await Promise.all([refreshModel(queries, 'user'), queries.invalidateQueries({ queryKey: ['sessions'] })])
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.users.setPassword}
      description={text.users.setPasswordText(String(record.username))}
      actions={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {text.users.setPassword}
          </Button>
        </>
      }
    >
      <form ref={focused} id={form} className="stack" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && fieldErrors.password === undefined && <Failure error={error} />}
        <Field label={text.account.newPassword} errors={fieldErrors.password} isRequired>
          {(links) => <input {...links} className="input" type="password" name="password" autoComplete="new-password" />}
        </Field>
      </form>
    </Dialog>
  )
}

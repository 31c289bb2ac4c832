import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useSite } from '../../data/site.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { useText } from '../../text/text.tsx'
import { useAction } from '../use-action.ts'
import { useFaultFocus } from '../use-fault-focus.ts'

/** Changes the password of the user who is logged in. */
export function OwnPassword() {
  const text = useText().account
  const { user } = useSite()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run } = useAction({
    current_password: text.currentPassword,
    new_password: text.newPassword,
  })
  const form = useFaultFocus(error)
  const isShownAtFields = 'current_password' in fieldErrors || 'new_password' in fieldErrors

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const values = new FormData(event.currentTarget)
    const isChanged = await run((client) => client.changePassword(String(values.get('current')), String(values.get('next'))))
    if (!isChanged) return
    form.current?.reset()
    toasts.done(text.passwordChanged)
    void queries.invalidateQueries({ queryKey: ['sessions'] })
  }

  return (
    <section className="stack narrow" aria-labelledby="own-password">
      <h2 id="own-password">{text.password}</h2>
      <form ref={form} className="stack" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && !isShownAtFields && <Failure error={error} />}
        <input type="hidden" name="username" autoComplete="username" value={user.username ?? ''} />
        <Field label={text.currentPassword} errors={fieldErrors.current_password} isRequired>
          {(links) => <input {...links} className="input" type="password" name="current" autoComplete="current-password" />}
        </Field>
        <Field label={text.newPassword} help={text.passwordHelp} errors={fieldErrors.new_password} isRequired>
          {(links) => <input {...links} className="input" type="password" name="next" autoComplete="new-password" />}
        </Field>
        <div className="actions">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {text.changePassword}
          </Button>
        </div>
      </form>
    </section>
  )
}

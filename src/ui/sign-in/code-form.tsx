import { type FormEvent, useState } from 'react'
import { useCall } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { CodeField, RecoverySwitch } from '../parts/code-field.tsx'
import { Failure } from '../parts/states.tsx'
import { useSignInText } from '../text/sign-in.ts'
import { useFirstFocus } from './use-first-focus.ts'

interface CodeFormProps {
  /** Sends the code. @throws {AdminError} for a wrong one */
  readonly onCode: (otp: string) => Promise<unknown>
  readonly onBack: () => void
}

/** Asks for the second factor: a code of the app, or a recovery code. */
export function CodeForm({ onCode, onBack }: CodeFormProps) {
  const { code: text, back } = useSignInText()
  const { isBusy, error, run, clear } = useCall()
  const [isRecovery, setRecovery] = useState(false)
  const [isEmpty, setEmpty] = useState(false)
  const form = useFirstFocus()
  const focus = () => form.current?.querySelector('input')?.focus()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const otp = String(new FormData(event.currentTarget).get('otp')).replace(/\s/g, '')
    setEmpty(otp === '')
    if (otp === '') return focus()
    if (await run(() => onCode(otp))) return
    focus()
    form.current?.querySelector('input')?.select()
  }
  const change = (next: boolean) => {
    clear()
    setEmpty(false)
    setRecovery(next)
    requestAnimationFrame(focus)
  }
  return (
    <form ref={form} className="login-form" noValidate onSubmit={(event) => void submit(event)} onInput={() => setEmpty(false)}>
      {error !== undefined && <Failure error={error} />}
      <CodeField isRecovery={isRecovery} errors={isEmpty ? [text.none] : []} />
      <div className="login-changes">
        <RecoverySwitch isRecovery={isRecovery} onChange={change} />
      </div>
      <div className="login-actions">
        <Button onClick={onBack}>{back}</Button>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {text.submit}
        </Button>
      </div>
    </form>
  )
}

import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field } from '../parts/field.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'

interface LoginFormProps {
  /** The user whose session has ended; the form then asks for the password only. */
  readonly username?: string | undefined
  /** Shown beside the button. */
  readonly children?: ReactNode
}

/** Asks for username and password, and logs in. */
export function LoginForm({ username, children }: LoginFormProps) {
  const session = useSession()
  const text = useText().login
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:not([type=hidden])')?.focus(), [])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    setBusy(true)
    setError(undefined)
    try {
      await session.login(username ?? String(values.get('username')), String(values.get('password')))
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  return (
    <form ref={form} className="login-form" onSubmit={submit}>
      {error !== undefined && <Failure error={error} />}
      {username === undefined ? (
        <Field label={text.username} isRequired>
          {(links) => (
            <input {...links} className="input" name="username" autoComplete="username" autoCapitalize="none" required />
          )}
        </Field>
      ) : (
        <input type="hidden" name="username" autoComplete="username" value={username} />
      )}
      <Field label={text.password} isRequired>
        {(links) => (
          <input {...links} className="input" type="password" name="password" autoComplete="current-password" required />
        )}
      </Field>
      <div className="login-actions">
        {children}
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {text.submit}
        </Button>
      </div>
    </form>
  )
}

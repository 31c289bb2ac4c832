import { type FormEvent, useState } from 'react'
import { useMethods, useOpenClient } from '../data/sign-in.ts'
import { usePageSettings } from '../hooks.ts'
import { useCall } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'
import { useSignInText } from '../text/sign-in.ts'
import { Card } from './card.tsx'
import { LoginForm } from './login-form.tsx'
import { useFirstFocus } from './use-first-focus.ts'

/** Asks a visitor to log in. The address stays, so that the page that was asked for opens afterwards. */
export function LoginPage() {
  const text = useSignInText()
  const { title } = usePageSettings()
  const { password_reset: mayReset } = useMethods()
  const [isForgotten, setForgotten] = useState(false)
  if (isForgotten) return <ForgotPassword onBack={() => setForgotten(false)} />
  return (
    <Card title={text.to(title)} windowTitle={text.title}>
      <LoginForm>
        {mayReset && (
          <Button kind="quiet" onClick={() => setForgotten(true)}>
            {text.forgot.link}
          </Button>
        )}
      </LoginForm>
    </Card>
  )
}

/** Sends a link to an address. The answer is the same for every address. */
export function ForgotPassword({ onBack }: { readonly onBack: () => void }) {
  const { forgot: text, back, noEmail } = useSignInText()
  const client = useOpenClient()
  const { isBusy, error, run } = useCall()
  const form = useFirstFocus()
  const [isEmpty, setEmpty] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email')).trim()
    setEmpty(email === '')
    if (email === '') return form.current?.querySelector('input')?.focus()
    const body = { email }
    if (await run(() => client.request('/auth/password/forgot', { method: 'POST', body }))) setSentTo(email)
  }
  if (sentTo !== undefined) {
    return (
      <Card title={text.sentTitle}>
        <div className="login-form" role="status">
          <p>{text.sent(sentTo)}</p>
          <Button onClick={onBack}>{back}</Button>
        </div>
      </Card>
    )
  }
  return (
    <Card title={text.title}>
      <form ref={form} className="login-form" noValidate onSubmit={(event) => void submit(event)} onInput={() => setEmpty(false)}>
        {error !== undefined && <Failure error={error} />}
        <LabelledField label={text.email} help={text.help} errors={isEmpty ? [noEmail] : []}>
          {(links) => <input {...links} className="input" type="email" name="email" autoComplete="email" />}
        </LabelledField>
        <div className="login-actions">
          <Button kind="quiet" onClick={onBack}>
            {back}
          </Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {text.submit}
          </Button>
        </div>
      </form>
    </Card>
  )
}

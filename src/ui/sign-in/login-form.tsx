import { useLocation } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { AdminError } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { useMethods, useProviderAddress } from '../data/sign-in.ts'
import { useCall } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { SecretInput } from '../parts/secret-input.tsx'
import { Failure } from '../parts/states.tsx'
import { useSignInText } from '../text/sign-in.ts'
import { CodeForm } from './code-form.tsx'
import { useFirstFocus } from './use-first-focus.ts'

interface LoginFormProps {
  /** The user whose session has ended; the form then asks for the password only. */
  readonly username?: string | undefined
  /** Shown beside the button. */
  readonly children?: ReactNode
}

interface Credentials {
  readonly name: string
  readonly secret: string
}

/** Logs in: by username and password, then by a code if the account has a second factor; or leads to a provider. */
export function LoginForm(props: LoginFormProps) {
  const session = useSession()
  /** Good ones, which the server wants a code with. */
  const [credentials, setCredentials] = useState<Credentials>()
  if (credentials !== undefined) {
    const { name, secret } = credentials
    return <CodeForm onCode={(otp) => session.login(name, secret, otp)} onBack={() => setCredentials(undefined)} />
  }
  return <PasswordForm {...props} onFactor={setCredentials} />
}

interface PasswordFormProps extends LoginFormProps {
  /** Called when the server asks for a code. */
  readonly onFactor: (credentials: Credentials) => void
}

function PasswordForm({ username, children, onFactor }: PasswordFormProps) {
  const session = useSession()
  const text = useSignInText()
  const { password: hasPasswords } = useMethods()
  const { isBusy, error, run } = useCall()
  /** Names of the inputs that are empty. */
  const [empty, setEmpty] = useState<readonly string[]>([])
  const form = useFirstFocus()
  const password = useRef<HTMLInputElement>(null)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const name = username ?? String(values.get('username'))
    const secret = String(values.get('password'))
    setEmpty([...(name === '' ? ['username'] : []), ...(secret === '' ? ['password'] : [])])
    if (name === '') return form.current?.querySelector<HTMLInputElement>('[name=username]')?.focus()
    if (secret === '') return password.current?.focus()
    const isDone = await run(() =>
      session.login(name, secret).catch((failure) => needsCode(failure) && onFactor({ name, secret })),
    )
    if (isDone) return
    // The name is mostly right, and a wrong password is typed anew.
    password.current?.focus()
    password.current?.select()
  }

  return (
    <>
      {hasPasswords && (
        <form ref={form} className="login-form" noValidate onSubmit={(event) => void submit(event)} onInput={() => setEmpty([])}>
          {error !== undefined && <Failure error={error} />}
          {username === undefined ? (
            <LabelledField label={text.username} errors={empty.includes('username') ? [text.noUsername] : []}>
              {(links) => <input {...links} className="input" name="username" autoComplete="username" autoCapitalize="none" />}
            </LabelledField>
          ) : (
            <input type="hidden" name="username" autoComplete="username" value={username} />
          )}
          <LabelledField label={text.password} errors={empty.includes('password') ? [text.noPassword] : []}>
            {(links) => <SecretInput {...links} ref={password} name="password" autoComplete="current-password" />}
          </LabelledField>
          <div className="login-actions">
            {children}
            <Button kind="primary" type="submit" isBusy={isBusy}>
              {text.submit}
            </Button>
          </div>
        </form>
      )}
      <Providers hasOther={hasPasswords} />
    </>
  )
}

/** True for an error that a code mends. @throws any other error */
export function needsCode(error: unknown): true {
  if (error instanceof AdminError && error.secondFactor !== undefined) return true
  throw error
}

/** The providers of single sign-on. They lead back to the present page. */
export function Providers({ hasOther }: { readonly hasOther: boolean }) {
  const text = useSignInText()
  const { providers } = useMethods()
  const addressOf = useProviderAddress()
  const { pathname, searchStr } = useLocation()
  if (providers.length === 0) return undefined
  return (
    <div className="providers">
      {hasOther && <p className="providers-or">{text.or}</p>}
      {providers.map(({ name, title }) => (
        <a key={name} className="button button-plain" href={addressOf(name, pathname + searchStr)}>
          <span className="button-text">{text.with(title)}</span>
        </a>
      ))}
    </div>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useSession } from '../data/page-session.ts'
import { siteQuery } from '../data/site.ts'
import { usePageSettings } from '../hooks.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { SecretInput } from '../parts/secret-input.tsx'
import { Failure } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { ProjectMark } from './project-mark.tsx'

/** Asks a visitor to log in. The address stays, so that the page that was asked for opens afterwards. */
export function LoginPage() {
  const text = useText().login
  const { title, logo } = usePageSettings()
  useEffect(() => {
    document.title = `${text.title} · ${title}`
  }, [text, title])
  return (
    <main className="login">
      <div className="login-card">
        <header className="login-header">
          <ProjectMark title={title} logo={logo} />
          <h1 className="login-title">{text.to(title)}</h1>
        </header>
        <LoginForm />
      </div>
    </main>
  )
}

interface LoginFormProps {
  /** The user whose session has ended; the form then asks for the password only. */
  readonly username?: string | undefined
  /** Shown beside the button. */
  readonly children?: ReactNode
}

/** Asks for username and password, and logs in. */
function LoginForm({ username, children }: LoginFormProps) {
  const session = useSession()
  const text = useText().login
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  /** Names of the inputs that are empty. */
  const [empty, setEmpty] = useState<readonly string[]>([])
  const form = useRef<HTMLFormElement>(null)
  const password = useRef<HTMLInputElement>(null)
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:not([type=hidden])')?.focus(), [])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const name = username ?? String(values.get('username'))
    const secret = String(values.get('password'))
    setError(undefined)
    setEmpty([...(name === '' ? ['username'] : []), ...(secret === '' ? ['password'] : [])])
    if (name === '') return form.current?.querySelector<HTMLInputElement>('[name=username]')?.focus()
    if (secret === '') return password.current?.focus()
    setBusy(true)
    try {
      await session.login(name, secret)
    } catch (failure) {
      setError(failure)
      setBusy(false)
      // The name is mostly right, and a wrong password is typed anew.
      password.current?.focus()
      password.current?.select()
    }
  }

  return (
    <form ref={form} className="login-form" noValidate onSubmit={submit} onInput={() => setEmpty([])}>
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
  )
}

/** Asks the user whose session has ended for the password, over the page as it is. */
export function ExpiredSession() {
  const session = useSession()
  const queries = useQueryClient()
  const text = useText().login
  const username = queries.getQueryData(siteQuery(session).queryKey)?.user.username ?? undefined
  const leave = () => {
    session.leave()
    queries.clear()
  }
  return (
    <Dialog isOpen onClose={() => {}} isDismissible={false} title={text.expiredTitle} description={text.expiredText}>
      <LoginForm username={username}>
        <Button kind="quiet" onClick={leave}>
          {text.otherUser}
        </Button>
      </LoginForm>
    </Dialog>
  )
}

import { useRouter } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Client } from '../../client/client.ts'
import { useSession, useSessionState } from '../data/page-session.ts'
import { useMethods, useOpenClient } from '../data/sign-in.ts'
import { useFragment } from '../data/use-fragment.ts'
import { useCall, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { CodeField, RecoverySwitch } from '../parts/code-field.tsx'
import { LabelledField } from '../parts/field.tsx'
import { SecretInput } from '../parts/secret-input.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { refusalText, useSignInText } from '../text/sign-in.ts'
import { Card } from './card.tsx'
import { CodeForm } from './code-form.tsx'
import { Interruption } from './interruption.tsx'
import { needsCode } from './login-form.tsx'
import { ForgotPassword, LoginPage } from './login-page.tsx'

/** A page that a link of a mail or of a provider leads to; it needs no session. @param name the last part of its address */
export function LinkPage({ name }: { readonly name: string }) {
  const fragment = useFragment()
  if (name === 'sign-in') return <FinishSignIn fault={fragment.get('oidc-error')} />
  const token = fragment.get('token')
  if (token === null) return <IncompleteLink />
  if (name === 'reset-password') return <ResetPassword key={token} token={token} />
  return name === 'accept-invitation' ? <AcceptInvitation key={token} token={token} /> : <VerifyEmail key={token} token={token} />
}

function IncompleteLink() {
  const text = useSignInText()
  return (
    <Card title={text.title}>
      <Notice kind="warning">{text.linkCut}</Notice>
      <ToPage label={text.toSignIn} />
    </Card>
  )
}

/** Leads to the page itself, which asks for a login where it needs one. */
function ToPage({ label }: { readonly label: string }) {
  const { basepath } = useRouter()
  // The page is loaded anew: the server may have ended its session.
  return (
    <a className="button button-primary" href={`${basepath}/`}>
      <span className="button-text">{label}</span>
    </a>
  )
}

interface SpendProps {
  readonly title: string
  readonly text: string
  readonly submit: string
  /** Said when it is done, and what leads on. */
  readonly done: string
  readonly next: string
  /** What gives another link when this one is spent: a sentence, or a button. */
  readonly again: ReactNode
  /** Labels of the inputs, by member. */
  readonly titles?: Readonly<Record<string, string>>
  /** Spends the token with the values of the form. @throws {AdminError} */
  readonly onSubmit: (values: FormData) => Promise<unknown>
  /** The inputs, with their messages. */
  readonly children?: (errors: Readonly<Record<string, readonly string[]>>) => ReactNode
}

/** A form that spends the token of a link. Nothing is sent before its button is pressed: scanners of mails open links, too. */
function SpendToken({ title, text, submit, done, next, again, titles = {}, onSubmit, children }: SpendProps) {
  const { linkSpent: spent } = useSignInText()
  const { isBusy, error, fieldErrors, run } = useCall(titles)
  const form = useFaultFocus(error)
  const [needsFactor, setNeedsFactor] = useState(false)
  const [isRecovery, setRecovery] = useState(false)
  const [isDone, setDone] = useState(false)
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const values = new FormData(event.currentTarget)
    const spend = () =>
      onSubmit(values).catch((failure) => {
        // The first answer only tells that a code is needed.
        if (!needsFactor && needsCode(failure)) return setNeedsFactor(true)
        throw failure
      })
    await run(async () => ((await spend()) === undefined ? undefined : setDone(true)))
  }
  useEffect(() => {
    if (needsFactor) form.current?.querySelector<HTMLInputElement>('[name=otp]')?.focus()
  }, [needsFactor, form])
  if (isDone) {
    return (
      <Card title={title}>
        <Notice kind="success">{done}</Notice>
        <ToPage label={next} />
      </Card>
    )
  }
  if (fieldErrors.token !== undefined) {
    return (
      <Card title={title}>
        <Notice kind="error">
          {spent}
          {typeof again === 'string' && ` ${again}`}
        </Notice>
        {typeof again !== 'string' && again}
        <ToPage label={next} />
      </Card>
    )
  }
  return (
    <Card title={title}>
      <form ref={form} className="login-form" noValidate onSubmit={(event) => void send(event)}>
        {error !== undefined && !Object.keys(fieldErrors).some((name) => name in titles) && <Failure error={error} />}
        <p className="muted">{text}</p>
        {children?.(fieldErrors)}
        {needsFactor && (
          <>
            <CodeField isRecovery={isRecovery} />
            <div className="login-changes">
              <RecoverySwitch isRecovery={isRecovery} onChange={setRecovery} />
            </div>
          </>
        )}
        <div className="login-actions">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {submit}
          </Button>
        </div>
      </form>
    </Card>
  )
}

interface TokenProps {
  readonly token: string
}

const post = (client: Client, path: string, body: object) => client.request(path, { method: 'POST', body })

/** Sends a token without a session. */
function useOpenPost() {
  const client = useOpenClient()
  return (path: string, body: object) => post(client, path, body)
}

function ResetPassword({ token }: TokenProps) {
  const text = useSignInText()
  const send = useOpenPost()
  const { title, text: explanation, submit, done, password, again } = text.reset
  const { password_reset: mayAsk } = useMethods()
  const router = useRouter()
  const [isAsking, setAsking] = useState(false)
  if (isAsking) return <ForgotPassword onBack={() => router.history.replace(`${router.basepath}/`)} />
  return (
    <SpendToken
      again={mayAsk && <Button onClick={() => setAsking(true)}>{again}</Button>}
      {...{ title, submit, done }}
      text={explanation}
      next={text.toSignIn}
      titles={{ new_password: password }}
      onSubmit={(values) => {
        const otp = values.get('otp') ?? undefined
        return send('/auth/password/reset', { token, new_password: values.get('password'), otp })
      }}
    >
      {({ new_password: errors }) => <NewPassword label={password} errors={errors} />}
    </SpendToken>
  )
}

function AcceptInvitation({ token }: TokenProps) {
  const text = useSignInText()
  const send = useOpenPost()
  const { title, text: explanation, submit, done, again } = text.invitation
  return (
    <SpendToken
      {...{ title, submit, done, again }}
      text={explanation}
      next={text.toSignIn}
      titles={{ username: text.username, password: text.password }}
      onSubmit={(values) => {
        const { username, password } = Object.fromEntries(values)
        return send('/auth/invitations/accept', { token, username, password })
      }}
    >
      {({ username: nameErrors, password: errors }) => (
        <>
          <LabelledField label={text.username} errors={nameErrors}>
            {(links) => <input {...links} className="input" name="username" autoComplete="username" autoCapitalize="none" />}
          </LabelledField>
          <NewPassword label={text.password} errors={errors} />
        </>
      )}
    </SpendToken>
  )
}

const NewPassword = ({ label, errors }: { readonly label: string; readonly errors: readonly string[] | undefined }) => (
  <LabelledField label={label} errors={errors}>
    {(links) => <SecretInput {...links} name="password" autoComplete="new-password" />}
  </LabelledField>
)

/** Only the user whose address it is may confirm it: a link of another user must not give the address to a third account. */
function VerifyEmail({ token }: TokenProps) {
  const { title, text, submit, done, home, again } = useSignInText().email
  const session = useSession()
  const state = useSessionState()
  if (state === 'unknown') {
    return (
      <Card title={title}>
        <Skeleton lines={2} />
      </Card>
    )
  }
  if (state === 'logged-out') return <LoginPage />
  return (
    <>
      <SpendToken
        {...{ title, text, submit, done, again }}
        next={home}
        onSubmit={() => session.run((client) => post(client, '/auth/email/verify', { token }))}
      />
      {state !== 'logged-in' && <Interruption need={state} />}
    </>
  )
}

/** Ends a login at a provider: the server has kept the identity in a cookie. @param fault code of why there is none */
function FinishSignIn({ fault }: { readonly fault: string | null }) {
  const session = useSession()
  const router = useRouter()
  const text = useSignInText()
  const [error, setError] = useState<unknown>()
  const [isCodeNeeded, setCodeNeeded] = useState(false)
  const wasSent = useRef(false)
  const finish = async (otp?: string) => {
    const { to } = await session.enter((client) => client.finishSignIn(otp))
    router.history.replace(router.basepath + to)
  }
  const start = useEffectEvent(() => {
    if (fault !== null || wasSent.current) return
    wasSent.current = true
    finish()
      .catch((failure) => needsCode(failure) && setCodeNeeded(true))
      .catch(setError)
  })
  useEffect(() => start(), [])
  if (isCodeNeeded) {
    return (
      <Card title={text.code.title}>
        <CodeForm onCode={finish} onBack={() => router.history.replace(`${router.basepath}/`)} />
      </Card>
    )
  }
  if (fault === null && error === undefined) {
    return (
      <Card title={text.finish.title} windowTitle={text.title}>
        <Skeleton lines={2} />
      </Card>
    )
  }
  return (
    <Card title={text.finish.failed} windowTitle={text.title}>
      {fault === null ? <Failure error={error} /> : <Notice kind="error">{refusalText(text.finish.faults, fault)}</Notice>}
      <ToPage label={text.toSignIn} />
    </Card>
  )
}

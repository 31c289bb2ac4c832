import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { ownAccountQuery } from '../data/accounts.ts'
import { type SessionNeed, useSession } from '../data/page-session.ts'
import { siteQuery } from '../data/site.ts'
import { useCall, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { CodeField, RecoverySwitch } from '../parts/code-field.tsx'
import { LabelledField } from '../parts/field.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Dialog } from '../parts/popups.tsx'
import { SecretInput } from '../parts/secret-input.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useSignInText } from '../text/sign-in.ts'
import { useText } from '../text/text.tsx'
import { LoginForm, Providers } from './login-form.tsx'

const FactorSetUp = partOnUse(() => import('../accounts/factor-set-up.tsx').then((module) => module.FactorSetUp))

/** Asks over the page, which stays as it is, for what calls of it wait for. */
export function Interruption({ need }: { readonly need: SessionNeed }) {
  if (need === 'unconfirmed') return <ConfirmItIsYou />
  return need === 'expired' ? <ExpiredSession /> : <MissingFactor />
}

/** Only what it asks for closes it. */
const stay = () => {}

/** Asks the user whose session has ended to log in. */
function ExpiredSession() {
  const session = useSession()
  const queries = useQueryClient()
  const text = useSignInText()
  const username = queries.getQueryData(siteQuery(session).queryKey)?.user.username ?? undefined
  const leave = () => {
    session.leave()
    queries.clear()
  }
  return (
    <Dialog isOpen onClose={stay} isDismissible={false} title={text.expiredTitle} description={text.expiredText}>
      <LoginForm username={username}>
        <Button kind="quiet" onClick={leave}>
          {text.otherUser}
        </Button>
      </LoginForm>
    </Dialog>
  )
}

/** Asks for the password or a code again, since the login was a while ago. */
function ConfirmItIsYou() {
  const session = useSession()
  const { confirm: text, code, password, noPassword } = useSignInText()
  const { common } = useText()
  const { data: account, error: failure, refetch } = useQuery(ownAccountQuery(session))
  const form = useId()
  const { isBusy, error, fieldErrors, run, clear } = useCall({ otp: code.label, password })
  const [wantsCode, setWantsCode] = useState(false)
  const [isRecovery, setRecovery] = useState(false)
  const [isEmpty, setEmpty] = useState(false)
  const focused = useFaultFocus(error)
  const cancel = () => session.decline(text.cancelled)
  const hasPassword = account?.has_password !== false
  const hasFactor = account?.second_factor.active === true
  const asksCode = hasFactor && (wantsCode || !hasPassword)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const typed = new FormData(event.currentTarget)
    const proof = String(typed.get(asksCode ? 'otp' : 'password'))
    setEmpty(proof === '')
    if (proof === '') return focused.current?.querySelector<HTMLInputElement>('input:not([type=hidden])')?.focus()
    const body = asksCode ? { otp: proof.replace(/\s/g, '') } : { password: proof }
    await run(() => session.enter((client) => client.request('/auth/confirm', { method: 'POST', body })))
  }
  const isPossible = hasPassword || hasFactor
  const said = asksCode ? fieldErrors.otp : fieldErrors.password
  const faults = isEmpty ? [asksCode ? code.none : noPassword] : said
  return (
    <Dialog
      isOpen
      onClose={cancel}
      title={text.title}
      description={isPossible ? text.text : text.again}
      actions={
        <>
          <Button onClick={cancel}>{common.cancel}</Button>
          {account !== undefined && isPossible && (
            <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
              {text.submit}
            </Button>
          )}
        </>
      }
    >
      {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
      {account === undefined && failure === null && <Skeleton lines={1} shape="fields" />}
      {account !== undefined && !isPossible && <Providers hasOther={false} />}
      {account !== undefined && isPossible && (
        <form
          ref={focused}
          id={form}
          className="login-form"
          noValidate
          onSubmit={(event) => void submit(event)}
          onInput={() => setEmpty(false)}
        >
          {error !== undefined && faults === undefined && <Failure error={error} />}
          <ProofField asksCode={asksCode} isRecovery={isRecovery} username={String(account.data.username)} errors={faults} />
          <div className="login-changes">
            {hasPassword && hasFactor && (
              <Button
                kind="quiet"
                onClick={() => {
                  clear()
                  setEmpty(false)
                  setWantsCode(!wantsCode)
                }}
              >
                {asksCode ? text.usePassword : text.useCode}
              </Button>
            )}
            {asksCode && <RecoverySwitch isRecovery={isRecovery} onChange={setRecovery} />}
          </div>
        </form>
      )}
    </Dialog>
  )
}

interface ProofFieldProps {
  readonly asksCode: boolean
  readonly isRecovery: boolean
  readonly username: string
  readonly errors: readonly string[] | undefined
}

function ProofField({ asksCode, isRecovery, username, errors }: ProofFieldProps) {
  const text = useSignInText()
  if (asksCode) return <CodeField isRecovery={isRecovery} errors={errors} />
  return (
    <>
      <input type="hidden" name="username" autoComplete="username" value={username} />
      <LabelledField label={text.password} errors={errors}>
        {(links) => <SecretInput {...links} name="password" autoComplete="current-password" />}
      </LabelledField>
    </>
  )
}

/** Has the user set up the second factor without which the server answers nothing else. */
function MissingFactor() {
  const session = useSession()
  const text = useSignInText()
  return (
    <Dialog isOpen onClose={stay} isDismissible={false} title={text.enrol.title} description={text.enrol.text}>
      <Loaded fallback={<Skeleton lines={3} />}>
        <FactorSetUp
          onDone={() => void session.enter(async () => {})}
          cancel={
            <Button kind="quiet" onClick={() => void session.logout().catch(() => {})}>
              {text.signOut}
            </Button>
          }
        />
      </Loaded>
    </Dialog>
  )
}

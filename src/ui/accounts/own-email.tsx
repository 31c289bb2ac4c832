import '../styles/accounts.css'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ownAccountQuery } from '../data/accounts.ts'
import { useSession } from '../data/page-session.ts'
import { useAction, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { LabelledField } from '../parts/field.tsx'
import { passFocus } from '../parts/pass-focus.ts'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

/** The mail address of the user; another one counts when the link sent to it was opened. */
export function OwnEmail() {
  const text = useLaterText().account
  const { common } = useText()
  const { data, error: failure, refetch } = useQuery(ownAccountQuery(useSession()))
  const { isBusy, error, fieldErrors, run, clear } = useAction({ email: text.newEmail })
  const form = useFaultFocus(error)
  const [isChanging, setChanging] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const send = async (to: string) => {
    const body = { email: to }
    if (document.activeElement) passFocus(document.activeElement)
    if (isBusy || !(await run((client) => client.request('/auth/email', { method: 'POST', body })))) return
    setChanging(false)
    setSentTo(to)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void send(String(new FormData(event.currentTarget).get('email')).trim())
  }
  const change = (isOn: boolean) => {
    if (document.activeElement) passFocus(document.activeElement)
    clear()
    setSentTo(undefined)
    setChanging(isOn)
  }
  const email = String(data?.data.email ?? '')
  const hasEmail = email !== ''
  return (
    <section className="stack narrow" aria-labelledby="own-email">
      <h2 id="own-email">{text.email}</h2>
      {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
      {data === undefined && failure === null && <Skeleton lines={1} />}
      {data !== undefined && (
        <p className="facts-line">
          <span className={hasEmail ? 'wrap' : 'muted'}>{hasEmail ? email : text.noEmail}</span>
          {hasEmail && (
            <Chip color={data.email_verified ? 'green' : 'orange'}>{data.email_verified ? text.verified : text.unverified}</Chip>
          )}
        </p>
      )}
      {error !== undefined && fieldErrors.email === undefined && <Failure error={error} />}
      {sentTo !== undefined && <Notice kind="success">{text.emailSent(sentTo)}</Notice>}
      {isChanging && (
        <form ref={form} className="stack" noValidate onSubmit={submit}>
          <LabelledField label={text.newEmail} help={text.emailHelp} errors={fieldErrors.email} isRequired>
            {(links) => <input {...links} className="input" type="email" name="email" autoComplete="email" />}
          </LabelledField>
          <div className="actions">
            <Button onClick={() => change(false)}>{common.cancel}</Button>
            <Button kind="primary" type="submit" isBusy={isBusy}>
              {text.sendLink}
            </Button>
          </div>
        </form>
      )}
      {data !== undefined && !isChanging && (
        <div className="actions">
          {hasEmail && !data.email_verified && sentTo === undefined && (
            <Button isBusy={isBusy} onClick={() => void send(email)}>
              {text.confirmEmail}
            </Button>
          )}
          <Button onClick={() => change(true)}>{text.changeEmail}</Button>
        </div>
      )}
    </section>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { factorsQuery } from '../data/accounts.ts'
import { userSessionsQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, refreshModel } from '../data/records.ts'
import { useSite } from '../data/site.ts'
import { Confirm } from '../panels/confirm.tsx'
import { useAction, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { SecretInput } from '../parts/secret-input.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { AccountLog } from './account-log.tsx'
import { Keys } from './keys.tsx'
import { SessionTable } from './own-account.tsx'

interface UserPanelProps {
  /** A record of the model `user`. */
  readonly record: AnyRecord
  /** Called after the record was changed. */
  readonly onSaved: () => void
}

/** What a superuser may do with an account at once, beside its form: set its password, disable it, end its sessions. */
export function UserPanel({ record, onSaved }: UserPanelProps) {
  const later = useLaterText()
  const text = later.users
  const isOwn = useSite().user.id === record.id
  if (isOwn) {
    return (
      <section className="panel" aria-label={text.title}>
        <p>
          {text.own} <Link to="/account">{text.ownLink}</Link>
        </p>
      </section>
    )
  }
  return (
    <section className="panel" aria-labelledby="user-panel">
      <h2 id="user-panel">{text.title}</h2>
      <Activation record={record} onSaved={onSaved} />
      <Sessions record={record} />
      <h3>{later.account.keys}</h3>
      <Keys userId={record.id} />
      <h3>{later.account.log}</h3>
      <AccountLog userId={record.id} />
    </section>
  )
}

function Activation({ record, onSaved }: UserPanelProps) {
  const text = useLaterText().users
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run, clear } = useAction()
  const [open, setOpen] = useState<'password' | 'disable' | 'factor'>()
  const isActive = record.is_active !== false
  const factors = useQuery({ ...factorsQuery(useSession(), record.id), refetchOnMount: 'always' })
  const hasFactor = (factors.data?.data.length ?? 0) > 0
  const show = (dialog: 'password' | 'disable' | 'factor') => {
    clear()
    setOpen(dialog)
  }
  const setActive = async () => {
    const isDone = await run((client) => client.model('user').update(record.id, { is_active: !isActive }))
    if (!isDone) return
    setOpen(undefined)
    toasts.done(isActive ? text.isDisabled : text.isEnabled)
    onSaved()
    await Promise.all([refreshModel(queries, 'user'), queries.invalidateQueries({ queryKey: ['sessions'] })])
  }
  const resetFactor = async () => {
    const query = [['user_id', record.id] as const]
    if (!(await run((client) => client.request('/auth/factors', { method: 'DELETE', query })))) return
    setOpen(undefined)
    toasts.done(text.factorReset)
    await Promise.all(
      ['factors', 'sessions', 'account-log'].map((key) => queries.invalidateQueries({ queryKey: [key, record.id] })),
    )
  }
  return (
    <>
      {!isActive && <Notice kind="warning">{text.disabledNote}</Notice>}
      {error !== undefined && open === undefined && <Failure error={error} />}
      {factors.error !== null && <Failure error={factors.error} onRetry={() => void factors.refetch()} />}
      <div className="actions">
        <Button onClick={() => show('password')}>{text.setPassword}</Button>
        {hasFactor && <Button onClick={() => show('factor')}>{text.resetFactor}</Button>}
        {isActive ? (
          <Button kind="danger" onClick={() => show('disable')}>
            {text.disable}
          </Button>
        ) : (
          <Button isBusy={isBusy} onClick={() => void setActive()}>
            {text.enable}
          </Button>
        )}
      </div>
      {open === 'password' && <SetPassword record={record} onSaved={onSaved} onClose={() => setOpen(undefined)} />}
      {open === 'factor' && (
        <Confirm
          {...{ isBusy, error }}
          title={text.resetFactor}
          action={text.resetFactor}
          onConfirm={() => void resetFactor()}
          onClose={() => setOpen(undefined)}
        >
          {text.resetFactorText(String(record.username))}
        </Confirm>
      )}
      {open === 'disable' && (
        <Confirm
          {...{ isBusy, error }}
          title={text.disable}
          action={text.disable}
          onConfirm={() => void setActive()}
          onClose={() => setOpen(undefined)}
        >
          {text.disableText(String(record.username))}
        </Confirm>
      )}
    </>
  )
}

function Sessions({ record }: { readonly record: AnyRecord }) {
  const later = useLaterText()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error: failure, run } = useAction()
  const { data, error, refetch } = useQuery({ ...userSessionsQuery(useSession(), record.id), refetchOnMount: 'always' })
  const end = async () => {
    const query = [['user_id', record.id] as const]
    const isDone = await run((client) => client.request('/auth/sessions', { method: 'DELETE', query }))
    if (isDone) toasts.done(later.account.ended(data?.length ?? 0))
    await queries.invalidateQueries({ queryKey: ['sessions', record.id] })
  }
  return (
    <>
      <header className="section-header">
        <h3>{later.account.sessions}</h3>
        {data !== undefined && data.length > 0 && (
          <Button isBusy={isBusy} onClick={() => void end()}>
            {later.users.endAll}
          </Button>
        )}
      </header>
      {failure !== undefined && <Failure error={failure} />}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={2} />}
      {data?.length === 0 && <p className="muted">{later.users.noSessions}</p>}
      {data !== undefined && data.length > 0 && <SessionTable sessions={data} />}
    </>
  )
}

interface SetPasswordProps extends UserPanelProps {
  readonly onClose: () => void
}

/** Sets the password of a user; a superuser need not know the present one. */
function SetPassword({ record, onSaved, onClose }: SetPasswordProps) {
  const text = useText()
  const later = useLaterText()
  const form = useId()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run } = useAction({ password: later.account.newPassword })
  const focused = useFaultFocus(error)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const password = String(new FormData(event.currentTarget).get('password'))
    if (!(await run((client) => client.model('user').update(record.id, { password })))) return
    toasts.done(later.users.passwordSet)
    onClose()
    onSaved()
    await Promise.all([refreshModel(queries, 'user'), queries.invalidateQueries({ queryKey: ['sessions'] })])
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={later.users.setPassword}
      description={later.users.setPasswordText(String(record.username))}
      actions={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {later.users.setPassword}
          </Button>
        </>
      }
    >
      <form ref={focused} id={form} className="stack" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && fieldErrors.password === undefined && <Failure error={error} />}
        <LabelledField label={later.account.newPassword} errors={fieldErrors.password} isRequired>
          {(links) => <SecretInput {...links} name="password" autoComplete="new-password" />}
        </LabelledField>
      </form>
    </Dialog>
  )
}

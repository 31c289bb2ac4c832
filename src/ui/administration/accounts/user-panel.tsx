import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { userSessionsQuery } from '../../data/accounts.ts'
import { type AnyRecord, refreshModel } from '../../data/records.ts'
import { useSite } from '../../data/site.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { Confirm } from '../confirm.tsx'
import { useAction } from '../use-action.ts'
import { SessionTable } from './session-table.tsx'
import { SetPassword } from './set-password.tsx'
import { UserRights } from './user-rights.tsx'

interface UserPanelProps {
  /** A record of the model `user`. */
  readonly record: AnyRecord
  /** Called after the record was changed. */
  readonly onSaved: () => void
}

/** What a superuser may do with an account: set its groups and password, make it a superuser, disable it, end its sessions. */
export function UserPanel({ record, onSaved }: UserPanelProps) {
  const text = useText().users
  const isOwn = useSite().user.id === record.id
  if (isOwn) {
    return (
      <section className="panel" aria-label={text.title}>
        <p>
          {text.own} <Link to="/account">{text.ownLink}</Link>
        </p>
        <UserRights record={record} onSaved={onSaved} />
      </section>
    )
  }
  return (
    <section className="panel" aria-labelledby="user-panel">
      <h2 id="user-panel">{text.title}</h2>
      <UserRights record={record} onSaved={onSaved} />
      <Activation record={record} onSaved={onSaved} />
      <Sessions record={record} />
    </section>
  )
}

function Activation({ record, onSaved }: UserPanelProps) {
  const text = useText().users
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run, clear } = useAction()
  const [open, setOpen] = useState<'password' | 'disable'>()
  const isActive = record.is_active !== false
  const show = (dialog: 'password' | 'disable') => {
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
  return (
    <>
      {!isActive && <Notice kind="warning">{text.disabledNote}</Notice>}
      {error !== undefined && open === undefined && <Failure error={error} />}
      <div className="actions">
        <Button onClick={() => show('password')}>{text.setPassword}</Button>
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
  const text = useText()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error: failure, run } = useAction()
  const { data, error, refetch } = useQuery({ ...userSessionsQuery(useSession(), record.id), refetchOnMount: 'always' })
  const end = async () => {
    const query = [['user_id', record.id] as const]
    const isDone = await run((client) => client.request('/auth/sessions', { method: 'DELETE', query }))
    if (isDone) toasts.done(text.account.ended(data?.length ?? 0))
    await queries.invalidateQueries({ queryKey: ['sessions', record.id] })
  }
  return (
    <>
      <header className="section-header">
        <h3>{text.account.sessions}</h3>
        {data !== undefined && data.length > 0 && (
          <Button isBusy={isBusy} onClick={() => void end()}>
            {text.users.endAll}
          </Button>
        )}
      </header>
      {failure !== undefined && <Failure error={failure} />}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={2} />}
      {data?.length === 0 && <p className="muted">{text.users.noSessions}</p>}
      {data !== undefined && data.length > 0 && <SessionTable sessions={data} />}
    </>
  )
}

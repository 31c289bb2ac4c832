import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import type { LoginSession } from '../../client/client.ts'
import { DateCell } from '../cells/cell.tsx'
import { ownAccountQuery } from '../data/accounts.ts'
import { ownSessionsQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { useSite } from '../data/site.ts'
import { useAction, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { LabelledField } from '../parts/field.tsx'
import { passing } from '../parts/pass-focus.ts'
import { SecretInput } from '../parts/secret-input.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import { deviceOf } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

/** The sessions of the user who is logged in; all but the present one can be ended. */
export function OwnSessions() {
  const text = useLaterText().account
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error: failure, run } = useAction()
  const { data, error, refetch } = useQuery({ ...ownSessionsQuery(useSession()), refetchOnMount: 'always' })
  const others = data?.filter(({ current }) => !current) ?? []

  const end = async (ids: readonly number[]) => {
    const isDone = await run(async (client) => {
      for (const id of ids) await client.endSession(id)
    })
    if (isDone) toasts.done(text.ended(ids.length))
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }

  return (
    <section className="stack" aria-labelledby="own-sessions">
      <header className="section-header">
        <h2 id="own-sessions">{text.sessions}</h2>
        {others.length > 1 && (
          <Button isBusy={isBusy} onClick={passing(() => void end(others.map(({ id }) => id)))}>
            {text.endOthers}
          </Button>
        )}
      </header>
      {failure !== undefined && <Failure error={failure} />}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && (
        <SessionTable
          sessions={data}
          actionOf={({ id, current }) =>
            !current && (
              <Button isBusy={isBusy} onClick={passing(() => void end([id]))}>
                {text.end}
              </Button>
            )
          }
        />
      )}
    </section>
  )
}

interface SessionTableProps {
  readonly sessions: readonly LoginSession[]
  /** What can be done with a session. */
  readonly actionOf?: (session: LoginSession) => ReactNode
}

/** Sessions of a user, the newest first. */
export function SessionTable({ sessions, actionOf }: SessionTableProps) {
  const text = useText()
  const later = useLaterText()
  return (
    <DataTable
      label={later.account.sessions}
      columns={[
        ...[later.account.device, later.account.address, later.account.began, later.account.used],
        ...(actionOf === undefined ? [] : [{ label: text.common.actions, kind: 'buttons' as const }]),
      ]}
      shape="stacks"
    >
      {sessions.map((session) => (
        <tr key={session.id}>
          <td title={session.user_agent ?? undefined}>
            <span className="device">{deviceOf(session.user_agent) ?? later.account.unknownDevice}</span>{' '}
            {session.current && <Chip color="green">{later.account.thisOne}</Chip>}
          </td>
          <td className="no-wrap">{session.address ?? '–'}</td>
          <td className="no-wrap" data-label={later.account.began}>
            <DateCell type="datetime" value={session.created_at} />
          </td>
          <td className="no-wrap" data-label={later.account.used}>
            {session.last_used_at === null ? '–' : <DateCell type="datetime" value={session.last_used_at} />}
          </td>
          {actionOf !== undefined && <td className="number">{actionOf(session)}</td>}
        </tr>
      ))}
    </DataTable>
  )
}

/** Changes the password of the user who is logged in. */
export function OwnPassword() {
  const text = useLaterText().account
  const { data: account } = useQuery(ownAccountQuery(useSession()))
  const { user } = useSite()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run } = useAction({
    current_password: text.currentPassword,
    new_password: text.newPassword,
  })
  const form = useFaultFocus(error)
  const isShownAtFields = 'current_password' in fieldErrors || 'new_password' in fieldErrors

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const values = new FormData(event.currentTarget)
    const isChanged = await run((client) => client.changePassword(String(values.get('current')), String(values.get('next'))))
    if (!isChanged) return
    form.current?.reset()
    toasts.done(text.passwordChanged)
    void queries.invalidateQueries({ queryKey: ['sessions'] })
  }

  if (account?.has_password === false) {
    return (
      <section className="stack narrow" aria-labelledby="own-password">
        <h2 id="own-password">{text.password}</h2>
        <p className="muted">{text.noPasswordYet}</p>
      </section>
    )
  }
  return (
    <section className="stack narrow" aria-labelledby="own-password">
      <h2 id="own-password">{text.password}</h2>
      <form ref={form} className="stack" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && !isShownAtFields && <Failure error={error} />}
        <input type="hidden" name="username" autoComplete="username" value={user.username ?? ''} />
        <LabelledField label={text.currentPassword} errors={fieldErrors.current_password} isRequired>
          {(links) => <SecretInput {...links} name="current" autoComplete="current-password" />}
        </LabelledField>
        <LabelledField label={text.newPassword} help={text.passwordHelp} errors={fieldErrors.new_password} isRequired>
          {(links) => <SecretInput {...links} name="next" autoComplete="new-password" />}
        </LabelledField>
        <div className="actions">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {text.changePassword}
          </Button>
        </div>
      </form>
    </section>
  )
}

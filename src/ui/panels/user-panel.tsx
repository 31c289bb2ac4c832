import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { userSessionsQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, refreshModel } from '../data/records.ts'
import { fieldOf, modelOf, useSite } from '../data/site.ts'
import { type FieldView, helpOf } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useText } from '../text/text.tsx'
import { Widget } from '../widgets/widget.tsx'
import { SessionTable } from './account.tsx'
import { Confirm, SaveActions } from './confirm.tsx'
import { mergedIds, permissionIds } from './permission-rows.ts'
import { useAction, useFaultFocus } from './use-action.ts'

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

/** What this panel edits of a user. */
interface Rights {
  readonly groups: readonly number[]
  readonly is_superuser: boolean
}

const rightsOf = (record: AnyRecord): Rights => ({
  groups: permissionIds(record.groups),
  is_superuser: record.is_superuser === true,
})

/** The groups of a user, and whether the user is a superuser. Forms seldom have these fields, since only superusers may set them. */
function UserRights({ record, onSaved }: UserPanelProps) {
  const { users: text } = useText()
  const model = modelOf(useSite(), 'user')
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run } = useAction()
  const stored = rightsOf(record)
  // The rights that the edits began with: what others change meanwhile is kept.
  const [edits, setEdits] = useState<{ readonly before: Rights; readonly after: Rights }>()
  const { before, after } = edits ?? { before: stored, after: stored }
  const areGroupsChanged = after.groups.length !== before.groups.length || after.groups.some((id) => !before.groups.includes(id))
  const isChanged = areGroupsChanged || after.is_superuser !== before.is_superuser
  const change = (rights: Partial<Rights>) => setEdits({ before, after: { ...after, ...rights } })

  const save = async () => {
    const isDone = await run(async (client) => {
      const users = client.model('user')
      const { data, etag } = await users.read(record.id)
      const groups = mergedIds(permissionIds(data.groups), new Set(before.groups), new Set(after.groups))
      const changes = {
        ...(areGroupsChanged && { groups }),
        ...(after.is_superuser !== before.is_superuser && { is_superuser: after.is_superuser }),
      }
      await users.update(record.id, changes, { if_match: etag })
    })
    if (!isDone) return
    toasts.done(text.rightsSaved)
    setEdits(undefined)
    onSaved()
    await refreshModel(queries, 'user')
  }

  if (model === undefined) return null
  const inputs = [
    { name: 'groups', value: after.groups, onChange: (next: unknown) => change({ groups: permissionIds(next) }) },
    { name: 'is_superuser', value: after.is_superuser, onChange: (next: unknown) => change({ is_superuser: next === true }) },
  ]
  return (
    <div className="stack">
      {error !== undefined && Object.keys(fieldErrors).length === 0 && <Failure error={error} />}
      {inputs.map(({ name, value, onChange }) => {
        const field = fieldOf(model, name)
        if (field === undefined) return undefined
        const view: FieldView = { name, field_type: field.type, title: field.label, ...NO_FLAGS }
        return (
          <LabelledField
            key={name}
            label={field.label}
            help={helpOf(view, field)}
            errors={fieldErrors[name]}
            shape={field.type === 'boolean' ? 'row' : 'column'}
          >
            {(links) => <Widget {...{ model, value, onChange, links, record }} field={view} />}
          </LabelledField>
        )
      })}
      <SaveActions
        label={text.saveRights}
        onSave={() => void save()}
        onCancel={() => setEdits(undefined)}
        {...{ isBusy, isChanged }}
      />
    </div>
  )
}

const NO_FLAGS = { required: false, readonly: false, disabled: false, is_primary_key: false }

interface SetPasswordProps extends UserPanelProps {
  readonly onClose: () => void
}

/** Sets the password of a user; a superuser need not know the present one. */
function SetPassword({ record, onSaved, onClose }: SetPasswordProps) {
  const text = useText()
  const form = useId()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run } = useAction({ password: text.account.newPassword })
  const focused = useFaultFocus(error)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const password = String(new FormData(event.currentTarget).get('password'))
    if (!(await run((client) => client.model('user').update(record.id, { password })))) return
    toasts.done(text.users.passwordSet)
    onClose()
    onSaved()
    await Promise.all([refreshModel(queries, 'user'), queries.invalidateQueries({ queryKey: ['sessions'] })])
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.users.setPassword}
      description={text.users.setPasswordText(String(record.username))}
      actions={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {text.users.setPassword}
          </Button>
        </>
      }
    >
      <form ref={focused} id={form} className="stack" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && fieldErrors.password === undefined && <Failure error={error} />}
        <LabelledField label={text.account.newPassword} errors={fieldErrors.password} isRequired>
          {(links) => <input {...links} className="input" type="password" name="password" autoComplete="new-password" />}
        </LabelledField>
      </form>
    </Dialog>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MailPlus } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { DateCell } from '../cells/cell.tsx'
import { groupNamesQuery, invitationsQuery, type SentInvitation } from '../data/accounts.ts'
import { useSession } from '../data/page-session.ts'
import { Checks } from '../panels/checks.tsx'
import { useAction, useFaultFocus } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { LabelledField } from '../parts/field.tsx'
import { passing } from '../parts/pass-focus.ts'
import { Dialog } from '../parts/popups.tsx'
import { Failure } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

/** A button that invites a user by mail address, with what is open of earlier invitations; for superusers. */
export function InviteUser() {
  const text = useLaterText().users
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={<MailPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {text.invite}
      </Button>
      {isOpen && <InviteDialog onClose={() => setOpen(false)} />}
    </>
  )
}

interface InviteDialogProps {
  readonly onClose: () => void
}

function InviteDialog({ onClose }: InviteDialogProps) {
  const text = useLaterText().users
  const { common } = useText()
  const form = useId()
  const queries = useQueryClient()
  const session = useSession()
  const { data: groups = [], error: failure, refetch } = useQuery(groupNamesQuery(session))
  const { isBusy, error, fieldErrors, run } = useAction({ email: text.email, groups: text.groups })
  const focused = useFaultFocus(error)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [sent, setSent] = useState<SentInvitation>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const email = String(new FormData(event.currentTarget).get('email')).trim()
    const body = { email, groups: chosen.map(Number) }
    await run(async (client) => {
      const { data } = (await client.request('/auth/invitations', { method: 'POST', body })) as { data: SentInvitation }
      setSent(data)
      await queries.invalidateQueries({ queryKey: ['invitations'] })
    })
  }
  if (sent !== undefined) return <InvitationLink invitation={sent} onClose={onClose} />
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.invite}
      description={text.inviteText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {text.sendInvitation}
          </Button>
        </>
      }
    >
      <div className="stack">
        <form ref={focused} id={form} className="stack" noValidate onSubmit={(event) => void submit(event)}>
          {error !== undefined && fieldErrors.email === undefined && <Failure error={error} />}
          <LabelledField label={text.email} errors={fieldErrors.email} isRequired>
            {(links) => <input {...links} className="input" type="email" name="email" autoComplete="off" />}
          </LabelledField>
          {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
          {groups.length > 0 && (
            <Checks
              label={text.groups}
              options={groups.map(({ id, name }) => ({ value: String(id), label: name }))}
              chosen={chosen}
              onChange={setChosen}
            />
          )}
        </form>
        <OpenInvitations />
      </div>
    </Dialog>
  )
}

/** Shows the link of a new invitation, which the server does not tell again. Only its button closes it. */
function InvitationLink({
  invitation: { email, link, mailed },
  onClose,
}: InviteDialogProps & { readonly invitation: SentInvitation }) {
  const text = useLaterText().users
  return (
    <Dialog
      isOpen
      onClose={() => {}}
      isDismissible={false}
      title={text.invitationTitle}
      description={mailed ? text.invitationMailed(email) : text.invitationCopy(email)}
      actions={
        <Button kind="primary" onClick={onClose}>
          {text.done}
        </Button>
      }
    >
      <CopyField label={text.invitationLink} value={link} />
    </Dialog>
  )
}

/** The invitations that are still open; nothing without one. */
function OpenInvitations() {
  const text = useLaterText().users
  const { common } = useText()
  const queries = useQueryClient()
  const toasts = useToasts()
  const invitations = useQuery({ ...invitationsQuery(useSession()), refetchOnMount: 'always' })
  const { isBusy, error, run } = useAction()
  const withdraw = async (id: number) => {
    if (await run((client) => client.request(`/auth/invitations/${id}`, { method: 'DELETE' }))) toasts.done(text.withdrawn)
    await queries.invalidateQueries({ queryKey: ['invitations'] })
  }
  const { data = [], error: failure } = invitations
  if (failure !== null) return <Failure error={failure} onRetry={() => void invitations.refetch()} />
  if (data.length === 0) return undefined
  return (
    <section className="stack-tight" aria-labelledby="open-invitations">
      <h3 id="open-invitations">{text.openInvitations}</h3>
      {error !== undefined && <Failure error={error} />}
      <DataTable
        label={text.openInvitations}
        columns={[text.email, text.expires, { label: common.actions, kind: 'buttons' as const }]}
        shape="stacks"
      >
        {data.map(({ id, email, expires_at }) => (
          <tr key={id}>
            <td className="wrap">{email}</td>
            <td className="no-wrap" data-label={text.expires}>
              <DateCell type="datetime" value={expires_at} />
            </td>
            <td className="number">
              <Button isBusy={isBusy} onClick={passing(() => void withdraw(id))}>
                {text.withdraw}
              </Button>
            </td>
          </tr>
        ))}
      </DataTable>
    </section>
  )
}

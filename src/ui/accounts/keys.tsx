import '../styles/accounts.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiKey } from '../../client/client.ts'
import { AgeCell, DateCell } from '../cells/cell.tsx'
import { keysQuery } from '../data/accounts.ts'
import { useSession } from '../data/page-session.ts'
import { Confirm } from '../panels/confirm.tsx'
import { useAction } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { passing } from '../parts/pass-focus.ts'
import { Dialog } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import type { LaterText } from '../text/en-later.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

const KeyForm = partOnUse(() => import('./key-form.tsx').then((module) => module.KeyForm))

/** The API keys of the user; they are created and revoked here. */
export function OwnKeys() {
  const text = useLaterText().account
  const queries = useQueryClient()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<string>()
  return (
    <section className="stack" aria-labelledby="own-keys">
      <header className="section-header">
        <h2 id="own-keys">{text.keys}</h2>
        <Button onClick={() => setCreating(true)}>{text.createKey}</Button>
      </header>
      <p className="muted">{text.keysText}</p>
      <Keys />
      {isCreating && (
        <LoadedPopup onFail={() => setCreating(false)}>
          <KeyForm
            onKey={(key) => {
              setCreating(false)
              setCreated(key)
              void refreshKeys(queries)
            }}
            onClose={() => setCreating(false)}
          />
        </LoadedPopup>
      )}
      {created !== undefined && <NewKey value={created} onClose={() => setCreated(undefined)} />}
    </section>
  )
}

const refreshKeys = (queries: ReturnType<typeof useQueryClient>) =>
  Promise.all(['keys', 'account-log'].map((key) => queries.invalidateQueries({ queryKey: [key] })))

/** Shows a new key, which the server does not tell again. Only its button closes it. */
function NewKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const text = useLaterText().account
  return (
    <Dialog
      isOpen
      onClose={() => {}}
      isDismissible={false}
      title={text.keyTitle}
      description={text.keyOnce}
      actions={
        <Button kind="primary" onClick={onClose}>
          {text.keyKept}
        </Button>
      }
    >
      <CopyField label={text.key} value={value} />
    </Dialog>
  )
}

/** The keys of the user, or of another one for superusers, with a button that revokes each. */
export function Keys({ userId }: { readonly userId?: number }) {
  const later = useLaterText()
  const text = later.account
  const { common } = useText()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { data, error: failure, refetch } = useQuery({ ...keysQuery(useSession(), userId), refetchOnMount: 'always' })
  const { isBusy, error, run, clear } = useAction()
  const [revoking, setRevoking] = useState<ApiKey>()
  const revoke = async ({ id }: ApiKey) => {
    if (!(await run((client) => client.request(`/auth/keys/${id}`, { method: 'DELETE' })))) return
    setRevoking(undefined)
    toasts.done(text.revoked)
    await refreshKeys(queries)
  }
  if (data === undefined) {
    return failure === null ? <Skeleton lines={2} /> : <Failure error={failure} onRetry={() => void refetch()} />
  }
  if (data.length === 0) return <p className="muted">{text.noKeys}</p>
  return (
    <>
      <DataTable
        label={text.keys}
        columns={[
          ...[text.keyName, text.rights, text.expires, text.lastUsed],
          { label: common.actions, kind: 'buttons' as const },
        ]}
        shape="stacks"
      >
        {data.map((key) => (
          <tr key={key.id}>
            <td className="key-name">
              {key.name} <span className="mono muted">{key.hint}</span>
            </td>
            <td className="key-rights" data-label={text.rights}>
              {scopesText(key.scopes, text)}
            </td>
            <td className="no-wrap" data-label={text.expires}>
              <Expiry expires={key.expires_at} />
            </td>
            <td className="no-wrap" data-label={text.lastUsed}>
              {key.last_used_at === null ? text.never : <AgeCell value={key.last_used_at} />}
            </td>
            <td className="number">
              <Button
                onClick={passing(() => {
                  clear()
                  setRevoking(key)
                })}
              >
                {text.revoke}
              </Button>
            </td>
          </tr>
        ))}
      </DataTable>
      {revoking !== undefined && (
        <Confirm
          {...{ isBusy, error }}
          title={text.revoke}
          action={text.revoke}
          onConfirm={() => void revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          {text.revokeText(revoking.name)}
        </Confirm>
      )}
    </>
  )
}

/** The scopes of a key in words; codenames stay. */
const scopesText = (scopes: readonly string[], { scopes: names }: LaterText['account']): string =>
  scopes.map((scope) => (Object.hasOwn(names, scope) ? names[scope as keyof typeof names] : scope)).join(', ')

/** The day on which a key ends, in UTC, and whether that is over. */
function Expiry({ expires }: { readonly expires: string | null }) {
  const text = useLaterText().account
  if (expires === null) return text.never
  return (
    <>
      <DateCell type="date" value={expires.slice(0, 10)} />{' '}
      {Date.parse(expires) < Date.now() && <Chip color="red">{text.isExpired}</Chip>}
    </>
  )
}

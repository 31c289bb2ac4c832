import '../styles/accounts.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { LinkedIdentity } from '../../client/client.ts'
import { DateCell } from '../cells/cell.tsx'
import { identitiesQuery } from '../data/accounts.ts'
import { useSession } from '../data/page-session.ts'
import { useMethods, useMethodsQuery } from '../data/sign-in.ts'
import { Confirm } from '../panels/confirm.tsx'
import { useAction } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { passing } from '../parts/pass-focus.ts'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { refusalText, useSignInText } from '../text/sign-in.ts'
import { useText } from '../text/text.tsx'

interface IdentitiesProps {
  /** What a provider has led back with. */
  readonly result: URLSearchParams
}

/** The identities at providers that the user logs in with; nothing without a provider. */
export function OwnIdentities({ result }: IdentitiesProps) {
  const { data, error, refetch } = useMethodsQuery()
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  return data === undefined || data.providers.length === 0 ? undefined : <Identities result={result} />
}

function Identities({ result }: IdentitiesProps) {
  const text = useLaterText().account
  const { faults } = useSignInText().finish
  const { common } = useText()
  const { providers } = useMethods()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { data, error: failure, refetch } = useQuery(identitiesQuery(useSession()))
  const { isBusy, error, run, clear } = useAction()
  const [removing, setRemoving] = useState<LinkedIdentity>()
  const fault = result.get('oidc-error')
  const isLinked = result.has('identity-linked')
  const section = useRef<HTMLElement>(null)
  // The browser comes back from the provider to the start of the page.
  useEffect(() => {
    if (isLinked || fault !== null) section.current?.scrollIntoView({ block: 'center' })
  }, [isLinked, fault])
  const link = (name: string) =>
    run(async (client) => {
      const answer = await client.request(`/auth/identities/${encodeURIComponent(name)}`, { method: 'POST', body: {} })
      location.assign((answer as { readonly url: string }).url)
    })
  const remove = async ({ id }: LinkedIdentity) => {
    if (!(await run((client) => client.request(`/auth/identities/${id}`, { method: 'DELETE' })))) return
    setRemoving(undefined)
    toasts.done(text.unlinked)
    await Promise.all(['identities', 'account-log'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  }
  const linked = new Set(data?.map(({ provider }) => provider))
  return (
    <section ref={section} className="stack" aria-labelledby="own-identities">
      <h2 id="own-identities">{text.identities}</h2>
      <p className="muted">{text.identitiesText}</p>
      {isLinked && <Notice kind="success">{text.linked}</Notice>}
      {fault !== null && <Notice kind="error">{refusalText(faults, fault)}</Notice>}
      {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
      {error !== undefined && removing === undefined && <Failure error={error} />}
      {data === undefined && failure === null && <Skeleton lines={2} />}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label={text.identities}
          columns={[text.provider, text.identity, text.since, { label: common.actions, kind: 'buttons' as const }]}
          shape="stacks"
        >
          {data.map((identity) => (
            <tr key={identity.id}>
              <td>{identity.title}</td>
              <td className="wrap">{identity.email ?? identity.subject}</td>
              <td className="no-wrap" data-label={text.since}>
                <DateCell type="datetime" value={identity.created_at} />
              </td>
              <td className="number">
                <Button
                  onClick={passing(() => {
                    clear()
                    setRemoving(identity)
                  })}
                >
                  {text.unlink}
                </Button>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      {data !== undefined && (
        <div className="actions">
          {providers
            .filter(({ name }) => !linked.has(name))
            .map(({ name, title }) => (
              <Button key={name} isBusy={isBusy} onClick={() => void link(name)}>
                {text.linkWith(title)}
              </Button>
            ))}
        </div>
      )}
      {removing !== undefined && (
        <Confirm
          {...{ isBusy, error }}
          title={text.unlink}
          action={text.unlink}
          onConfirm={() => void remove(removing)}
          onClose={() => setRemoving(undefined)}
        >
          {text.unlinkText(removing.title)}
        </Confirm>
      )}
    </section>
  )
}

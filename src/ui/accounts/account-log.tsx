import '../styles/accounts.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccountLogEntry } from '../../client/client.ts'
import { DateCell } from '../cells/cell.tsx'
import { accountLogQuery } from '../data/accounts.ts'
import { useSession } from '../data/page-session.ts'
import { PageButtons } from '../parts/page-buttons.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import type { LaterText } from '../text/en-later.ts'
import { deviceOf } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'

/** What happened to the account of the user, or of another one for superusers, the latest first. */
export function AccountLog({ userId }: { readonly userId?: number }) {
  const text = useLaterText().account
  const [page, setPage] = useState(1)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...accountLogQuery(useSession(), page, userId),
    refetchOnMount: 'always',
  })
  if (data === undefined)
    return error === null ? <Skeleton lines={4} /> : <Failure error={error} onRetry={() => void refetch()} />
  if (data.data.length === 0 && page === 1) return <p className="muted">{text.noEvents}</p>
  return (
    <div className="stack" aria-busy={isPlaceholderData}>
      <DataTable label={text.log} columns={[text.at, text.event, text.device, text.address]} shape="stacks">
        {data.data.map((event) => (
          <tr key={event.id}>
            <td className="no-wrap">
              <DateCell type="datetime" value={event.at} />
            </td>
            <td>{eventText(event, text)}</td>
            <td title={event.user_agent ?? undefined}>{deviceOf(event.user_agent) ?? text.unknownDevice}</td>
            <td className="no-wrap" data-label={text.address}>
              {event.address ?? '–'}
            </td>
          </tr>
        ))}
      </DataTable>
      <PageButtons page={data} onChange={setPage} />
    </div>
  )
}

/** The log of the user, with its heading. */
export function AccountLogSection() {
  const text = useLaterText().account
  return (
    <section className="stack" aria-labelledby="own-log">
      <h2 id="own-log">{text.log}</h2>
      <AccountLog />
    </section>
  )
}

/** An event in words, with the way in, and how often it happened. An unknown one stays. */
function eventText({ event, method, count }: AccountLogEntry, text: LaterText['account']): string {
  const name = wordOf(text.events, event)
  const isTold = method !== null && (event === 'login' || method === 'shell' || method === 'other_user')
  const way = isTold ? ` ${wordOf(text.methods, method)}` : ''
  return `${name}${way}${count > 1 ? ` (${text.times(count)})` : ''}`
}

const wordOf = (words: Readonly<Record<string, string>>, name: string): string =>
  (Object.hasOwn(words, name) ? words[name] : undefined) ?? name

import { useQuery } from '@tanstack/react-query'
import { historyQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { useSite } from '../data/site.ts'
import { useAddress } from '../data/use-address.ts'
import { HistoryFilters, HistoryTable } from '../panels/history.tsx'
import { PageButtons } from '../parts/page-buttons.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { EmptyState, Failure, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { SuperusersOnly } from './not-found.tsx'

const PAGE_SIZE = 50

/** The changes of all records. */
export function HistoryPage() {
  const text = useLaterText().history
  const { capabilities } = useSite()
  return (
    <SuperusersOnly>
      <PageHeader title={text.title} />
      {capabilities.history ? <AllChanges /> : <EmptyState title={text.offTitle}>{text.offText}</EmptyState>}
    </SuperusersOnly>
  )
}

function AllChanges() {
  const text = useLaterText().history
  const { get, page, change } = useAddress()
  const filters = { model: get('model'), action: get('action'), via: get('via'), user: get('user') }
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const plan = { ...filters, page, page_size: PAGE_SIZE }
  const { data, error, refetch } = useQuery({ ...historyQuery(useSession(), plan), refetchOnMount: 'always' })
  return (
    <>
      <HistoryFilters />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={12} />}
      {data?.total === 0 && <EmptyState title={text.noneTitle}>{isFiltered ? text.noneText : text.nothingText}</EmptyState>}
      {data !== undefined && data.total > 0 && (
        <>
          <HistoryTable entries={data.data} isCut={{ first: data.has_prev, last: data.has_next }} />
          <PageButtons page={data} onChange={(next) => change({ page: next === 1 ? undefined : String(next) })} />
        </>
      )}
    </>
  )
}

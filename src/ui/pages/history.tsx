import { useQuery } from '@tanstack/react-query'
import { HistoryFilters } from '../administration/history/history-filters.tsx'
import { HistoryTable } from '../administration/history/history-table.tsx'
import { PageButtons } from '../administration/page-buttons.tsx'
import { SuperusersOnly } from '../administration/superusers-only.tsx'
import { useAddress } from '../administration/use-address.ts'
import { historyQuery } from '../data/history.ts'
import { useSite } from '../data/site.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Failure } from '../parts/failure.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'

const PAGE_SIZE = 50

/** The changes of all records. */
export function HistoryPage() {
  const text = useText().history
  const { capabilities } = useSite()
  return (
    <SuperusersOnly>
      <PageHeader title={text.title} />
      {capabilities.history ? <AllChanges /> : <EmptyState title={text.offTitle}>{text.offText}</EmptyState>}
    </SuperusersOnly>
  )
}

function AllChanges() {
  const text = useText().history
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
          <HistoryTable entries={data.data} />
          <PageButtons page={data} onChange={(next) => change({ page: next === 1 ? undefined : String(next) })} />
        </>
      )}
    </>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { historyQuery } from '../../data/history.ts'
import { useChanges } from '../../live/use-live.ts'
import { Failure } from '../../parts/failure.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { HistoryTable } from '../history/history-table.tsx'

/** The latest changes of all records, kept up to date. */
export function LatestChanges() {
  const text = useText().dashboard
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    ...historyQuery(useSession(), { page: 1, page_size: 10 }),
    refetchOnMount: 'always',
  })
  useChanges(useCallback(() => void queries.invalidateQueries({ queryKey: ['history'] }), [queries]))
  return (
    <section className="stack" aria-labelledby="latest-changes">
      <header className="section-header">
        <h2 id="latest-changes">{text.changes}</h2>
        <Link to="/history">{text.allChanges}</Link>
      </header>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={5} />}
      {data?.total === 0 && <p className="muted">{text.noChanges}</p>}
      {data !== undefined && data.total > 0 && <HistoryTable entries={data.data} showsChanges={false} />}
    </section>
  )
}

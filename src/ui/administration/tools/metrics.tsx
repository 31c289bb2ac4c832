import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { DateCell } from '../../cells/date-cell.tsx'
import { metricsQuery } from '../../data/metrics.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { usePageSettings } from '../../use-page-settings.ts'
import { MetricCharts } from './metric-charts.tsx'
import { MetricFacts } from './metric-facts.tsx'

/** Figures of the server since its start. */
export function Metrics() {
  const text = useText().tools
  const { metrics } = usePageSettings()
  if (!metrics) return <EmptyState title={text.metricsOffTitle}>{text.metricsOffText}</EmptyState>
  return <Figures />
}

function Figures() {
  const text = useText().tools
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery(metricsQuery(useSession()))
  return (
    <div className="stack">
      <div className="filters filters-center">
        <Button icon={<RefreshCw size={14} aria-hidden />} isBusy={isFetching} onClick={() => void refetch()}>
          {text.refresh}
        </Button>
        {data !== undefined && (
          <span className="muted">
            {text.readAt} <DateCell type="datetime" value={new Date(dataUpdatedAt).toISOString()} />
          </span>
        )}
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && (
        <>
          <MetricFacts samples={data} />
          <MetricCharts samples={data} />
        </>
      )}
    </div>
  )
}

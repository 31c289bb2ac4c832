import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { DateCell } from '../../cells/date-cell.tsx'
import { useLocale } from '../../cells/use-locale.ts'
import { bucketsOf, metricsQuery, quantile, type Sample, singleValue, sumBy } from '../../data/metrics.ts'
import { modelOf, useSite } from '../../data/site.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { usePageSettings } from '../../use-page-settings.ts'
import { type Bar, BarChart } from './bar-chart.tsx'

const REQUESTS = 'admin_http_requests_total'
const DURATIONS = 'admin_http_request_duration_seconds'
/** Number of models and routes in a chart. */
const SHOWN = 12

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
      {data !== undefined && <Charts samples={data} />}
    </div>
  )
}

function Charts({ samples }: { readonly samples: readonly Sample[] }) {
  const text = useText().tools
  const site = useSite()
  const records = sumBy(samples, 'admin_records', 'model')
  return (
    <>
      <Facts samples={samples} />
      <div className="charts">
        <BarChart title={text.requestsByStatus} labels={text.status} values={text.requests} bars={statusBars(samples)} />
        <LatencyChart samples={samples} />
        <BarChart
          title={text.recordsByModel}
          labels={text.model}
          values={text.records}
          bars={highest([...records].map(([key, value]) => ({ label: modelOf(site, key)?.label ?? key, value })))}
        />
        <BarChart
          title={text.requestsByRoute}
          labels={text.route}
          values={text.requests}
          bars={highest([...sumBy(samples, REQUESTS, 'route')].map(([label, value]) => ({ label, value })))}
        />
      </div>
    </>
  )
}

const statusBars = (samples: readonly Sample[]): readonly Bar[] =>
  [...sumBy(samples, REQUESTS, 'status')]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([label, value]) => ({ label, value, tone: label.startsWith('5') ? 'bad' : 'plain' }))

const highest = (bars: readonly Bar[]): readonly Bar[] => [...bars].sort((one, other) => other.value - one.value).slice(0, SHOWN)

function LatencyChart({ samples }: { readonly samples: readonly Sample[] }) {
  const text = useText().tools
  const locale = useLocale()
  const buckets = bucketsOf(samples, DURATIONS)
  const bars = buckets.map(({ seconds, count }, index) => {
    const isLast = seconds === Number.POSITIVE_INFINITY
    const bound = (isLast ? (buckets[index - 1]?.seconds ?? 0) : seconds) * 1000
    return { label: `${isLast ? '>' : '≤'} ${bound.toLocaleString(locale)} ms`, value: count }
  })
  return <BarChart title={text.latencies} labels={text.duration} values={text.requests} bars={bars} />
}

function Facts({ samples }: { readonly samples: readonly Sample[] }) {
  const text = useText().tools
  const locale = useLocale()
  const buckets = bucketsOf(samples, DURATIONS)
  const number = (value: number, digits = 0) => value.toLocaleString(locale, { maximumFractionDigits: digits })
  const milliseconds = (part: number) => {
    const seconds = quantile(buckets, part)
    return seconds === undefined ? '–' : `${number(seconds * 1000, 1)} ms`
  }
  const started = singleValue(samples, 'process_start_time_seconds')
  const memory = singleValue(samples, 'process_resident_memory_bytes')
  return (
    <dl className="facts">
      <dt>{text.median}</dt>
      <dd>{milliseconds(0.5)}</dd>
      <dt>{text.slowest(95)}</dt>
      <dd>{milliseconds(0.95)}</dd>
      <dt>{text.slowest(99)}</dt>
      <dd>{milliseconds(0.99)}</dd>
      <dt>{text.started}</dt>
      <dd>{started === undefined ? '–' : <DateCell type="datetime" value={new Date(started * 1000).toISOString()} />}</dd>
      <dt>{text.memory}</dt>
      <dd>{memory === undefined ? '–' : `${number(memory / 1024 / 1024)} MiB`}</dd>
      <dt>{text.outbox}</dt>
      <dd>{number(singleValue(samples, 'admin_webhook_outbox_depth') ?? 0)}</dd>
    </dl>
  )
}

import { useLaterText } from '../text/later.ts'
import '../styles/charts.css'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { DateCell } from '../cells/cell.tsx'
import {
  type Bar,
  bucketsOf,
  DURATIONS,
  durationBars,
  highestBars,
  MEMORY,
  metricsQuery,
  OUTBOX,
  quantile,
  RECORDS,
  REQUESTS,
  type Sample,
  STARTED,
  singleValue,
  statusBars,
  sumBy,
} from '../data/metrics.ts'
import { useSession } from '../data/page-session.ts'
import { modelOf, useSite } from '../data/site.ts'
import { usePageSettings } from '../hooks.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState, Failure, Skeleton } from '../parts/states.tsx'
import { useLocale } from '../text/text.tsx'

/** Figures of the server since its start. */
export function Metrics() {
  const text = useLaterText().tools
  const { metrics } = usePageSettings()
  if (!metrics) return <EmptyState title={text.metricsOffTitle}>{text.metricsOffText}</EmptyState>
  return <Figures />
}

function Figures() {
  const text = useLaterText().tools
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery(metricsQuery(useSession()))
  const started = data && singleValue(data, STARTED)
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
        {started !== undefined && (
          <span className="muted">
            {text.started} <DateCell type="datetime" value={new Date(started * 1000).toISOString()} />
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

/** Figures that are single numbers. */
function MetricFacts({ samples }: { readonly samples: readonly Sample[] }) {
  const text = useLaterText().tools
  const locale = useLocale()
  const buckets = bucketsOf(samples, DURATIONS)
  const number = (value: number, digits = 0) => value.toLocaleString(locale, { maximumFractionDigits: digits })
  const milliseconds = (part: number) => {
    const seconds = quantile(buckets, part)
    return seconds === undefined ? '–' : `${number(seconds * 1000, 1)} ms`
  }
  const memory = singleValue(samples, MEMORY)
  return (
    <dl className="figures">
      <Figure label={text.median}>{milliseconds(0.5)}</Figure>
      <Figure label={text.slowest(95)}>{milliseconds(0.95)}</Figure>
      <Figure label={text.slowest(99)}>{milliseconds(0.99)}</Figure>
      <Figure label={text.memory}>{memory === undefined ? '–' : `${number(memory / 1024 / 1024)} MiB`}</Figure>
      <Figure label={text.outbox}>{number(singleValue(samples, OUTBOX) ?? 0)}</Figure>
    </dl>
  )
}

/** A single number with its name above it. */
const Figure = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** Requests and records as bars. */
function MetricCharts({ samples }: { readonly samples: readonly Sample[] }) {
  const text = useLaterText().tools
  const site = useSite()
  const locale = useLocale()
  const records = sumBy(samples, RECORDS, 'model')
  return (
    <div className="charts">
      <BarChart title={text.requestsByStatus} labels={text.status} values={text.requests} bars={statusBars(samples)} />
      <BarChart title={text.latencies} labels={text.duration} values={text.requests} bars={durationBars(samples, locale)} />
      <BarChart
        title={text.recordsByModel}
        labels={text.model}
        values={text.records}
        bars={highestBars([...records].map(([key, value]) => ({ label: modelOf(site, key)?.label ?? key, value })))}
      />
      <BarChart
        title={text.requestsByRoute}
        labels={text.route}
        values={text.requests}
        bars={highestBars([...sumBy(samples, REQUESTS, 'route')].map(([label, value]) => ({ label, value })))}
      />
    </div>
  )
}

interface BarChartProps {
  readonly title: string
  readonly bars: readonly Bar[]
  /** Head of the column of labels. */
  readonly labels: string
  /** Head of the column of values. */
  readonly values: string
}

const WIDTH = 100

/** Values as bars. It is a table, so that assistive technologies read the same. */
function BarChart({ title, bars, labels, values }: BarChartProps) {
  const locale = useLocale()
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <table className="chart">
      <caption>{title}</caption>
      <colgroup>
        <col className="chart-labels" />
        <col />
      </colgroup>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{labels}</th>
          <th scope="col">{values}</th>
        </tr>
      </thead>
      <tbody>
        {bars.map(({ label, value, tone = 'plain' }) => (
          <tr key={label}>
            <th scope="row" title={label}>
              {label}
            </th>
            <td>
              <div className="chart-cell">
                <svg
                  className="chart-bar"
                  data-tone={tone}
                  viewBox={`0 0 ${WIDTH} 8`}
                  preserveAspectRatio="none"
                  aria-hidden="true"
                >
                  <rect width={(value / highest) * WIDTH} height="8" />
                </svg>
                <span className="chart-value">{value.toLocaleString(locale)}</span>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

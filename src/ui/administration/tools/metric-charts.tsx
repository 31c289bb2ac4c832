import { useLocale } from '../../cells/use-locale.ts'
import { type Sample, sumBy } from '../../data/metrics.ts'
import { modelOf, useSite } from '../../data/site.ts'
import { useText } from '../../text/text.tsx'
import { BarChart } from './bar-chart.tsx'
import { durationBars, highest, statusBars } from './metric-bars.ts'
import { RECORDS, REQUESTS } from './metric-names.ts'

/** Requests and records as bars. */
export function MetricCharts({ samples }: { readonly samples: readonly Sample[] }) {
  const text = useText().tools
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
        bars={highest([...records].map(([key, value]) => ({ label: modelOf(site, key)?.label ?? key, value })))}
      />
      <BarChart
        title={text.requestsByRoute}
        labels={text.route}
        values={text.requests}
        bars={highest([...sumBy(samples, REQUESTS, 'route')].map(([label, value]) => ({ label, value })))}
      />
    </div>
  )
}

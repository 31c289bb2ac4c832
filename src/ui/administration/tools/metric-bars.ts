import { bucketsOf, type Sample, sumBy } from '../../data/metrics.ts'
import type { Bar } from './bar-chart.tsx'
import { DURATIONS, REQUESTS } from './metric-names.ts'

/** Number of models and routes in a chart. */
const SHOWN = 12

/** Requests by status; those that the server failed are marked. */
export const statusBars = (samples: readonly Sample[]): readonly Bar[] =>
  [...sumBy(samples, REQUESTS, 'status')]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([label, value]) => ({ label, value, tone: label.startsWith('5') ? 'bad' : 'plain' }))

/** The highest bars, in falling order. */
export const highest = (bars: readonly Bar[]): readonly Bar[] =>
  [...bars].sort((one, other) => other.value - one.value).slice(0, SHOWN)

/** Requests by duration. The last bar is of those above all bounds. */
export function durationBars(samples: readonly Sample[], locale: string): readonly Bar[] {
  const buckets = bucketsOf(samples, DURATIONS)
  return buckets.map(({ seconds, count }, index) => {
    const isLast = seconds === Number.POSITIVE_INFINITY
    const bound = (isLast ? (buckets[index - 1]?.seconds ?? 0) : seconds) * 1000
    return { label: `${isLast ? '>' : '≤'} ${bound.toLocaleString(locale)} ms`, value: count }
  })
}

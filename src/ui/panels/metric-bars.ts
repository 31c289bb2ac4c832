import { bucketsOf, type Sample, sumBy } from '../data/metrics.ts'

/** Counter of requests, by route and status. */
export const REQUESTS = 'admin_http_requests_total'
/** Histogram of the durations of requests, in seconds. */
export const DURATIONS = 'admin_http_request_duration_seconds'
/** Number of records, by model. */
export const RECORDS = 'admin_records'
/** Number of pending deliveries of webhooks. */
export const OUTBOX = 'admin_webhook_outbox_depth'
/** Start of the server, in seconds since the Unix epoch. */
export const STARTED = 'process_start_time_seconds'
/** Memory of the server, in bytes. */
export const MEMORY = 'process_resident_memory_bytes'

/** Number of models and routes in a chart. */
const SHOWN = 12

/** Requests by status; those that the server failed are marked. */
export const statusBars = (samples: readonly Sample[]): readonly Bar[] =>
  [...sumBy(samples, REQUESTS, 'status')]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([label, value]) => ({ label, value, tone: label.startsWith('5') ? 'bad' : 'plain' }))

/** The highest bars, in falling order. */
export const highestBars = (bars: readonly Bar[]): readonly Bar[] =>
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

/** A bar of a chart. */
export interface Bar {
  readonly label: string
  readonly value: number
  /** `bad` for what should not be. */
  readonly tone?: 'plain' | 'bad'
}

import { queryOptions } from '@tanstack/react-query'
import type { PageSession } from './page-session.ts'

/** Milliseconds between readings while the metrics are shown. */
const INTERVAL_MS = 10_000

/** A value of the metrics with its labels. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Part of a histogram: number of requests that took at most so many seconds, and longer than the bound before. */
export interface Bucket {
  /** Infinity for the last one. */
  readonly seconds: number
  readonly count: number
}

/** Reads Prometheus' text format. Comments and lines of another form are passed over. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', written = '']) => [
      key,
      unescaped(written),
    ])
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }]
  })
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))

/** Adds up the values of a metric by one of its labels. */
export function sumBy(samples: readonly Sample[], name: string, label: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const each of samples) {
    if (each.name !== name) continue
    const key = each.labels[label] ?? ''
    sums.set(key, (sums.get(key) ?? 0) + each.value)
  }
  return sums
}

/** The value of a metric without labels; undefined if it is missing. */
export const singleValue = (samples: readonly Sample[], name: string): number | undefined =>
  samples.find((each) => each.name === name)?.value

/** The buckets of a histogram over all its labels but `le`. Those of the text are cumulative, these are not. */
export function bucketsOf(samples: readonly Sample[], name: string): readonly Bucket[] {
  const cumulative = [...sumBy(samples, `${name}_bucket`, 'le')]
    .map(([bound, count]) => ({ seconds: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), count }))
    .sort((one, other) => one.seconds - other.seconds)
  return cumulative.map(({ seconds, count }, index) => ({ seconds, count: count - (cumulative[index - 1]?.count ?? 0) }))
}

/**
 * Estimates the number of seconds within which a part of the requests were answered, as `histogram_quantile` of Prometheus does: values
 * are taken to be spread evenly within a bucket, and those of the last one to be its lower bound.
 *
 * @param part between 0 and 1
 * @returns undefined without requests
 */
export function quantile(buckets: readonly Bucket[], part: number): number | undefined {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return undefined
  const rank = part * total
  let below = 0
  let lower = 0
  for (const { seconds, count } of buckets) {
    if (below + count >= rank && count > 0) {
      return seconds === Number.POSITIVE_INFINITY ? lower : lower + (seconds - lower) * ((rank - below) / count)
    }
    below += count
    lower = seconds
  }
  return lower
}

/** The query of the metrics of the server, read again while they are shown. */
export const metricsQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['metrics'],
    queryFn: ({ signal }) => session.read(signal, (client) => client.metrics({ signal })),
    select: parseMetrics,
    refetchInterval: INTERVAL_MS,
  })

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

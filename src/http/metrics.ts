import type { FileTotal } from '../files/file-figures.ts'
import type { ImageFigures } from '../images/image-processes.ts'
import type { StoreStatus } from '../store/store.ts'
import type { DatabaseFigures, StoreFigures } from '../store/store-figures.ts'
import { type HeapUse, isNearlyFull } from '../util/heap.ts'
import { BUCKETS_MS, type RouteTraffic } from './traffic.ts'

/** The counters and states that the metrics are made from. */
interface Figures {
  readonly routes: readonly RouteTraffic[]
  readonly store: StoreStatus
  readonly engine: StoreFigures
  /** Models whose records are counted. */
  readonly models: readonly string[]
  /** Number of requests rejected by each rate limit. */
  readonly rejections: Readonly<Record<string, number>>
  /** Number of rejected promises that nothing awaited. */
  readonly unhandled: number
  /** Number of pending webhook deliveries. */
  readonly outboxDepth: number
  /** Files by model; empty for a project without fields of files. */
  readonly files: readonly FileTotal[]
  /** The image processes; undefined for a project without fields of files. */
  readonly images: ImageFigures | undefined
}

/** All metrics of `/metrics`. Labels are names of routes, models and limits, never client input. */
export const metricsOf = ({
  routes,
  store,
  engine,
  models,
  rejections,
  unhandled,
  outboxDepth,
  files,
  images,
}: Figures): Metric[] => [
  counter('admin_http_requests_total', 'Requests answered, by route and status.', routes.flatMap(statuses)),
  {
    name: 'admin_http_request_duration_seconds',
    help: 'How long requests took until they were answered whole, by route.',
    type: 'histogram',
    samples: routes.flatMap(latencies),
  },
  counter('admin_rate_limit_rejections_total', 'Requests refused by a rate limit.', byLabel('limit', Object.entries(rejections))),
  counter('admin_unhandled_rejections_total', 'Rejected promises of project code that nothing awaited.', single(unhandled)),
  gauge(
    'admin_records',
    'Records stored, by model.',
    byLabel(
      'model',
      models.map((key) => [key, store.records.get(key) ?? 0]),
    ),
  ),
  ...(engine.database === undefined
    ? [gauge('admin_journal_bytes', 'Length of the journal that is being written.', single(store.journalBytes))]
    : ofDatabase(engine.database)),
  ...(engine.heap === undefined ? [] : ofHeap(engine.heap)),
  gauge('admin_store_writable', '1 while records can be created and changed, else 0.', single(isWritable(store, engine) ? 1 : 0)),
  gauge('admin_webhook_outbox_depth', 'Deliveries of webhooks that are pending.', single(outboxDepth)),
  ...(files.length === 0 ? [] : ofFiles(files)),
  ...(images === undefined ? [] : ofImages(images)),
  ...ofProcess(),
]

const isWritable = ({ takesWrites }: StoreStatus, { heap }: StoreFigures): boolean =>
  takesWrites && !(heap !== undefined && isNearlyFull(heap))

const ofHeap = ({ used, limit }: HeapUse): Metric[] => [
  gauge('admin_heap_used_bytes', 'Heap that was in use after the last full collection of garbage.', single(used)),
  gauge('admin_heap_limit_bytes', 'Heap that the process may use. Writes are refused from 85 % of it.', single(limit)),
]

const ofFiles = (files: readonly FileTotal[]): Metric[] => {
  const byModel = (figureOf: (total: FileTotal) => number) =>
    byLabel(
      'model',
      files.map((total) => [total.model, figureOf(total)]),
    )
  return [
    gauge(
      'admin_files',
      'Files of records and pending uploads, by model.',
      byModel((total) => total.files),
    ),
    gauge(
      'admin_file_bytes',
      'Sizes of files of records and of pending uploads, by model.',
      byModel((total) => total.bytes),
    ),
  ]
}

const ofImages = ({ waiting, running, processes, jobs, forks, kills }: ImageFigures): Metric[] => [
  gauge('admin_image_jobs_waiting', 'Uploads and thumbnails that wait for an image process.', single(waiting)),
  gauge('admin_image_jobs_running', 'Uploads and thumbnails in image processes.', single(running)),
  gauge('admin_image_processes', 'Image processes that run.', single(processes)),
  counter('admin_image_jobs_total', 'Uploads that were examined and thumbnails that were made, failures included.', single(jobs)),
  counter('admin_image_processes_started_total', 'Image processes that were started.', single(forks)),
  counter('admin_image_processes_killed_total', 'Image processes that were ended since their job took too long.', single(kills)),
]

function ofDatabase({ pool, statements, retries }: DatabaseFigures): Metric[] {
  const { boundsMs, buckets, totalMs } = statements
  return [
    gauge('admin_database_connections', 'Open connections of this process to the database.', single(pool.size)),
    gauge('admin_database_connections_used', 'Connections that run a statement or a transaction.', single(pool.used)),
    gauge('admin_database_waiting', 'Statements that wait for a connection.', single(pool.waiting)),
    {
      name: 'admin_database_statement_duration_seconds',
      help: 'How long statements took, waiting for a connection excluded.',
      type: 'histogram',
      samples: histogram(boundsMs, buckets, totalMs, {}),
    },
    counter('admin_database_retries_total', 'Repetitions after a deadlock or a serialization failure.', single(retries)),
  ]
}

/** Under the names that Prometheus client libraries use. */
function ofProcess(): Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    counter('process_cpu_seconds_total', 'CPU time spent.', single((user + system) / 1e6)),
    gauge('process_resident_memory_bytes', 'Resident memory.', single(rss)),
    gauge('process_start_time_seconds', 'When the process began, since the Unix epoch.', single(performance.timeOrigin / 1000)),
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', single(heapUsed)),
  ]
}

function statuses({ method, route, byStatus }: RouteTraffic): Sample[] {
  return [...byStatus].flatMap((value, status) =>
    value === 0 ? [] : [{ labels: { method, route, status: String(status) }, value }],
  )
}

const latencies = ({ method, route, byLatency, totalMs }: RouteTraffic): Sample[] =>
  histogram(BUCKETS_MS, [...byLatency], totalMs, { method, route })

/** Buckets are cumulative: each includes those below it. */
function histogram(
  boundsMs: readonly number[],
  counts: readonly number[],
  totalMs: number,
  labels: Readonly<Record<string, string>>,
): Sample[] {
  let count = 0
  const buckets = counts.map((value, index): Sample => {
    count += value
    const bound = boundsMs[index]
    const le = bound === undefined ? '+Inf' : String(bound / 1000)
    return { suffix: '_bucket', labels: { ...labels, le }, value: count }
  })
  return [...buckets, { suffix: '_sum', labels, value: totalMs / 1000 }, { suffix: '_count', labels, value: count }]
}

const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({ name, help, type: 'counter', samples })
const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({ name, help, type: 'gauge', samples })

const single = (value: number): Sample[] => [{ value }]

const byLabel = (label: string, values: readonly (readonly [string, number])[]): Sample[] =>
  values.map(([name, value]) => ({ labels: { [label]: name }, value }))

/** One value; `suffix` names the parts of a histogram. */
interface Sample {
  readonly suffix?: '_bucket' | '_sum' | '_count'
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Samples of one metric, in the base units of Prometheus: seconds and bytes. */
interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Formats metrics in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export const exposition = (metrics: readonly Metric[]): string => metrics.map(block).join('')

function block({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelSet(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function labelSet(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

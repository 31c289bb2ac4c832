import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Page } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'

export const JOB_STATUSES = ['waiting', 'running', 'done', 'failed'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** A job that waits, runs, or is over. */
export interface QueuedJob {
  readonly id: number
  readonly name: string
  readonly status: JobStatus
  readonly input: unknown
  /** While a job with it waits, none is stored again. */
  readonly key: string | null
  /** Number of the present or the last attempt; 0 before the first. */
  readonly attempt: number
  /** Why the last attempt failed. */
  readonly error: string | null
  readonly enqueued_at: string
  /** When a waiting job is due. */
  readonly run_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** Selects jobs; undefined for all. */
interface JobPlan {
  readonly status: JobStatus | undefined
  readonly name: string | undefined
  readonly page: number
}

const PAGE_SIZE = 20
/** The list is read again after these times, in milliseconds: while jobs of the page are not over, and otherwise, since schedules add jobs. */
const BUSY_MS = 3000
const IDLE_MS = 15_000

/** The query of a page of the jobs, the latest first; for superusers of projects with jobs. */
export const jobsQuery = (session: PageSession, { status, name, page }: JobPlan) =>
  queryOptions({
    queryKey: ['jobs', status, name, page],
    queryFn: async ({ signal }) => {
      const wanted = { status, name, page, page_size: PAGE_SIZE }
      const query = Object.entries(wanted)
      return (await session.read(signal, (client) => client.request('/jobs', { query, signal }))) as Page<QueuedJob>
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((job) => !isOver(job)) ? BUSY_MS : IDLE_MS),
  })

/** Reads the jobs again. */
export const refreshJobs = (queries: QueryClient): Promise<void> => queries.invalidateQueries({ queryKey: ['jobs'] })

/** True if a job runs no more, unless it is repeated. */
const isOver = ({ status }: QueuedJob): boolean => status === 'done' || status === 'failed'

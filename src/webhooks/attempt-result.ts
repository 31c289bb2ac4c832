import type { Endpoint } from './endpoint.ts'
import type { Result } from './outbox.ts'
import type { Job } from './queue.ts'
import { retryAfter, type Schedule } from './schedule.ts'
import type { Answer } from './sender.ts'

/** Status that disables the receiver. */
export const GONE = 410
/** Statuses whose `Retry-After` is honoured. */
const BUSY: ReadonlySet<number | undefined> = new Set([429, 503])

/** A finished attempt. Times in milliseconds since the Unix epoch. */
export interface FinishedAttempt {
  readonly endpoint: Endpoint
  readonly job: Job
  /** Start of the attempt. */
  readonly at: number
  readonly now: number
  readonly schedule: Schedule
}

/**
 * Interprets a response: 2xx is delivered, 410 is failed for good, everything else is retried. Updates the endpoint's backoff.
 */
export function resultOf(
  { status, took, reason, text, ...answer }: Answer,
  { endpoint, job, at, now, schedule }: FinishedAttempt,
): Result {
  const result = { receiver: endpoint.id, event: job.event, attempt: { at, status, took, reason, text } }
  if (status !== undefined && status >= 200 && status < 300) {
    endpoint.succeed()
    return { ...result, status: 'delivered', tries: job.tries, due: undefined }
  }
  const tries = job.tries + 1
  const asked = BUSY.has(status) ? retryAfter(answer.retryAfter, now) : undefined
  const wait = status === GONE ? undefined : schedule.waitAfter(tries, asked)
  endpoint.fail(now, schedule.shortest)
  if (asked !== undefined) endpoint.rest(now + schedule.restAfter(asked))
  if (wait === undefined) return { ...result, status: 'failed', tries, due: undefined }
  endpoint.queue.wait({ event: job.event, tries, due: now + wait })
  return { ...result, status: 'pending', tries, due: now + wait }
}

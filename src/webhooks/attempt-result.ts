import type { AttemptResult } from './outbox.ts'
import type { SendResult } from './requests/sender.ts'
import type { Endpoint } from './scheduling/endpoint.ts'
import type { Job } from './scheduling/queue.ts'
import { parseRetryAfter, type RetrySchedule } from './scheduling/retry-schedule.ts'

/** Status 410 Gone: disables the receiver. */
export const GONE = 410
/** Statuses whose `Retry-After` is honoured. */
const BUSY: ReadonlySet<number | undefined> = new Set([429, 503])

/** True for a 2xx status. */
export const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300

/** A finished attempt. Times in milliseconds since the Unix epoch. */
export interface FinishedAttempt {
  readonly endpoint: Endpoint
  readonly job: Job
  /** Start of the attempt. */
  readonly at: number
  /** End of the attempt. */
  readonly now: number
  readonly schedule: RetrySchedule
}

/**
 * The result of an attempt: `delivered` for 2xx, `failed` for 410 and after the last retry, otherwise `pending`. Updates the
 * endpoint's backoff and queues the retry.
 */
export function resultOf(
  { status, took, reason, text, retryAfter }: SendResult,
  { endpoint, job, at, now, schedule }: FinishedAttempt,
): AttemptResult {
  const result = { receiver: endpoint.id, event: job.event, attempt: { at, status, took, reason, text } }
  if (isSuccess(status)) {
    endpoint.recordSuccess()
    return { ...result, status: 'delivered', tries: job.tries, due: undefined }
  }
  const tries = job.tries + 1
  const requestedDelay = BUSY.has(status) ? parseRetryAfter(retryAfter, now) : undefined
  const delay = status === GONE ? undefined : schedule.delayAfter(tries, requestedDelay)
  endpoint.recordFailure(now, schedule.maxBackoff)
  if (requestedDelay !== undefined) endpoint.pauseUntil(now + schedule.clampRetryAfter(requestedDelay))
  if (delay === undefined) return { ...result, status: 'failed', tries, due: undefined }
  endpoint.queue.addRetry({ event: job.event, tries, due: now + delay })
  return { ...result, status: 'pending', tries, due: now + delay }
}

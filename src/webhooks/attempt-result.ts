import type { Endpoint } from './endpoint.ts'
import type { AttemptResult } from './outbox.ts'
import type { Job } from './queue.ts'
import { parseRetryAfter, type RetrySchedule } from './retry-schedule.ts'
import type { SendResult } from './sender.ts'

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
  readonly schedule: RetrySchedule
}

/**
 * Interprets a response: 2xx is delivered, 410 is failed for good, everything else is retried. Updates the endpoint's backoff.
 */
export function attemptResult(
  { status, took, reason, text, ...answer }: SendResult,
  { endpoint, job, at, now, schedule }: FinishedAttempt,
): AttemptResult {
  const result = { receiver: endpoint.id, event: job.event, attempt: { at, status, took, reason, text } }
  if (status !== undefined && status >= 200 && status < 300) {
    endpoint.recordSuccess()
    return { ...result, status: 'delivered', tries: job.tries, due: undefined }
  }
  const tries = job.tries + 1
  const requestedDelay = BUSY.has(status) ? parseRetryAfter(answer.retryAfter, now) : undefined
  const wait = status === GONE ? undefined : schedule.delayAfter(tries, requestedDelay)
  endpoint.recordFailure(now, schedule.maxBackoff)
  if (requestedDelay !== undefined) endpoint.pauseUntil(now + schedule.clampRetryAfter(requestedDelay))
  if (wait === undefined) return { ...result, status: 'failed', tries, due: undefined }
  endpoint.queue.addRetry({ event: job.event, tries, due: now + wait })
  return { ...result, status: 'pending', tries, due: now + wait }
}

import type { Log } from '../log/log.ts'
import type { Lane } from '../queue/lane.ts'
import type { Attempt, AttemptResult, DueDelivery } from './outbox.ts'
import { parseRetryAfter, type RetrySchedule } from './retries.ts'
import type { SendResult } from './sender.ts'
import type { Receiver } from './subscriptions.ts'

/** Status 410 Gone: disables the receiver. */
export const GONE = 410
/** Statuses whose `Retry-After` is honoured. */
const BUSY: ReadonlySet<number | undefined> = new Set([429, 503])

/** True for a 2xx status. */
export const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300

/** A finished attempt. Times in milliseconds since the Unix epoch. */
interface FinishedAttempt {
  readonly lane: Lane<DueDelivery>
  readonly row: DueDelivery
  /** Start of the attempt. */
  readonly at: number
  /** End of the attempt. */
  readonly now: number
  readonly schedule: RetrySchedule
}

/**
 * The result of an attempt: `delivered` for 2xx, `failed` for 410 and after the last retry, otherwise `pending`. Updates the
 * backoff of the receiver.
 */
export function resultOf(
  { status, took, reason, text, retryAfter }: SendResult,
  { lane, row, at, now, schedule }: FinishedAttempt,
): AttemptResult {
  const result = { receiver: lane.id, event: row.id, attempt: { at, status, took, reason, text } }
  if (isSuccess(status)) {
    lane.recordSuccess()
    return { ...result, status: 'delivered', tries: row.tries, due: undefined }
  }
  const tries = row.tries + 1
  const requestedDelay = BUSY.has(status) ? parseRetryAfter(retryAfter, now) : undefined
  const delay = status === GONE ? undefined : schedule.delayAfter(tries, requestedDelay)
  lane.recordFailure(now, schedule.maxBackoff)
  if (requestedDelay !== undefined) lane.pauseUntil(now + schedule.clampRetryAfter(requestedDelay))
  if (delay === undefined) return { ...result, status: 'failed', tries, due: undefined }
  return { ...result, status: 'pending', tries, due: now + delay }
}

/** Why a receiver is disabled: it answered 410 Gone, or it has failed for five days. */
export type DisableReason = 'gone' | 'failing'

const DISABLE_REASONS: Readonly<Record<DisableReason, string>> = {
  gone: 'answered 410 Gone',
  failing: 'has failed for five days',
}

/** Writes log messages about receivers. They name only the host, since knowing the whole URL may be enough to call it. */
export class WebhookLogger {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  attempt(receiver: Receiver, message: string, { status, attempt }: AttemptResult): void {
    this.#log.debug('Webhook attempt', {
      ...receiverFields(receiver),
      message_id: message,
      result: status,
      ...attemptFields(attempt),
    })
  }

  /**
   * Logs the outcome of an attempt.
   *
   * @param failures number of consecutive failures including this one
   */
  outcome(receiver: Receiver, { status, attempt }: AttemptResult, failures: number): void {
    const name = receiverFields(receiver)
    const failed = { ...name, ...attemptFields(attempt) }
    if (status === 'delivered') {
      if (receiver.health.failingSince !== undefined) this.#log.info('A webhook receiver has recovered', name)
      return
    }
    if (failures === 1) this.#log.warn('A webhook attempt failed; it is retried', failed)
    if (status === 'failed' && attempt.status !== GONE) this.#log.warn('A webhook delivery failed; no attempt is left', failed)
  }

  disabled(receiver: Receiver, reason: DisableReason): void {
    const message = `A webhook was disabled: its receiver ${DISABLE_REASONS[reason]}`
    this.#log.warn(message, { event: 'webhook_disabled', ...receiverFields(receiver) })
  }

  error(webhook: number, error: unknown): void {
    this.#log.error('A webhook could not be delivered', { webhook_id: webhook, error })
  }
}

const receiverFields = ({ id, url }: Receiver): { webhook_id: number; host: string } => ({
  webhook_id: id,
  host: new URL(url).host,
})

const attemptFields = ({ status, reason, took }: Attempt) => ({
  ms: took,
  ...(status === undefined ? {} : { status }),
  ...(reason === undefined ? {} : { reason }),
})

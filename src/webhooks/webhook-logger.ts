import type { Log } from '../log/log.ts'
import { GONE } from './attempt-result.ts'
import type { Attempt, AttemptResult, DisableReason, Receiver } from './outbox.ts'

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

import type { ReceiverHealth } from './health.ts'
import type { Message } from './messages.ts'
import type { ScheduledJob } from './queue.ts'

/** The destination of a subscription's messages. Read for each attempt, so that a change applies to pending deliveries too. */
export interface Receiver {
  readonly id: number
  readonly url: string
  /** The present secret, followed by the previous one while that is valid. */
  readonly secrets: readonly [string, ...string[]]
  readonly health: ReceiverHealth
}

/** One delivery attempt, for the log. */
export interface Attempt {
  /** Start of the attempt, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly status: number | undefined
  /** Duration in milliseconds. */
  readonly took: number
  readonly reason: string | undefined
  /** Beginning of the response body. */
  readonly text: string
}

/** Result of an attempt, and the state of the delivery after it. */
export interface AttemptResult {
  readonly receiver: number
  readonly event: number
  readonly attempt: Attempt
  readonly status: 'delivered' | 'failed' | 'pending'
  /** Number of failed attempts since the message was sent, or sent again. */
  readonly tries: number
  /** Time of the next attempt, if the delivery is still pending. */
  readonly due: number | undefined
}

/** Why a receiver is disabled: it answered 410 Gone, or it has failed for five days. */
export type DisableReason = 'gone' | 'failing'

/** The storage that the worker needs. `StoredOutbox` implements it. */
export interface Outbox {
  /** The message of an event; undefined if the event no longer exists. */
  message(event: number): Promise<Message | undefined>
  /** Undefined if the subscription is not active or does not exist. */
  receiver(id: number): Receiver | undefined
  /** The pending deliveries of a receiver, oldest first. `due` is 0 for those not attempted yet. */
  pendingJobs(receiver: number): Promise<readonly ScheduledJob[]>
  /** Stores results of attempts. Results that are not pending settle their delivery. */
  store(results: readonly AttemptResult[]): Promise<void>
  /** Disables the subscription of a receiver. */
  disable(receiver: number, reason: DisableReason): Promise<void>
}

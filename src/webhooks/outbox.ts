import type { Health } from './health.ts'
import type { Message } from './message.ts'
import type { Waiting } from './queue.ts'

/** A subscription as its receiver is called: always the present one, so that a change counts for what is pending too. */
export interface Receiver {
  readonly id: number
  readonly url: string
  /** The present secret, and behind it the one before as long as that is good. */
  readonly secrets: readonly [string, ...string[]]
  readonly health: Health
}

/** One attempt, for the log. */
export interface Attempt {
  /** When it began, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly status: number | undefined
  /** In milliseconds. */
  readonly took: number
  readonly reason: string | undefined
  /** The beginning of what the receiver answered. */
  readonly text: string
}

/** What came of an attempt. */
export interface Result {
  readonly receiver: number
  readonly event: number
  readonly attempt: Attempt
  readonly status: 'delivered' | 'failed' | 'pending'
  /** How many attempts have failed since it was sent, or sent again. */
  readonly tries: number
  /** When the next attempt is due, for what is pending. */
  readonly due: number | undefined
}

export type DisableReason = 'gone' | 'failing'

/** What delivering needs of whoever keeps events and subscriptions. */
export interface Outbox {
  /** The message of an event; undefined when there is none any more. */
  message(event: number): Promise<Message | undefined>
  /** Undefined when a subscription is not active, or not there. */
  receiver(id: number): Receiver | undefined
  /** Everything that a receiver has yet to be told, oldest first. `due` is 0 for what was not tried yet. */
  waiting(receiver: number): Promise<readonly Waiting[]>
  /** Keeps what came of attempts; what is not pending any more is settled by it. */
  keep(results: readonly Result[]): Promise<void>
  /** Tells a receiver nothing any more. */
  disable(receiver: number, reason: DisableReason): Promise<void>
}

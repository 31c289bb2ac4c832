import type { Change, EventRequest } from '../store/store.ts'

/** Decides which changes become webhook events, and delivers events after the commit. */
export interface EventPublisher {
  /** True if a subscription receives changes of the table. */
  isSubscribed(table: string): boolean
  /** The events that the next transaction stores; undefined if there is no subscription. */
  eventRequest(): EventRequest | undefined
  /** Called after the commit of a transaction with an event request. */
  committed(changes: readonly Change[]): void
}

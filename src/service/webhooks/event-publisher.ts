import type { Change, EventRequest } from '../../store/store.ts'

/** Knows who wants to be told of which changes, and sees to it once they are committed. */
export interface EventPublisher {
  /** True when somebody wants to be told of changes to a table. */
  isSubscribed(table: string): boolean
  /** What a transaction is to leave behind; undefined when nobody wants to be told of anything. */
  eventRequest(): EventRequest | undefined
  /** Told what was committed by such an order. */
  committed(changes: readonly Change[]): void
}

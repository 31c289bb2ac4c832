/** The tables of a delivery, by the keys of their models. */
export interface OutboxTables {
  /** The events. Their field `pending` names subscriptions. */
  readonly events: string
  readonly subscriptions: string
}

/** What a process asks of the leases: those that it holds, and those that it would take. */
export interface LeaseRequest {
  /** The receivers that this process holds, each with an event id after which it may not know all events. */
  readonly held: readonly { readonly receiver: number; readonly after: number }[]
  /** The other receivers. A lease of one is taken if it is free and events are pending. */
  readonly others: readonly number[]
}

/** The leases of this process, and what is new for them. */
export interface LeaseAnswer {
  /** The leases that this process had and still has, extended. */
  readonly held: ReadonlyMap<number, HeldLease>
  /** The receivers whose leases this process has taken now, with their `wakes`. */
  readonly taken: ReadonlyMap<number, number>
  /** The receivers that no process has a lease of. */
  readonly free: ReadonlySet<number>
  /** Changes when a process changes a subscription. */
  readonly subscriptionsVersion: string
  /** Changes when a transaction has stored many events, whose ids it may have taken long before. */
  readonly lateEvents: string
}

/** A lease that was extended. */
export interface HeldLease {
  /** Changes when another process asks the holder to read the pending events again. */
  readonly wakes: number
  /** Ids of pending events after the one that was named, in ascending order; the first thousands of them. */
  readonly events: readonly number[]
}

/**
 * Leases by which the processes that share a store divide the receivers of events. A receiver has one holder at most. A lease ends
 * `durationMs` after it was last extended, by the clock of the database.
 */
export interface ReceiverLeases {
  /** Duration of a lease from the moment that it is taken or extended, in milliseconds. */
  readonly durationMs: number
  /** Extends the leases of this process, and takes free ones of receivers with pending events. */
  exchange(request: LeaseRequest): Promise<LeaseAnswer>
  /** Gives leases back. */
  release(receivers: readonly number[]): Promise<void>
  /** Asks the holder of a lease to read the pending events again. Does nothing if there is no holder. */
  wake(receiver: number): Promise<void>
}

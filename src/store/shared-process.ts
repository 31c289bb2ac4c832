import type { Change } from './store.ts'

/** Changes of one transaction of another process. */
interface LoggedChanges {
  /** Time of the changes, in milliseconds. */
  readonly at: number
  /** The changes of public tables, without secret fields; undefined if they are too many to be told of. */
  readonly changes: readonly Change[] | undefined
}

/** What a reader of the log has missed so far. */
export interface LogRead {
  /** In the order of commits, as far as transactions depend on each other. */
  readonly transactions: readonly LoggedChanges[]
  /** The place from which to read the next time. */
  readonly position: string
}

/**
 * The changes that other processes make in a shared store. They are logged in the transactions that make them, and only while a process
 * reads the log.
 */
export interface ChangeLog {
  /** A process writes to the log at the latest this long after another one has announced that it reads it. In milliseconds. */
  readonly noticeMs: number
  /** Announces that this process reads the log: for about a minute, which each read extends. */
  announce(): Promise<void>
  /** The place at which the log ends now. */
  end(): Promise<string>
  /**
   * Reads what was committed since a place of the log, each change once.
   *
   * @returns undefined if this process is no longer announced, so that changes may be missing
   */
  read(position: string): Promise<LogRead | undefined>
  /**
   * Calls a function soon after another process has written to the log. It may be called without need, and not be called, so the log is read
   * regularly too.
   *
   * @returns a function that ends the calls
   */
  listen(heard: () => void): () => void
  /** Ends the announcement. */
  withdraw(): Promise<void>
}

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

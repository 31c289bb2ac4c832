import type { Change, ChangeListener } from './store.ts'

/** Reports a listener that failed. */
export type ReportFailure = (message: string, fields: { readonly error: unknown }) => void

/** The listeners of the changes of a store. The changes are committed, so a listener that fails is reported, and fails no write. */
export class ChangeListeners {
  readonly #listeners: { readonly onChange: ChangeListener; readonly onUnknown: () => void }[] = []
  readonly #report: ReportFailure

  constructor(report: ReportFailure = () => {}) {
    this.#report = report
  }

  /** @param onUnknown called after changes that are not told */
  add(onChange: ChangeListener, onUnknown: () => void = () => {}): void {
    this.#listeners.push({ onChange, onUnknown })
  }

  tell(changes: readonly Change[]): void {
    for (const { onChange } of this.#listeners) this.#unlessFailing(() => onChange(changes))
  }

  /** Reports that records were changed, and not which. */
  tellUnknown(): void {
    for (const { onUnknown } of this.#listeners) this.#unlessFailing(onUnknown)
  }

  #unlessFailing(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#report('A listener of committed changes failed', { error })
    }
  }
}

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

/**
 * Leases by which the processes that share a store divide the receivers of events. A receiver has one holder at most. A lease ends
 * `durationMs` after it was last claimed, by the clock of the database.
 */
export interface ReceiverLeases {
  /** Duration of a lease from the moment that it is claimed, in milliseconds. */
  readonly durationMs: number
  /** Takes the leases that are free, and extends those of this process. Returns both. */
  claim(receivers: readonly number[]): Promise<ReadonlySet<number>>
  /** Gives leases of this process back. */
  release(receivers: readonly number[]): Promise<void>
}

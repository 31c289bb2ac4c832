import type { DueRow, Lane } from './lane.ts'

/** What may be worked on now. */
export interface TakenRows<Row> {
  readonly rows: readonly Row[]
  /** True if more may be due: beyond the limit, or held back by a row in progress. */
  readonly hasMore: boolean
}

/** A kind of rows in the store that are due at some time. `Result` is what an attempt leads to. */
export interface QueueTable<Row extends DueRow, Result> {
  /** True if a row of any of the lanes may be due. */
  hasDue(lanes: readonly number[]): Promise<boolean>
  /**
   * The rows of a lane that may be worked on now, each with another key.
   *
   * @param inProgress the keys of the rows in progress, by id. None of these keys may be taken
   */
  take(lane: number, limit: number, inProgress: ReadonlyMap<number, string>): Promise<TakenRows<Row>>
  /** Stores the result of an attempt: the row is done, or due again. */
  store(result: Result): Promise<void>
}

/** What is done with the rows. */
export interface QueueWork<Row extends DueRow, Result> {
  /** The rows in messages of the log, such as `webhook deliveries`. */
  readonly name: string
  /** Maximum number of attempts of a lane at the same time. */
  readonly concurrency: number
  /** Maximum duration of an attempt, in milliseconds. */
  readonly attemptMs: number
  /** The lanes whose rows are worked on now. */
  lanes(): Iterable<Pick<Lane<Row>, 'id' | 'target'>>
  /** Takes over lanes that other processes have changed. */
  follow(): Promise<void>
  /** Works on a row. Undefined if the attempt has no result, so that the row is due as before. */
  attempt(lane: Lane<Row>, row: Row): Promise<Result | undefined>
  /**
   * Called once a result is stored.
   *
   * @param isCurrent false if the lane was started anew after the attempt began
   */
  stored(lane: Lane<Row>, result: Result, isCurrent: boolean): Promise<void>
  /** Reports an error of `attempt` or `stored`. */
  failed(lane: Lane<Row>, error: unknown): void
  /** Aborts the attempts in progress. They have no result. */
  abort(): void
}

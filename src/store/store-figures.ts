import type { HeapUse } from '../util/heap.ts'

/** Values of an engine for `/metrics`. */
export interface StoreFigures {
  /** Undefined for an engine in this process, which has a journal instead. */
  readonly database?: DatabaseFigures
  /** The heap that the records are in; undefined for an engine in another process. */
  readonly heap?: HeapUse | undefined
}

/** Use of a database by this process. */
export interface DatabaseFigures {
  readonly pool: {
    /** Open connections. */
    readonly size: number
    /** Connections that run a statement or a transaction. */
    readonly used: number
    /** Requests that wait for a connection. */
    readonly waiting: number
  }
  /** Latencies of statements; `buckets[i]` counts latencies of at most `boundsMs[i]`, and the last bucket all longer ones. */
  readonly statements: {
    readonly boundsMs: readonly number[]
    readonly buckets: readonly number[]
    readonly totalMs: number
  }
  /** Statements and transactions that were run again after a deadlock or a serialization failure. */
  readonly retries: number
}

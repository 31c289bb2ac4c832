import type { Database } from '../connection/database.ts'
import type { Sql } from '../sql.ts'

/** Removes what a table does not need any more, at most once in an interval. A failure is left to the next time. */
export class Pruning {
  readonly #database: Database
  readonly #interval: number
  #last = performance.now()

  /** @param interval in milliseconds */
  constructor(database: Database, interval: number) {
    this.#database = database
    this.#interval = interval
  }

  /** Executes the statement if it is time to. */
  run(statement: () => Sql): void {
    const now = performance.now()
    if (now - this.#last < this.#interval) return
    this.#last = now
    this.#database.query(statement()).catch(() => {})
  }
}

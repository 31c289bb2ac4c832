import type { Change } from '../../store.ts'
import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { sql } from '../sql.ts'

/** Number of new records of a table after which its statistics are looked at, and the number of rows that they must have at least. */
const MANY = 1000

/**
 * Analyzes tables that grow. A connection plans the check of a foreign key once, by the statistics of the referenced table at that moment.
 * If that was empty when it was last vacuumed, the plan reads the whole table for each check until its statistics change: autovacuum would
 * look at them a minute later.
 */
export class GrowingTables {
  readonly #database: Database
  readonly #layout: Layout
  /** Number of records of each table that were created since its statistics were looked at. */
  readonly #created = new Map<string, number>()

  constructor(database: Database, layout: Layout) {
    this.#database = database
    this.#layout = layout
  }

  /**
   * Counts the new records among committed changes.
   *
   * @returns tables with so many new ones that `analyze` should be called
   */
  note(changes: readonly Change[]): ReadonlySet<string> {
    const due = new Set<string>()
    for (const { table, before } of changes) {
      if (before !== undefined) continue
      const created = (this.#created.get(table) ?? 0) + 1
      this.#created.set(table, created % MANY)
      if (created === MANY) due.add(table)
    }
    return due
  }

  /** Analyzes a table if its statistics know too few rows; those of a table that was never vacuumed do no harm. */
  async analyze(key: string): Promise<void> {
    const { schema } = this.#layout
    const { name, table } = this.#layout.of(key)
    const { rows } = await this.#database.query(
      sql`select from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
        where "n"."nspname" = ${schema} and "c"."relname" = ${name} and "c"."reltuples" between 0 and ${MANY - 1}`,
    )
    if (rows.length > 0) await this.#database.query(sql`analyze ${table}`)
  }
}

import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'

/** A schema that a test has to itself. */
export interface TestSchema {
  readonly database: Database
  /** Name of the schema, which does not exist yet. */
  readonly schema: string
  /** Removes the schema with all that is in it. The database stays open for the next test. */
  drop(): Promise<void>
}

let count = 0

/** A name for a schema that no other test of this run has. */
export function newSchema(database: Database): TestSchema {
  const schema = `test_${process.pid}_${++count}`
  const drop = async () => void (await database.query(sql`drop schema if exists ${identifier(schema)} cascade`))
  return { database, schema, drop }
}

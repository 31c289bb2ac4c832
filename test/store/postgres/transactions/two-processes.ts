import type { Registry } from '../../../../src/model/registry.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { applySchema } from '../../../../src/store/postgres/schema/migration.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import type { Store, StoredRecord } from '../../../../src/store/store.ts'
import { newSchema } from '../../../helpers/postgres/schemas.ts'
import { serverAddress } from '../../../helpers/postgres/server.ts'

/** The store of a process, with a pool of its own. */
export interface ProcessStore {
  readonly store: Store
  readonly database: Database
  readonly layout: Layout
}

/** Lends two stores on one database, as in two processes. */
export async function withTwoProcesses(
  registry: Registry,
  body: (one: ProcessStore, other: ProcessStore) => Promise<void>,
): Promise<void> {
  const address = await serverAddress()
  const [database, another] = [new PgDatabase(address), new PgDatabase(address)]
  const own = newSchema(database)
  const layout = new Layout(registry, own.schema)
  try {
    await applySchema(database, layout)
    const processOf = (on: Database): ProcessStore => ({ store: new PostgresStore(on, layout), database: on, layout })
    await body(processOf(database), processOf(another))
  } finally {
    await own.drop()
    await database.close()
    await another.close()
  }
}

/** The records of a table, by id. */
export async function allOf(store: Store, table: string): Promise<readonly StoredRecord[]> {
  return (await store.find(table, { filters: [], sort: [], offset: 0, limit: 100_000 })).records
}

/** Waits until a transaction waits for another one. */
export async function untilBlocked({ database }: ProcessStore): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    if (rows.length > 0) return
  }
}

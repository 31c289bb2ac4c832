import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { applySchema } from './migration.ts'

/** Creates all tables of a layout. The schema is created if it does not exist. */
export async function createSchema(database: Database, layout: Layout): Promise<void> {
  await applySchema(database, layout)
}

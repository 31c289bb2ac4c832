import type { Registry } from '../../../src/model/registry.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { applySchema } from '../../../src/store/postgres/schema/migration.ts'
import type { OpenedStore } from '../store/store-contract.ts'
import { emptySchema, fingerprintOf } from './reused-schemas.ts'
import { newSchema, type TestSchema } from './schemas.ts'

/** Emptied schemas that the next tests with equal models use, by the fingerprint of their tables: to create one takes longer than a test. */
const free = new Map<string, TestSchema[]>()

/** Opens an empty store in a schema that no other test uses meanwhile. */
export async function openPostgresStore(database: Database, registry: Registry): Promise<OpenedStore> {
  const key = fingerprintOf(registry)
  const own = free.get(key)?.pop() ?? (await created(database, registry))
  const layout = new Layout(registry, own.schema)
  const opened = (): OpenedStore => {
    const store = new PostgresStore(database, layout)
    return {
      store,
      reopen: async () => {
        await store.close()
        return opened()
      },
      close: async () => {
        await store.close()
        await emptySchema(database, own.schema)
        free.set(key, [...(free.get(key) ?? []), own])
      },
    }
  }
  return opened()
}

async function created(database: Database, registry: Registry): Promise<TestSchema> {
  const own = newSchema(database)
  await applySchema(database, new Layout(registry, own.schema))
  return own
}

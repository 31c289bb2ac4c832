import type { Registry } from '../../../src/model/registry.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { createSchema } from '../../../src/store/postgres/schema/create-schema.ts'
import { currentFingerprint } from '../../../src/store/postgres/schema/plan.ts'
import { joined, sql } from '../../../src/store/postgres/sql.ts'
import type { OpenedStore } from '../store/store-contract.ts'
import { newSchema, type TestSchema } from './schemas.ts'

/** Emptied schemas that the next tests with equal models use, by the fingerprint of their tables: to create one takes longer than a test. */
const free = new Map<string, TestSchema[]>()

/** Opens an empty store in a schema that no other test uses meanwhile. */
export async function openPostgresStore(database: Database, registry: Registry): Promise<OpenedStore> {
  const key = keyOf(registry)
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
        await emptied(database, layout)
        free.set(key, [...(free.get(key) ?? []), own])
      },
    }
  }
  return opened()
}

/** Removes the schemas of a database when its tests are over. */
export async function dropSchemas(database: Database): Promise<void> {
  for (const schemas of free.values()) for (const own of schemas) if (own.database === database) await own.drop()
  free.clear()
}

const keyOf = (registry: Registry): string => currentFingerprint(new Layout(registry, 'any'), undefined)

async function created(database: Database, registry: Registry): Promise<TestSchema> {
  const own = newSchema(database)
  await createSchema(database, new Layout(registry, own.schema))
  return own
}

/** Empties the tables that were written to, and begins their ids again. */
async function emptied(database: Database, layout: Layout): Promise<void> {
  const counters = layout.system('counters')
  const { rows } = await database.query(sql`select distinct "table_name" from ${counters} where "writes" > 0`)
  const tables = rows.flatMap(([name]) => {
    const { table, links } = layout.of(name ?? '')
    return [table, ...links.map((link) => link.table)]
  })
  if (tables.length === 0) return
  await database.query(sql`truncate ${joined(tables)} restart identity cascade`)
  await database.query(sql`update ${counters} set "records" = 0, "writes" = 0`)
}

import type { Registry } from '../../../src/model/registry.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { readState } from '../../../src/store/postgres/schema/catalog.ts'
import { currentFingerprint } from '../../../src/store/postgres/schema/plan.ts'
import { TRUNCATED } from '../../../src/store/postgres/search/search-tables.ts'
import { identifier, joined, keyword, literal, type Sql, sql } from '../../../src/store/postgres/sql.ts'
import { newSchema, type TestSchema } from './schemas.ts'

/** A schema that no test uses at present: its tables are those of the models with this fingerprint, and they are empty. */
interface FreeSchema extends TestSchema {
  readonly fingerprint: string
}

const free = new Set<FreeSchema>()
let isDroppedAtEnd = false

/**
 * A schema for an application with these models. Its tables may be there already, emptied after another test: to create them takes longer
 * than most tests. `drop` gives the schema to the next test, or removes it if its tables have changed.
 */
export async function takeSchema(database: Database, registry: Registry): Promise<TestSchema> {
  const fingerprint = fingerprintOf(registry)
  const found = [...free].find((each) => each.database === database && each.fingerprint === fingerprint)
  if (found !== undefined) free.delete(found)
  const own = found ?? newSchema(database)
  let isGiven = false
  const drop = async () => {
    // A test that closes its application twice must not take the schema from the next one.
    if (isGiven) return
    isGiven = true
    if (await isUnchanged(database, new Layout(registry, own.schema))) {
      await emptySchema(database, own.schema)
      free.add({ ...own, fingerprint })
      if (!isDroppedAtEnd) process.once('beforeExit', () => void dropFreeSchemas())
      isDroppedAtEnd = true
    } else await own.drop()
  }
  return { ...own, drop }
}

/** Equal for registries with the same tables. */
export const fingerprintOf = (registry: Registry): string => currentFingerprint(new Layout(registry, 'any'), undefined)

/** Removes the schemas that no test uses. */
export async function dropFreeSchemas(): Promise<void> {
  for (const own of free) {
    free.delete(own)
    await own.drop()
  }
}

/** False if there are no tables, or those of other models. */
async function isUnchanged(database: Database, layout: Layout): Promise<boolean> {
  const { rows } = await database.query(sql`select to_regclass(${`"${layout.schema}"."_admin_definitions"`}) is not null`)
  if (rows[0]?.[0] !== 't') return false
  return (await readState(database, layout))?.fingerprint === currentFingerprint(layout, undefined)
}

/** What empties each schema. The catalogs have the tables of all schemas, so to look them up takes longer than to empty them. */
const emptying = new Map<string, Promise<Sql>>()

/**
 * Empties the tables, and begins their ids again. What the store knows of its tables and words stays; it notes that the tables were
 * emptied, as it does when another program truncates them. To truncate the tables takes twice as long, since each gets new files.
 */
export async function emptySchema(database: Database, schema: string): Promise<void> {
  const statement = emptying.get(schema) ?? statementToEmpty(database, schema)
  emptying.set(schema, statement)
  await database.query(await statement)
}

async function statementToEmpty(database: Database, schema: string): Promise<Sql> {
  const { rows } = await database.query(sql`
    select format('delete from %I.%I', ${schema}::text, relname) from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = ${schema}) and relkind = 'r'
        and relname not in ('_admin_definitions', '_admin_migrations', '_admin_counters') and not starts_with(relname, '_admin_search')
    union all
    select format('perform setval(%L, %s, false)', format('%I.%I', ${schema}::text, sequencename), start_value)
      from pg_sequences where schemaname = ${schema} and not starts_with(sequencename, '_admin_search')`)
  const own = identifier(schema)
  const steps = [
    // Triggers would note each removal.
    sql`perform set_config('session_replication_role', 'replica', true) from pg_roles where rolname = current_user and rolsuper`,
    ...rows.map(([step]) => keyword(String(step))),
    sql`delete from ${own}._admin_search_changes`,
    sql`insert into ${own}._admin_search_changes (number, id) select number, ${literal(TRUNCATED)} from ${own}._admin_search`,
    sql`update ${own}._admin_counters set records = 0, writes = 0 where records <> 0 or writes <> 0`,
  ]
  return sql`do $block$ begin ${joined(steps, '; ')}; end $block$`
}

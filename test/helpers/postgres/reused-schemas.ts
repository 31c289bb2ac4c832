import type { Registry } from '../../../src/model/registry.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { currentFingerprint } from '../../../src/store/postgres/schema/plan/plan.ts'
import { readState } from '../../../src/store/postgres/schema/recorded.ts'
import { TRUNCATED } from '../../../src/store/postgres/search/search-tables.ts'
import { literal, sql } from '../../../src/store/postgres/sql.ts'
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
      if (!isDroppedAtEnd) process.once('beforeExit', () => void dropFree())
      isDroppedAtEnd = true
    } else await own.drop()
  }
  return { ...own, drop }
}

/** Equal for registries with the same tables. */
export const fingerprintOf = (registry: Registry): string => currentFingerprint(new Layout(registry, 'any'), undefined)

/** Removes the schemas that no test uses. */
async function dropFree(): Promise<void> {
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

/**
 * Empties the tables that have been written to, and begins their ids again. What the store knows of its tables and words stays; it notes
 * that the tables were emptied, as it does when another program truncates them. To truncate the tables takes twice as long, since each
 * gets new files.
 */
export async function emptySchema(database: Database, schema: string): Promise<void> {
  await database.query(sql`do $block$
    declare
      own record;
    begin
      for own in select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
        where nspname = ${literal(schema)} and relkind = 'r' and pg_relation_size(pg_class.oid) > 0
          and relname not in ('_admin_definitions', '_admin_counters') and not starts_with(relname, '_admin_search')
      loop execute 'delete from ' || own.name; end loop;
      perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences
        where schemaname = ${literal(schema)} and not starts_with(sequencename, '_admin_search') and last_value is not null;
      execute format('delete from %1$I._admin_search_changes', ${literal(schema)});
      execute format('insert into %1$I._admin_search_changes (number, id) select number, ${literal(TRUNCATED)} from %1$I._admin_search', ${literal(schema)});
      execute format('update %I._admin_counters set records = 0, writes = 0 where records <> 0 or writes <> 0', ${literal(schema)});
    end $block$`)
}

import type { Connection } from '../connection/database.ts'
import type { Trigrams } from '../layout/definitions.ts'
import { type Sql, sql } from '../sql.ts'

/** A column as it is in the database. */
export interface CatalogColumn {
  /** Name in the database before the plan. */
  readonly actual: string
  /** As `format_type` writes it, such as `timestamp(3) with time zone`. */
  type: string
  isRequired: boolean
}

/** An index that belongs to no constraint. */
export interface CatalogIndex {
  /** False for one that was not built to its end. */
  readonly isValid: boolean
  /** True while another connection builds it. */
  readonly isBeingBuilt: boolean
}

/** A table as it is in the database. A plan changes it as its steps will change the database. */
export interface CatalogTable {
  /** Name in the database before the plan. */
  readonly actual: string
  readonly columns: Map<string, CatalogColumn>
  /** Kinds of the constraints by name: `p` primary key, `u` unique, `x` exclusion, `c` check, `f` foreign key. */
  readonly constraints: Map<string, string>
  readonly indexes: Map<string, CatalogIndex>
  readonly triggers: Set<string>
  readonly bytes: number
}

/** What a schema of the database contains. */
export interface Catalog {
  readonly hasSchema: boolean
  readonly tables: Map<string, CatalogTable>
  readonly sequences: Set<string>
  readonly functions: Set<string>
  readonly trigrams: Trigrams
}

/** The schema of the extension `pg_trgm`, or null. */
export const trigramsSchema = sql`(select "nspname" from pg_extension join pg_namespace "n" on "n"."oid" = "extnamespace"
  where "extname" = 'pg_trgm')`

/** Reads what a schema contains, from the catalog of PostgreSQL. */
export async function readCatalog(connection: Connection, schema: string): Promise<Catalog> {
  const rows = async (statement: Sql) => (await connection.query(statement)).rows.map((row) => row.map((value) => value ?? ''))
  const own = sql`"n"."nspname" = ${schema}`
  const catalog: Catalog = {
    hasSchema: (await rows(sql`select "n"."oid" from pg_namespace "n" where ${own}`)).length > 0,
    tables: new Map(),
    sequences: new Set(),
    functions: new Set(),
    trigrams: (await connection.query(sql`select ${trigramsSchema}`)).rows[0]?.[0] ?? undefined,
  }
  if (!catalog.hasSchema) return catalog
  const relations = await rows(sql`select "c"."relname", "c"."relkind"::text,
      case when "c"."relkind" = 'S' then 0 else pg_table_size("c"."oid") end
    from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
    where ${own} and "c"."relkind" in ('r', 'p', 'S')`)
  for (const [name = '', kind, bytes] of relations) {
    if (kind === 'S') catalog.sequences.add(name)
    else catalog.tables.set(name, emptyTable(name, Number(bytes)))
  }
  const ofTables = sql`join pg_class "c" on "c"."oid" = "relation" join pg_namespace "n" on "n"."oid" = "c"."relnamespace" where ${own}`
  const columns = await rows(sql`select "c"."relname", "attname", format_type("atttypid", "atttypmod"), "attnotnull"
    from (select *, "attrelid" as "relation" from pg_attribute where "attnum" > 0 and not "attisdropped") "a" ${ofTables}
    order by "attrelid", "attnum"`)
  for (const [table = '', name = '', type = '', isRequired] of columns) {
    catalog.tables.get(table)?.columns.set(name, { actual: name, type, isRequired: isRequired === 't' })
  }
  const constraints = await rows(sql`select "c"."relname", "conname", "contype"::text
    from (select *, "conrelid" as "relation" from pg_constraint) "a" ${ofTables}`)
  for (const [table = '', name = '', kind = ''] of constraints) catalog.tables.get(table)?.constraints.set(name, kind)
  const indexes = await rows(sql`select "c"."relname", "i"."relname", "indisvalid",
      exists (select from pg_stat_progress_create_index "p" where "p"."index_relid" = "a"."indexrelid")
    from (select *, "indrelid" as "relation" from pg_index) "a" join pg_class "i" on "i"."oid" = "a"."indexrelid" ${ofTables}
      and not exists (select from pg_constraint "k" where "k"."conindid" = "a"."indexrelid" and "k"."contype" in ('p', 'u', 'x'))`)
  for (const [table = '', name = '', isValid, isBeingBuilt] of indexes) {
    catalog.tables.get(table)?.indexes.set(name, { isValid: isValid === 't', isBeingBuilt: isBeingBuilt === 't' })
  }
  const triggers = await rows(sql`select "c"."relname", "tgname"
    from (select *, "tgrelid" as "relation" from pg_trigger where not "tgisinternal") "a" ${ofTables}`)
  for (const [table = '', name = ''] of triggers) catalog.tables.get(table)?.triggers.add(name)
  const functions = await rows(
    sql`select "proname" from pg_proc join pg_namespace "n" on "n"."oid" = "pronamespace" where ${own}`,
  )
  for (const [name = ''] of functions) catalog.functions.add(name)
  return catalog
}

/** A table without columns. */
export const emptyTable = (actual: string, bytes = 0): CatalogTable => ({
  actual,
  columns: new Map(),
  constraints: new Map(),
  indexes: new Map(),
  triggers: new Set(),
  bytes,
})

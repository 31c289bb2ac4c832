import { hash } from 'node:crypto'
import type { LimitsDefinition } from '../../../model/definition.ts'
import type { Limits } from '../../../model/limits.ts'
import type { Connection } from '../connection/database.ts'
import type { ColumnDefinition, NamedDefinition, TableDefinition, Trigrams } from '../layout/definitions.ts'
import type { Layout } from '../layout/layout.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** A column as it is in the database. */
export interface CatalogColumn {
  /** Name in the database before the plan. */
  readonly actual: string
  /** As `format_type` writes it, such as `timestamp(3) with time zone`. */
  type: string
  isRequired: boolean
  hasDefault: boolean
  comment: string
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
  readonly comment: string
}

/** What a schema of the database contains. */
export interface Catalog {
  readonly hasSchema: boolean
  readonly tables: Map<string, CatalogTable>
  readonly sequences: Set<string>
  readonly functions: Set<string>
  readonly trigrams: Trigrams
}

/** The schema of the extension `pg_trgm`, or null; also without the right to use the schema. */
export const trigramsSchema = sql`(select "nspname" from pg_extension join pg_namespace "n" on "n"."oid" = "extnamespace"
  where "extname" = 'pg_trgm' and has_schema_privilege("n"."oid", 'usage'))`

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
      case when "c"."relkind" = 'S' then 0 else pg_table_size("c"."oid") end, obj_description("c"."oid", 'pg_class')
    from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
    where ${own} and "c"."relkind" in ('r', 'p', 'S')`)
  for (const [name = '', kind, bytes, comment] of relations) {
    if (kind === 'S') catalog.sequences.add(name)
    else catalog.tables.set(name, emptyTable(name, Number(bytes), comment))
  }
  const ofTables = sql`join pg_class "c" on "c"."oid" = "relation" join pg_namespace "n" on "n"."oid" = "c"."relnamespace" where ${own}`
  const columns = await rows(sql`select "c"."relname", "attname", format_type("atttypid", "atttypmod"), "attnotnull", "atthasdef",
      col_description("attrelid", "attnum")
    from (select *, "attrelid" as "relation" from pg_attribute where "attnum" > 0 and not "attisdropped") "a" ${ofTables}
    order by "attrelid", "attnum"`)
  for (const [table = '', name = '', type = '', isRequired, hasDefault, comment = ''] of columns) {
    catalog.tables.get(table)?.columns.set(name, {
      actual: name,
      type,
      isRequired: isRequired === 't',
      hasDefault: hasDefault === 't',
      comment,
    })
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
export const emptyTable = (actual: string, bytes = 0, comment = ''): CatalogTable => ({
  actual,
  columns: new Map(),
  constraints: new Map(),
  indexes: new Map(),
  triggers: new Set(),
  bytes,
  comment,
})

/** A column as it was applied. */
export interface RecordedColumn {
  /** Limits that became checks, so that a later plan can tell whether new ones are wider. */
  readonly limits: RecordedLimits
  /** True for a column whose values must not be shown. */
  readonly isSecret?: true
  /** Comment and default: absent if it has none, or if a former version recorded the column. */
  readonly comment?: string
  readonly default?: string
  /** True if no field has it any more. */
  readonly isUnused?: true
}

type RecordedLimits = Omit<LimitsDefinition, 'pattern'>

/** A table as it was applied: its model, and the text of each definition by name. */
export interface RecordedTable {
  readonly model: string
  readonly columns: Readonly<Record<string, RecordedColumn>>
  readonly constraints: Readonly<Record<string, string>>
  readonly foreignKeys: Readonly<Record<string, string>>
  readonly indexes: Readonly<Record<string, string>>
  readonly comment?: string
  /** True if no model has it any more. */
  readonly isUnused?: true
}

/** The applied definitions by name of the table. */
export type Recorded = ReadonlyMap<string, RecordedTable>

/** Name of the row that holds the state. */
const STATE = ''

/** The table of applied definitions. */
export const definitionsTable = (layout: Layout): Sql => sql`create table ${layout.system('definitions')} (
  "name" text primary key, "definition" json not null
)`

/** The applied definitions, from a schema that has the table of definitions. */
export async function readRecorded(connection: Connection, layout: Layout): Promise<Map<string, RecordedTable>> {
  const { rows } = await connection.query(
    sql`select "name", "definition" from ${layout.system('definitions')} where "name" <> ${STATE}`,
  )
  return new Map(rows.map(([name, definition]) => [name ?? '', JSON.parse(definition ?? 'null') as RecordedTable]))
}

/** A rename that the entries of the history follow after the steps, since there may be very many of them. */
export interface HistoryRename {
  /** The present key of the model. */
  readonly model: string
  /** The present name of the field; absent for a rename of the model. */
  readonly field?: string
  /** The former name, of the field or the model. */
  readonly was: string
  /** Id of the last entry with the former name; absent before the steps are applied. */
  readonly upTo?: number
}

/** What was applied last as a whole. */
export interface RecordedState {
  readonly fingerprint: string
  /** Texts of the functions of the system by name. */
  readonly functions: Readonly<Record<string, string>>
  /** Fingerprints of what was applied before, the oldest first: those of earlier releases. Absent if a former version recorded the state. */
  readonly former?: readonly string[]
  /** Renames that entries of the history have not followed to the end. */
  readonly renames?: readonly HistoryRename[]
}

/** Fingerprint while work that follows the steps is not done. */
export const UNFINISHED = 'unfinished'

/** Maximum number of earlier releases that are known. */
const MAX_FORMER = 100

/** The earlier releases after definitions are applied. A release that is applied again is followed by none. */
export function formerOf(applied: RecordedState | undefined, fingerprint: string): readonly string[] {
  const all = [...(applied?.former ?? []), ...(applied === undefined ? [] : [applied.fingerprint])]
  const known = all.filter((each) => each !== UNFINISHED)
  const place = known.indexOf(fingerprint)
  return place === -1 ? known.slice(-MAX_FORMER) : known.slice(0, place)
}

/** The state that was applied last; undefined if nothing was. */
export async function readState(connection: Connection, layout: Layout): Promise<RecordedState | undefined> {
  const { rows } = await connection.query(sql`select "definition" from ${layout.system('definitions')} where "name" = ${STATE}`)
  return rows[0] === undefined ? undefined : (JSON.parse(rows[0][0] ?? 'null') as RecordedState)
}

/** Replaces the applied definitions. */
export function recordStatements(layout: Layout, recorded: Recorded, state: RecordedState): Sql[] {
  const table = layout.system('definitions')
  const rows = [...recorded, [STATE, state] as const]
  return [
    sql`delete from ${table}`,
    ...rows.map(
      ([name, definition]) => sql`insert into ${table} values (${literal(name)}, ${literal(JSON.stringify(definition))})`,
    ),
  ]
}

/** The definition of a table as it is recorded. */
export function recordOf({ model, columns, constraints, foreignKeys, indexes, comment }: TableDefinition): RecordedTable {
  return {
    model,
    columns: Object.fromEntries(columns.map((column) => [column.name, recordedColumn(column)])),
    constraints: textsOf(constraints),
    foreignKeys: textsOf(foreignKeys),
    indexes: textsOf(indexes),
    ...(comment !== undefined && { comment }),
  }
}

/** A column as it is recorded. */
const recordedColumn = ({ field, comment, default: value }: ColumnDefinition): RecordedColumn => ({
  limits: plainLimits(field?.limits ?? {}),
  ...(field?.type.secret && { isSecret: true as const }),
  ...(comment !== undefined && { comment }),
  ...(value !== undefined && { default: value.compile().text }),
})

function plainLimits({ pattern: _, ...limits }: Limits): RecordedLimits {
  return limits
}

/** The text of a definition, in which constants are literals. */
export const definitionText = ({ definition }: NamedDefinition): string => definition.compile().text.replace(/\s+/g, ' ')

const textsOf = (definitions: readonly NamedDefinition[]): Record<string, string> =>
  Object.fromEntries(definitions.map((each) => [each.name, definitionText(each)]))

/**
 * A text that differs when the definitions of tables or of the system differ, and when names have changed.
 *
 * @param system statements that create the objects of the system
 */
export function fingerprintOf(definitions: readonly TableDefinition[], system: readonly Sql[]): string {
  const tables = definitions.map((table) => [
    table.name,
    // No release depends on comments.
    recordOf({ ...table, comment: undefined, columns: table.columns.map((column) => ({ ...column, comment: undefined })) }),
    table.columns.map(({ name, type, isRequired }) => [name, type.compile().text, isRequired]),
  ])
  const texts = system.map((statement) => statement.compile().text)
  return hash('sha256', JSON.stringify([tables, texts]), 'hex')
}

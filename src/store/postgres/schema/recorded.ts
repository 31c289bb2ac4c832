import { hash } from 'node:crypto'
import type { LimitsDefinition } from '../../../model/definition.ts'
import type { Limits } from '../../../model/limits.ts'
import type { Connection } from '../connection/database.ts'
import type { ColumnDefinition, NamedDefinition, TableDefinition } from '../layout/definitions.ts'
import type { Layout } from '../layout/layout.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** A column as it was applied. */
export interface RecordedColumn {
  /** Limits that became checks, so that a later plan can tell whether new ones are wider. */
  readonly limits: RecordedLimits
  /** True for a column whose values must not be shown. */
  readonly isSecret?: true
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

/** What was applied last as a whole. */
export interface RecordedState {
  readonly fingerprint: string
  /** Texts of the functions of the system by name. */
  readonly functions: Readonly<Record<string, string>>
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
export function recordOf({ model, columns, constraints, foreignKeys, indexes }: TableDefinition): RecordedTable {
  return {
    model,
    columns: Object.fromEntries(columns.map((column) => [column.name, recordedColumn(column)])),
    constraints: textsOf(constraints),
    foreignKeys: textsOf(foreignKeys),
    indexes: textsOf(indexes),
  }
}

/** A column as it is recorded. */
const recordedColumn = ({ field }: ColumnDefinition): RecordedColumn => ({
  limits: plainLimits(field?.limits ?? {}),
  ...(field?.type.secret && { isSecret: true as const }),
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
    recordOf(table),
    table.columns.map(({ name, type, isRequired }) => [name, type.compile().text, isRequired]),
  ])
  const texts = system.map((statement) => statement.compile().text)
  return hash('sha256', JSON.stringify([tables, texts]), 'hex')
}

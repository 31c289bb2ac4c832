import type { Connection } from '../connection/database.ts'
import { SYSTEM_PREFIX } from '../layout/column.ts'
import { definitionsOf, type TableDefinition, type Trigrams } from '../layout/definitions.ts'
import type { Layout } from '../layout/layout.ts'
import { identifier, type Sql } from '../sql.ts'
import {
  fingerprintOf,
  formerOf,
  type Recorded,
  type RecordedState,
  readCatalog,
  readRecorded,
  readState,
  recordOf,
} from './catalog.ts'
import { planHistoryRename } from './history-renames.ts'
import { planColumns } from './plan-columns.ts'
import { planConstraints, planForeignKeys, planReleases } from './plan-constraints.ts'
import { PlanDraft, type RowsInTheWay, type Step } from './plan-draft.ts'
import { planRenames } from './plan-renames.ts'
import {
  functionTexts,
  planComments,
  planDroppedColumns,
  planDroppedTables,
  planIndexes,
  planNewTable,
  planSystem,
  planTriggers,
  systemObjects,
} from './plan-tables.ts'
import { MIGRATIONS_TABLE, STORE_MIGRATIONS, type StoreMigration, storeVersion } from './store-migrations.ts'

/** The difference between a database and the models. */
export interface SchemaPlan {
  /** The steps, in this order. */
  readonly steps: readonly Step[]
  /** Changes of comments. No process waits for them, and a start makes them with other steps only. */
  readonly comments: readonly Step[]
  /** The qualified names of present tables that steps lock, tables that refer to others before those, as writes lock them. */
  readonly locked: readonly Sql[]
  /** Drops of tables and columns that an earlier run kept. They may stay. */
  readonly unused: readonly Step[]
  /** True if another connection is building an index. */
  readonly isBuilding: boolean
  /** The definitions after the steps, if nothing is dropped. */
  readonly recorded: Recorded
  readonly state: RecordedState
}

/**
 * Compares a database with the models. Reads only.
 *
 * @param migrations those of the store, replaced in tests
 * @throws {AppError} RENAME_CONFLICT if two names of a rename both hold rows, MIGRATION_NEEDED as `storeVersion`
 */
export async function planSchema(
  connection: Connection,
  layout: Layout,
  migrations: readonly StoreMigration[] = STORE_MIGRATIONS,
): Promise<SchemaPlan> {
  const catalog = await readCatalog(connection, layout.schema)
  const version = await storeVersion(connection, layout, catalog.tables.has(MIGRATIONS_TABLE), migrations)
  const hasRecords = catalog.tables.has(`${SYSTEM_PREFIX}definitions`)
  const recorded = hasRecords ? await readRecorded(connection, layout) : new Map()
  const applied = hasRecords ? await readState(connection, layout) : undefined
  const draft = new PlanDraft(connection, layout, catalog, recorded)
  const definitions = definitionsOf(layout, catalog.trigrams)
  planSystem(draft, applied, version)
  for (const rename of applied?.renames ?? []) planHistoryRename(draft, rename)
  await planRenames(draft)
  const locked = new Set<string>()
  const noteLocked = async (name: string, plan: () => void | Promise<void>) => {
    const before = draft.locking
    await plan()
    if (draft.locking > before) locked.add(name)
  }
  for (const definition of definitions) {
    const present = catalog.tables.get(definition.name)
    if (present === undefined) planNewTable(draft, definition)
    else await noteLocked(definition.name, () => planReleases(draft, definition, present))
  }
  for (const definition of definitions) await noteLocked(definition.name, () => planTable(draft, definition))
  planDroppedTables(draft, definitions)
  const fingerprint = currentFingerprint(layout, catalog.trigrams)
  const state = {
    fingerprint,
    functions: version.isLater ? (applied?.functions ?? {}) : functionTexts(draft),
    former: formerOf(applied, fingerprint),
  }
  const indexes = definitions.flatMap(({ name }) => [...(catalog.tables.get(name)?.indexes.values() ?? [])])
  const isBuilding = indexes.some((index) => index.isBeingBuilt)
  const lockedTables = referringFirst(definitions).flatMap(({ name }) => {
    const actual = locked.has(name) ? catalog.tables.get(name)?.actual : undefined
    return actual ? [identifier(layout.schema, actual)] : []
  })
  const { steps, comments, unused } = draft
  return { steps, comments, locked: lockedTables, unused, isBuilding, recorded: draft.recorded, state }
}

/** Tables that refer to others before those; of tables that refer to each other in a circle, any first. */
function referringFirst(definitions: readonly TableDefinition[]): readonly TableDefinition[] {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  const visited = new Set<TableDefinition>()
  const referredFirst: TableDefinition[] = []
  const visit = (definition: TableDefinition | undefined) => {
    if (definition === undefined || visited.has(definition)) return
    visited.add(definition)
    for (const { target } of definition.foreignKeys) visit(byName.get(target))
    referredFirst.push(definition)
  }
  for (const definition of definitions) visit(definition)
  return referredFirst.reverse()
}

async function planTable(draft: PlanDraft, definition: TableDefinition): Promise<void> {
  const table = draft.catalog.tables.get(definition.name)
  if (table === undefined) return
  const kept = planDroppedColumns(draft, definition, table)
  await planColumns(draft, definition, table)
  await planConstraints(draft, definition, table)
  await planForeignKeys(draft, definition, table)
  planIndexes(draft, definition, table)
  planTriggers(draft, definition, table)
  planComments(draft, definition, table)
  const record = recordOf(definition)
  const former = draft.recorded.get(definition.name)
  const unused = kept.map((name) => [name, { ...(former?.columns[name] ?? { limits: {} }), isUnused: true as const }])
  draft.recorded.set(definition.name, { ...record, columns: { ...record.columns, ...Object.fromEntries(unused) } })
}

/** The fingerprint of what the models define. */
export const currentFingerprint = (layout: Layout, trigrams: Trigrams): string =>
  fingerprintOf(
    definitionsOf(layout, trigrams),
    systemObjects(layout).flatMap(({ create, indexes = [] }) => [create, ...indexes]),
  )

type Described = Pick<SchemaPlan, 'steps' | 'unused'> & Partial<Pick<SchemaPlan, 'comments'>>

/** A plan as SQL with comments. */
export function describePlan({ steps, comments = [], unused }: Described): string {
  const kept = unused.map((step) => ({ ...step, reason: `${step.reason}; it is kept, unused` }))
  return [...steps, ...comments, ...kept].map(describeStep).join('\n\n')
}

/** Said of steps by what they break. */
const BREAKS: Readonly<Record<NonNullable<Step['breaks']>, string>> = {
  names: '-- processes of an earlier release answer 503 to requests for the model from then on',
  values: '-- only while no process of an earlier release serves the database',
}

function describeStep(step: Step): string {
  const when = step.isConcurrent === true ? ', after the other steps' : ''
  const lines = [`-- ${step.class}${when}: ${step.reason}`, ...(step.rows === undefined ? [] : describeRows(step.rows))]
  if (step.breaks !== undefined) lines.push(BREAKS[step.breaks])
  if (step.class === 'destructive') lines.push(`-- only with --allow-destructive${step.keep?.length ? '; otherwise:' : ''}`)
  const kept = step.class === 'destructive' ? (step.keep ?? []).map((statement) => `--   ${textOf(statement)};`) : []
  return [...lines, ...kept, ...step.statements.map((statement) => `${textOf(statement)};`)].join('\n')
}

function describeRows({ count, examples }: RowsInTheWay): string[] {
  if (count === 0) return ['-- no row is in the way']
  const shown = examples.map(({ id, value }) => `--   id ${id}: ${value === null ? 'no value' : JSON.stringify(value)}`)
  const more = count > examples.length ? [`--   and ${count - examples.length} more`] : []
  return [`-- ${count} ${count === 1 ? 'row is' : 'rows are'} in the way`, ...shown, ...more]
}

const textOf = (statement: Step['statements'][number]): string => statement.compile().text.replace(/\s*\n\s*/g, ' ')

/** A plan as plain data, for `--format json`. */
export function planJson({ steps, comments = [], unused }: Described): object {
  const plain = ({ class: kind, reason, statements, rows, keep, isConcurrent, breaks }: Step) => ({
    class: kind,
    reason,
    sql: statements.map(textOf),
    ...(rows && { rows }),
    ...(keep && { keep: keep.map(textOf) }),
    ...(isConcurrent && { concurrently: true }),
    ...(breaks && { breaks }),
  })
  return { steps: [...steps, ...comments].map(plain), unused: unused.map(plain) }
}

import type { LimitsDefinition } from '../../../model/definition.ts'
import type { ConstraintDefinition, ForeignKeyDefinition, NamedDefinition, TableDefinition } from '../layout/definitions.ts'
import { identifier, joined, type Sql, sql } from '../sql.ts'
import { type CatalogTable, definitionText, type RecordedTable } from './catalog.ts'
import { isSecret, rowIdColumn, shown } from './plan-columns.ts'
import type { PlanDraft } from './plan-draft.ts'

/** Plans the removal of constraints and indexes that were applied, and that the models no longer have, or define differently. */
export function planReleases(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): void {
  const recorded = draft.recorded.get(definition.name)
  if (recorded === undefined) return
  const gone = (list: 'constraints' | 'foreignKeys' | 'indexes', present: ReadonlyMap<string, unknown>) => {
    const texts = new Map<string, string>(definition[list].map((each) => [each.name, definitionText(each)]))
    return Object.entries(recorded[list]).flatMap(([name, text]) => (present.has(name) && texts.get(name) !== text ? [name] : []))
  }
  const constraints = [...gone('constraints', table.constraints), ...gone('foreignKeys', table.constraints)]
  const indexes = gone('indexes', table.indexes)
  if (constraints.length + indexes.length === 0) return
  for (const name of constraints) table.constraints.delete(name)
  for (const name of indexes) table.indexes.delete(name)
  draft.add('release', {
    class: 'additive',
    reason: `Constraints or indexes of '${definition.model}' have changed`,
    statements: [
      ...constraints.map((name) => sql`alter table ${definition.table} drop constraint ${identifier(name)}`),
      ...indexes.map((name) => sql`drop index ${draft.table(name)}`),
    ],
  })
}

/** Plans the constraints that a table lacks. */
export async function planConstraints(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): Promise<void> {
  const recorded = draft.recorded.get(definition.name)
  for (const constraint of definition.constraints) {
    if (table.constraints.has(constraint.name)) continue
    const statements = [addConstraint(definition, constraint)]
    const names = constraint.columns.map((name) => `'${name}'`).join(' and ')
    const reason = `${names} of '${definition.model}' ${constraint.kind === 'unique' ? 'must be unique' : 'has limits'}`
    if (
      !(await draft.hasRows(table)) ||
      isEmpty(draft, definition, table, constraint) ||
      isRelaxed(recorded, definition, constraint)
    ) {
      draft.add('constraint', { class: 'additive', reason, statements })
      continue
    }
    const rows = await violations(draft, definition, table, constraint)
    // New columns have their default values, so that no row can get in the way before the step is applied.
    const isNew = constraint.columns.every((name) => table.columns.get(name)?.actual === '')
    if (isNew && rows.count === 0) draft.add('constraint', { class: 'additive', reason, statements })
    else draft.add('constraint', { class: 'checked', reason, statements, rows })
  }
}

/** Plans the foreign keys that a table lacks. */
export async function planForeignKeys(draft: PlanDraft, definition: TableDefinition, table: CatalogTable): Promise<void> {
  const recorded = draft.recorded.get(definition.name)
  for (const key of definition.foreignKeys) {
    if (table.constraints.has(key.name)) continue
    const statements = [addConstraint(definition, key)]
    const reason = `'${key.column}' of '${definition.model}' refers to '${key.target}'`
    const isNew = table.columns.get(key.column)?.actual === ''
    // Only what happens on a deletion has changed.
    const isSame = targetIn(recorded?.foreignKeys[key.name]) === targetIn(definitionText(key))
    if (isNew || isSame || !(await draft.hasRows(table))) draft.add('foreignKey', { class: 'additive', reason, statements })
    else
      draft.add('foreignKey', { class: 'checked', reason, statements, rows: await lostReferences(draft, definition, table, key) })
  }
}

const targetIn = (text: string | undefined): string | undefined => text?.split(' on delete ')[0]

const addConstraint = ({ table }: TableDefinition, { name, definition }: NamedDefinition): Sql =>
  sql`alter table ${table} add constraint ${identifier(name)} ${definition}`

/** True if no row has a value in one of the columns, because the plan adds it. */
const isEmpty = (
  draft: PlanDraft,
  { name: owner }: TableDefinition,
  table: CatalogTable,
  { columns }: ConstraintDefinition,
): boolean => columns.some((name) => table.columns.get(name)?.actual === '' && !draft.fillings.has(`${owner}.${name}`))

async function violations(draft: PlanDraft, definition: TableDefinition, table: CatalogTable, constraint: ConstraintDefinition) {
  const { columns, condition } = constraint
  // Values of another type are checked when they are converted.
  if (columns.some((name) => draft.converted.has(`${definition.name}.${name}`))) return { count: 0, examples: [] }
  const rows = draft.rowsOf(definition, table, 't')
  const names = columns.map((name) => identifier(name))
  const isHidden = columns.some((name) => isSecret(draft, definition, name))
  const value = shown(isHidden, names.length === 1 ? joined(names) : sql`(${joined(names)})`)
  if (condition !== undefined) return draft.count(sql`${rows} where not (${condition})`, rowIdColumn(definition), value)
  const present = joined(
    names.map((name) => sql`${name} is not null`),
    ' and ',
  )
  const counted = sql`(select *, count(*) over (partition by ${joined(names)}) as "_same" from ${rows} where ${present}) as "t"`
  return draft.count(sql`${counted} where "_same" > 1`, rowIdColumn(definition), value)
}

async function lostReferences(
  draft: PlanDraft,
  definition: TableDefinition,
  table: CatalogTable,
  { column, target }: ForeignKeyDefinition,
) {
  if (draft.converted.has(`${definition.name}.${column}`)) return { count: 0, examples: [] }
  const name = identifier(column)
  const actual = draft.catalog.tables.get(target)?.actual
  const isThere =
    actual === undefined || actual === ''
      ? sql`false`
      : sql`exists (select from ${draft.table(actual)} "r" where "r"."id" = "t".${name})`
  const rows = draft.rowsOf(definition, table, 't')
  return draft.count(sql`${rows} where ${name} is not null and not ${isThere}`, rowIdColumn(definition), sql`${name}::text`)
}

/** True for a check whose limits are at least as wide as those that were applied, so that every row satisfies it. */
function isRelaxed(
  recorded: RecordedTable | undefined,
  { columns }: TableDefinition,
  { kind, columns: [name = ''] }: ConstraintDefinition,
): boolean {
  const before = recorded?.columns[name]?.limits
  const after = columns.find((column) => column.name === name)?.field?.limits
  return kind === 'check' && before !== undefined && after !== undefined && isWider(after, before)
}

type Limits = Omit<LimitsDefinition, 'pattern'>

function isWider(after: Limits, before: Limits): boolean {
  const isLower = (key: 'min_length' | 'gt' | 'gte') => after[key] === undefined || (before[key] ?? -Infinity) >= after[key]
  const isHigher = (key: 'max_length' | 'lt' | 'lte' | 'decimal_places') =>
    after[key] === undefined || (before[key] ?? Infinity) <= after[key]
  const hasChoices = after.choices === undefined || (before.choices?.every((choice) => after.choices?.includes(choice)) ?? false)
  return (
    (['min_length', 'gt', 'gte'] as const).every(isLower) &&
    (['max_length', 'lt', 'lte', 'decimal_places'] as const).every(isHigher) &&
    hasChoices
  )
}

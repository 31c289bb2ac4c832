import type { Layout } from '../../layout/layout.ts'
import { identifier, type Sql, sql } from '../../sql.ts'
import { definitionsOf, type TableDefinition } from '../definitions.ts'
import type { NamedDefinition } from '../named-definition.ts'
import { textOf } from '../recorded.ts'
import { layoutsOfRenames } from '../renames/former-names.ts'
import { renameInHistory, renameModelRows } from '../renames/renamed-rows.ts'
import { type PlanDraft, renameConflict } from './draft.ts'
import { isSecret, shown } from './plan-columns.ts'

/** Plans the renames that the models declare by `was`: first those of models, then those of fields. */
export async function planRenames(draft: PlanDraft): Promise<void> {
  const [former, formerFields, present] = layoutsOfRenames(draft.layout)
  for (const [from, to] of [
    [former, formerFields],
    [formerFields, present],
  ] as const) {
    const before = definitionsOf(from, draft.catalog.trigrams)
    for (const [index, after] of definitionsOf(to, draft.catalog.trigrams).entries()) {
      const table = before[index]
      if (table !== undefined) await planRename(draft, table, after, [from, to])
    }
  }
}

async function planRename(
  draft: PlanDraft,
  before: TableDefinition,
  after: TableDefinition,
  [from, to]: readonly [Layout, Layout],
): Promise<void> {
  const statements: Sql[] = []
  if (before.name !== after.name) statements.push(...(await renameTable(draft, before, after, [from, to])))
  const table = draft.catalog.tables.get(after.name)
  if (table === undefined) return
  for (const [index, column] of after.columns.entries()) {
    const was = before.columns[index]?.name ?? column.name
    if (was === column.name || !table.columns.has(was)) continue
    if (table.columns.has(column.name)) await mergeColumns(draft, after, was, column.name)
    else {
      statements.push(sql`alter table ${after.table} rename column ${identifier(was)} to ${identifier(column.name)}`)
      move(table.columns, was, column.name)
      renameRecord(draft, after.name, was, column.name)
      if (column.field !== undefined)
        statements.push(...renameInHistory(draft, after.model, column.field.was ?? was, column.field.name))
    }
  }
  for (const [list, kind] of [
    ['constraints', 'constraints'],
    ['foreignKeys', 'constraints'],
    ['indexes', 'indexes'],
  ] as const) {
    for (const [index, each] of after[list].entries()) {
      const was = before[list][index]
      if (was === undefined) continue
      if (was.name !== each.name && table[kind].has(was.name) && !table[kind].has(each.name)) {
        statements.push(renameStatement(draft, kind, after, was.name, each.name))
        move(table[kind] as Map<string, unknown>, was.name, each.name)
      }
      renameText(draft, after.name, list, was, each)
    }
  }
  if (statements.length > 0) draft.add('rename', { class: 'additive', reason: reasonOf(before, after), statements })
}

const renameStatement = (
  draft: PlanDraft,
  kind: 'constraints' | 'indexes',
  { table }: TableDefinition,
  was: string,
  name: string,
): Sql =>
  kind === 'constraints'
    ? sql`alter table ${table} rename constraint ${identifier(was)} to ${identifier(name)}`
    : sql`alter index ${draft.table(was)} rename to ${identifier(name)}`

function reasonOf(before: TableDefinition, after: TableDefinition): string {
  if (before.model !== after.model) return `The model '${after.model}' was '${before.model}'`
  const renamed = after.columns.flatMap(({ field }) => (field?.was === undefined ? [] : [`'${field.name}' was '${field.was}'`]))
  return renamed.length === 0
    ? `The table '${before.name}' becomes '${after.name}'`
    : `In '${after.model}', ${renamed.join(' and ')}`
}

/** @throws {AppError} RENAME_CONFLICT if both tables have rows */
async function renameTable(
  draft: PlanDraft,
  before: TableDefinition,
  after: TableDefinition,
  [from, to]: readonly [Layout, Layout],
): Promise<Sql[]> {
  const { tables, sequences } = draft.catalog
  const former = tables.get(before.name)
  if (former === undefined) return []
  const statements: Sql[] = []
  const present = tables.get(after.name)
  if (present !== undefined) {
    if (await draft.hasRows(present)) {
      if (await draft.hasRows(former)) throw renameConflict(`The model '${after.model}'`, before.model)
      return []
    }
    statements.push(sql`drop table ${after.table} cascade`)
    for (const { name, foreignKeys } of definitionsOf(to, draft.catalog.trigrams)) {
      for (const key of foreignKeys) if (key.target === after.name) tables.get(name)?.constraints.delete(key.name)
    }
    if (after.holds === 'records') sequences.delete(to.of(after.model).sequenceName)
  }
  statements.push(sql`alter table ${draft.table(before.name)} rename to ${identifier(after.name)}`)
  move(tables, before.name, after.name)
  move(draft.recorded, before.name, after.name)
  if (after.holds === 'records') {
    const [was, sequence] = [from.of(before.model).sequenceName, to.of(after.model).sequenceName]
    if (sequences.delete(was)) {
      statements.push(sql`alter sequence ${draft.table(was)} rename to ${identifier(sequence)}`)
      sequences.add(sequence)
    }
  }
  if (before.model !== after.model) statements.push(...renameModelRows(draft, before, after))
  return statements
}

/**
 * Both columns exist, because the present one was added before `was`. Values of the former one fill the present one. If their types differ,
 * the present column goes, so every value in it is in the way.
 */
async function mergeColumns(draft: PlanDraft, definition: TableDefinition, was: string, name: string): Promise<void> {
  const table = draft.catalog.tables.get(definition.name)
  const [former, present] = [table?.columns.get(was), table?.columns.get(name)]
  if (table === undefined || former === undefined || present === undefined) return
  const [formerName, presentName] = [identifier(former.actual), identifier(present.actual)]
  const id = definition.holds === 'records' ? sql`"id"` : sql`"owner"`
  const isOther =
    former.type === present.type ? sql`${formerName}::text <> ${presentName}::text` : sql`${presentName} is not null`
  const value = shown(isSecret(draft, definition, was) || isSecret(draft, definition, name), presentName)
  const rows = await draft.count(sql`${draft.table(table.actual)} where ${isOther}`, id, value)
  const [from, to] = [identifier(was), identifier(name)]
  const isSame = former.type === present.type
  const statements = isSame
    ? [
        sql`update ${definition.table} set ${to} = ${from} where ${to} is null and ${from} is not null`,
        sql`alter table ${definition.table} drop column ${from}`,
      ]
    : [
        sql`alter table ${definition.table} drop column ${to}`,
        sql`alter table ${definition.table} rename column ${from} to ${to}`,
      ]
  const reason = `In '${definition.model}', '${name}' was '${was}', and columns of both names exist`
  draft.add(
    'rename',
    rows.count === 0 && isSame ? { class: 'additive', reason, statements } : { class: 'checked', reason, statements, rows },
  )
  if (isSame) table.columns.delete(was)
  else move(table.columns, was, name)
  renameRecord(draft, definition.name, was, name)
}

function move<V>(map: Map<string, V>, from: string, to: string): void {
  const value = map.get(from)
  if (value === undefined) return
  map.delete(from)
  map.set(to, value)
}

/** Renames a recorded column. */
function renameRecord(draft: PlanDraft, table: string, was: string, name: string): void {
  const recorded = draft.recorded.get(table)
  if (recorded?.columns[was] === undefined) return
  const { [was]: value, ...others } = recorded.columns
  draft.recorded.set(table, { ...recorded, columns: { ...others, ...(value && { [name]: value }) } })
}

/** PostgreSQL changes the names within a definition by itself, so the recorded text becomes that of the present names. */
function renameText(
  draft: PlanDraft,
  table: string,
  list: 'constraints' | 'foreignKeys' | 'indexes',
  was: NamedDefinition,
  each: NamedDefinition,
): void {
  const recorded = draft.recorded.get(table)
  const text = recorded?.[list][was.name]
  if (recorded === undefined || text === undefined) return
  const { [was.name]: _, ...others } = recorded[list]
  draft.recorded.set(table, { ...recorded, [list]: { ...others, [each.name]: text === textOf(was) ? textOf(each) : text } })
}

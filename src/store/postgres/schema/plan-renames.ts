import type { Field } from '../../../model/field.ts'
import { FILE_TABLE } from '../../../model/files.ts'
import { Model } from '../../../model/model.ts'
import { Registry } from '../../../model/registry.ts'
import { UniqueSet } from '../../../model/unique-set.ts'
import { tableName } from '../layout/column.ts'
import { countTriggerNames, countTriggers } from '../layout/counters.ts'
import { definitionsOf, type NamedDefinition, type TableDefinition } from '../layout/definitions.ts'
import { Layout } from '../layout/layout.ts'
import { identifier, literal, type Sql, sql } from '../sql.ts'
import { definitionText } from './catalog.ts'
import { planHistoryRename } from './history-renames.ts'
import { isSecret, shown } from './plan-columns.ts'
import { type PlanDraft, renameConflict } from './plan-draft.ts'

/** Plans the renames that the models declare by `was`: first of models, then of fields. Before each, names of former versions are replaced. */
export async function planRenames(draft: PlanDraft): Promise<void> {
  const [former, formerFields, present] = layoutsOfRenames(draft.layout)
  for (const [from, to] of [
    [former, formerFields],
    [formerFields, present],
  ] as const) {
    const before = definitionsOf(from, draft.catalog.trigrams)
    for (const table of before) planFormerNames(draft, table)
    for (const [index, after] of definitionsOf(to, draft.catalog.trigrams).entries()) {
      const table = before[index]
      if (table !== undefined) await planRename(draft, table, after, [from, to])
    }
  }
  for (const table of definitionsOf(present, draft.catalog.trigrams)) planFormerNames(draft, table)
}

/** Plans the renames of constraints and indexes to which former versions gave another name. */
function planFormerNames(draft: PlanDraft, definition: TableDefinition): void {
  const table = draft.catalog.tables.get(definition.name)
  if (table === undefined) return
  const statements = LISTS.flatMap(([list, kind]) =>
    definition[list].flatMap((each) => {
      if (each.was === undefined) return []
      renameText(draft, definition.name, list, { ...each, name: each.was }, each)
      return renameNamed(draft, definition, kind, each.was, each.name)
    }),
  )
  if (statements.length === 0) return
  const reason = `Names of constraints and indexes of '${definition.model}' have no comma, which tools would have to quote`
  draft.add('rename', { class: 'additive', reason, statements })
}

const LISTS = [
  ['constraints', 'constraints'],
  ['foreignKeys', 'constraints'],
  ['indexes', 'indexes'],
] as const

async function planRename(
  draft: PlanDraft,
  before: TableDefinition,
  after: TableDefinition,
  [from, to]: readonly [Layout, Layout],
): Promise<void> {
  const statements: Sql[] = []
  if (before.name !== after.name) statements.push(...(await renameTable(draft, before, after, [from, to])))
  let isBreaking = statements.length > 0
  const table = draft.catalog.tables.get(after.name)
  if (table === undefined) return
  for (const [index, column] of after.columns.entries()) {
    const was = before.columns[index]?.name ?? column.name
    if (was === column.name || !table.columns.has(was)) continue
    if (column.field?.file !== undefined) statements.push(...renamePlaces(draft, after.model, column.field))
    if (table.columns.has(column.name)) await mergeColumns(draft, after, was, column.name)
    else {
      statements.push(sql`alter table ${after.table} rename column ${identifier(was)} to ${identifier(column.name)}`)
      isBreaking = true
      move(table.columns, was, column.name)
      renameRecord(draft, after.name, was, column.name)
      if (column.field !== undefined)
        planHistoryRename(draft, { model: after.model, field: column.field.name, was: column.field.was ?? was })
    }
  }
  for (const [list, kind] of LISTS) {
    for (const [index, each] of after[list].entries()) {
      const was = before[list][index]
      if (was === undefined) continue
      if (was.name !== each.name) statements.push(...renameNamed(draft, after, kind, was.name, each.name))
      renameText(draft, after.name, list, was, each)
    }
  }
  if (statements.length === 0) return
  const breaking = isBreaking ? { breaks: 'names' as const } : {}
  draft.add('rename', { class: 'additive', reason: reasonOf(before, after), statements, ...breaking })
}

/** Renames a constraint or an index, if there is one of the former name and none of the present one. */
function renameNamed(
  draft: PlanDraft,
  { name: owner, table }: TableDefinition,
  kind: 'constraints' | 'indexes',
  was: string,
  name: string,
): Sql[] {
  const present = draft.catalog.tables.get(owner)?.[kind] as Map<string, unknown> | undefined
  if (present?.has(was) !== true || present.has(name)) return []
  move(present, was, name)
  return [
    kind === 'constraints'
      ? sql`alter table ${table} rename constraint ${identifier(was)} to ${identifier(name)}`
      : sql`alter index ${draft.table(was)} rename to ${identifier(name)}`,
  ]
}

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
    rows.count === 0 && isSame
      ? { class: 'additive', reason, statements, breaks: 'names' }
      : { class: 'checked', reason, statements, rows, breaks: 'names' },
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

/** PostgreSQL changes the names within a definition by itself, so the recorded text gets the present names. */
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
  draft.recorded.set(table, {
    ...recorded,
    [list]: { ...others, [each.name]: text === definitionText(was) ? definitionText(each) : text },
  })
}

/**
 * The layouts through which renames go: with former names of models and fields, with present names of models and former ones of fields,
 * and the present one. Their tables, columns and constraints correspond by position.
 */
function layoutsOfRenames(layout: Layout): readonly [Layout, Layout, Layout] {
  const formerKeys = new Map(layout.registry.all.map(({ key, was }) => [key, was ?? key]))
  const formerFields = layoutOf(layout, new Map())
  return [layoutOf(layout, formerKeys), formerFields, layout]
}

/** The layout with the former names of fields. @param keys former keys of models */
function layoutOf({ registry, schema }: Layout, keys: ReadonlyMap<string, string>): Layout {
  return new Layout(new Registry(registry.all.map((model) => formerModel(model, keys))), schema)
}

function formerModel(model: Model, keys: ReadonlyMap<string, string>): Model {
  const former = new Map([...model.fields.values()].map(({ name, was }) => [name, was ?? name]))
  return new Model({
    name: keys.get(model.key) ?? model.key,
    label: model.label,
    timestamps: model.timestamps,
    internal: model.internal,
    history: model.history,
    displayField: former.get(model.displayField),
    uniqueSets: model.uniqueSets.map(({ fields }) => new UniqueSet(fields.map((name) => former.get(name) ?? name))),
    fields: [...model.fields.values()].map((field) => formerField(field, keys)),
  })
}

function formerField(field: Field, keys: ReadonlyMap<string, string>): Field {
  const name = field.was ?? field.name
  const { relation } = field
  if (relation === undefined) return { ...field, name }
  const target = keys.get(relation.target) ?? relation.target
  return { ...field, name, relation: { ...relation, name: relation.kind === 'one' ? name.replace(/_id$/, '') : name, target } }
}

/** The counters of the table name the model by its key. */
function renameModelRows(draft: PlanDraft, before: TableDefinition, after: TableDefinition): Sql[] {
  const counters = draft.layout.system('counters')
  const table = draft.catalog.tables.get(after.name)
  const present = countTriggerNames.filter((name) => table?.triggers.has(name))
  const triggers = present.map((name) => sql`drop trigger ${identifier(name)} on ${after.table}`)
  const statements = present.length === 0 ? [] : [...triggers, ...countTriggers(draft.layout, after)]
  if (after.holds !== 'records') return statements
  planHistoryRename(draft, { model: after.model, was: before.model })
  return [
    sql`delete from ${counters} where "table_name" = ${literal(after.model)}`,
    sql`update ${counters} set "table_name" = ${literal(after.model)} where "table_name" = ${literal(before.model)}`,
    ...(draft.catalog.tables.has(FILES)
      ? [sql`update ${draft.table(FILES)} set "model" = ${literal(after.model)} where "model" = ${literal(before.model)}`]
      : []),
    ...statements,
  ]
}

const FILES = tableName({ key: FILE_TABLE, internal: true })

/** The registry of files names the fields of models that have their present names. */
function renamePlaces(draft: PlanDraft, model: string, { name, was = name }: Field): Sql[] {
  if (!draft.catalog.tables.has(FILES)) return []
  return [
    sql`update ${draft.table(FILES)} set "field" = ${literal(name)} where "model" = ${literal(model)} and "field" = ${literal(was)}`,
  ]
}

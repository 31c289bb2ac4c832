import { HISTORY_TABLE } from '../../../history-table.ts'
import { tableName } from '../../layout/names.ts'
import { identifier, literal, type Sql, sql } from '../../sql.ts'
import { countTriggerNames, countTriggers } from '../counters.ts'
import type { TableDefinition } from '../definitions.ts'
import type { PlanDraft } from '../plan/draft.ts'

const HISTORY = tableName({ key: HISTORY_TABLE, internal: true })

/** The counters of the table and the entries of the history name the model by its key. */
export function renameModelRows(draft: PlanDraft, before: TableDefinition, after: TableDefinition): Sql[] {
  const counters = draft.layout.system('counters')
  const table = draft.catalog.tables.get(after.name)
  const present = countTriggerNames.filter((name) => table?.triggers.has(name))
  const triggers = present.map((name) => sql`drop trigger ${identifier(name)} on ${after.table}`)
  const statements = present.length === 0 ? [] : [...triggers, ...countTriggers(draft.layout, after)]
  if (after.holds !== 'records') return statements
  const history = draft.catalog.tables.has(HISTORY) ? draft.table(HISTORY) : undefined
  return [
    sql`delete from ${counters} where "table_name" = ${literal(after.model)}`,
    sql`update ${counters} set "table_name" = ${literal(after.model)} where "table_name" = ${literal(before.model)}`,
    ...(history === undefined
      ? []
      : [sql`update ${history} set "model" = ${literal(after.model)} where "model" = ${literal(before.model)}`]),
    ...statements,
  ]
}

/** Renames a field in the entries of the history. */
export function renameInHistory(draft: PlanDraft, model: string, was: string, name: string): Sql[] {
  if (!draft.catalog.tables.has(HISTORY)) return []
  const [former, present] = [literal(was), literal(name)]
  return [
    sql`update ${draft.table(HISTORY)} set "changes" = (
        select json_object_agg(case "key" when ${former} then ${present} else "key" end, "value" order by "position")
        from json_each("changes") with ordinality as "each" ("key", "value", "position"))
      where "model" = ${literal(model)} and "changes" -> ${former} is not null and "changes" -> ${present} is null`,
  ]
}

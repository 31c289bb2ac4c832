import { HISTORY_TABLE } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import { tableName } from '../layout/column.ts'
import type { Layout } from '../layout/layout.ts'
import { identifier, literal, type Sql, sql } from '../sql.ts'
import type { HistoryRename } from './catalog.ts'
import type { PlanDraft } from './plan-draft.ts'

/** Entries that a statement looks at. */
const SLICE = 5000

const HISTORY = tableName({ key: HISTORY_TABLE, internal: true })

const historyTable = ({ schema }: Layout): Sql => identifier(schema, HISTORY)

/** Plans that the entries of the history follow a rename. */
export function planHistoryRename(draft: PlanDraft, rename: HistoryRename): void {
  if (!draft.catalog.tables.has(HISTORY)) return
  const { model, field, was } = rename
  const table = historyTable(draft.layout)
  const { set, where } = changeOf(rename)
  draft.add('history', {
    class: 'additive',
    reason: `The history names ${field === undefined ? `'${model}'` : `'${field}' of '${model}'`} no longer '${was}'`,
    statements: [sql`update ${table} set ${set} where ${where}`],
    isConcurrent: true,
    history: rename,
  })
}

/** Id of the last entry of the history. */
export async function lastEntry(connection: Connection, layout: Layout): Promise<number> {
  const { rows } = await connection.query(sql`select max("id") from ${historyTable(layout)}`)
  return Number(rows[0]?.[0] ?? 0)
}

/** Renames in all entries, in slices that are committed one by one. It can be repeated when it was interrupted. */
export async function renameInHistory(connection: Connection, layout: Layout, rename: HistoryRename): Promise<void> {
  const table = historyTable(layout)
  const { set, where } = changeOf(rename)
  const until = rename.upTo ?? (await lastEntry(connection, layout))
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { rows } = await connection.query(sql`with
      "slice" as materialized (
        select "id" from ${table} where "id" > ${after}::bigint and "id" <= ${until}::bigint order by "id" limit ${literal(SLICE)}),
      "renamed" as (update ${table} set ${set} where "id" in (select "id" from "slice") and ${where})
      select max("id") from "slice"`)
    const last: string | null | undefined = rows[0]?.[0]
    after = last == null ? undefined : Number(last)
  }
}

/** The change of an entry, and the condition of those that need it. */
function changeOf({ model, field, was }: HistoryRename): { readonly set: Sql; readonly where: Sql } {
  if (field === undefined) return { set: sql`"model" = ${literal(model)}`, where: sql`"model" = ${literal(was)}` }
  const [former, present] = [literal(was), literal(field)]
  return {
    set: sql`"changes" = (
        select json_object_agg(case "key" when ${former} then ${present} else "key" end, "value" order by "position")
        from json_each("changes") with ordinality as "each" ("key", "value", "position"))`,
    where: sql`"model" = ${literal(model)} and "changes" -> ${former} is not null and "changes" -> ${present} is null`,
  }
}

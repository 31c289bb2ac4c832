import { referencesOf } from '../../../references.ts'
import type { StoredRecord } from '../../../store.ts'
import type { LinkTable } from '../../layout/column.ts'
import { EMPTY, type Sql, sql } from '../../sql.ts'

/** A row of a link table. */
export interface LinkRow {
  readonly owner: number
  readonly target: number
  readonly position: number
}

/** The rows for the links of a record. */
export const linkRows = (record: StoredRecord, { field }: LinkTable): LinkRow[] =>
  [...new Set(referencesOf(record, field.name))].map((target, position) => ({ owner: record.id, target, position }))

/**
 * Inserts links, or gives existing ones another position.
 *
 * @param existing the table of the targets, if links to records that do not exist are to be left out
 */
export function insertLinks({ table }: LinkTable, rows: readonly LinkRow[], existing?: Sql): Sql[] {
  if (rows.length === 0) return []
  const owners = rows.map(({ owner }) => owner)
  const targets = rows.map(({ target }) => target)
  const positions = rows.map(({ position }) => position)
  return [
    sql`insert into ${table} ("owner", "target", "position")
      select * from unnest(${owners}::bigint[], ${targets}::bigint[], ${positions}::integer[]) "u" ("owner", "target", "position")
      ${existing === undefined ? EMPTY : sql`where exists (select from ${existing} where "id" = "u"."target")`}
      on conflict ("owner", "target") do update set "position" = excluded."position"`,
  ]
}

/**
 * Replaces the links of records by the difference: a link that stays is not deleted, since one statement does not delete and insert the
 * same row in a certain order. Positions may have gaps.
 */
export function linkDifferences(
  link: LinkTable,
  updates: readonly { readonly before: StoredRecord; readonly after: StoredRecord }[],
): Sql[] {
  const [gone, placed]: [LinkRow[], LinkRow[]] = [[], []]
  for (const { before, after } of updates) {
    const [former, rows] = [linkRows(before, link), linkRows(after, link)]
    const kept = new Set(rows.map(({ target }) => target))
    const staying = former.filter(({ target }) => kept.has(target))
    gone.push(...former.filter(({ target }) => !kept.has(target)))
    const areInPlace = staying.length === rows.length && rows.every(({ target }, index) => staying[index]?.target === target)
    if (!areInPlace) placed.push(...rows)
  }
  return [...deleteLinks(link, gone), ...insertLinks(link, placed)]
}

function deleteLinks({ table }: LinkTable, rows: readonly LinkRow[]): Sql[] {
  if (rows.length === 0) return []
  const owners = rows.map(({ owner }) => owner)
  const targets = rows.map(({ target }) => target)
  return [
    sql`delete from ${table} "l" using unnest(${owners}::bigint[], ${targets}::bigint[]) "u" ("owner", "target")
      where "l"."owner" = "u"."owner" and "l"."target" = "u"."target"`,
  ]
}

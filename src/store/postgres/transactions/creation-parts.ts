import type { StoredRecord } from '../../store.ts'
import { brokenFields } from '../../transaction/field-constraints.ts'
import { hasFiles } from '../../transaction/file-moves.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { EMPTY, identifier, joined, type Sql, sql } from '../sql.ts'
import { hasLocks, takeLocks, uniqueLocks } from './locks.ts'
import { type InputColumn, input, inputsOf, linkRows, POSITION } from './statements.ts'

/**
 * Creations of up to this number of records take no locks of unique values: their statements are so short that they seldom meet; after a
 * deadlock the general transaction decides, with locks.
 */
export const MAX_UNLOCKED = 20

/** New records of a table that a statement stores, among others. */
export interface NewRecords {
  readonly table: TableLayout
  /** With provisional ids. */
  readonly records: readonly StoredRecord[]
  /** Number of records before them in the part `"ids"` of the statement. */
  readonly start: number
  /** Ends the names of their parts, so that those of several tables differ. */
  readonly suffix: string
}

/** False for records with files, which no direct statement stores, and for those that are certain to be refused. */
export const areStorable = ({ registry }: Layout, { model }: TableLayout, records: readonly StoredRecord[]): boolean =>
  !(registry.withFiles.includes(model) && records.some((record) => hasFiles(model, record))) &&
  records.every((record) => brokenFields(model, record, undefined).length === 0)

/** The columns that an insert of records names, without the id. */
export function givenColumns(table: TableLayout, records: readonly StoredRecord[]): InputColumn[] {
  const [, ...values] = inputsOf(table, records)
  return values.filter(({ hasDefault, values: own }) => hasDefault === true || own.some((value) => value !== null))
}

/** Numbers of rows of the part `"ids"`. */
export const positionsFrom = (start: number, rows: readonly unknown[]): InputColumn => ({
  name: POSITION,
  type: 'bigint',
  values: rows.map((_, index) => start + index + 1),
})

/** The part that inserts the records with their ids of the part `"ids"`. */
export function addedPart({ table, records, start, suffix }: NewRecords): Sql {
  const given = givenColumns(table, records)
  return sql`${identifier(`added${suffix}`)} as (insert into ${table.table} (${joined([sql`"id"`, ...given.map(({ name }) => name)])})
    select ${joined([sql`"ids"."id"`, ...given.map(({ name }) => sql`"i".${name}`)])}
    from "ids" join (${input([positionsFrom(start, records), ...given])}) "i" on "i".${POSITION} = "ids"."n")`
}

/** The parts that insert the links of the records. */
export const linkParts = ({ table, records, start, suffix }: NewRecords): Sql[] =>
  table.links.flatMap((link, index) => {
    const rows = records.flatMap((record, position) =>
      linkRows(record, link).map((row) => ({ ...row, owner: start + position + 1 })),
    )
    if (rows.length === 0) return []
    const [owners, targets, positions] = [
      rows.map((row) => row.owner),
      rows.map((row) => row.target),
      rows.map((row) => row.position),
    ]
    return [
      sql`${identifier(`links_${index}${suffix}`)} as (insert into ${link.table} ("owner", "target", "position")
        select "ids"."id", "u"."target", "u"."position"
        from unnest(${owners}::bigint[], ${targets}::bigint[], ${positions}::integer[]) "u" ("n", "target", "position") join "ids" using ("n"))`,
    ]
  })

/**
 * Begins a part of FROM with the locks of the unique values of records, and a condition that reads it: the server does not compute what
 * nothing reads.
 */
export function lockPart(layout: Layout, all: readonly Pick<NewRecords, 'table' | 'records'>[]): { from: Sql; condition: Sql } {
  const writes = all.flatMap(({ table, records }) => records.map((values) => ({ table: table.model.key, values })))
  const locks = { shared: [], exclusive: uniqueLocks(layout, writes) }
  if (!hasLocks(locks)) return { from: EMPTY, condition: EMPTY }
  return {
    from: sql`(select count(*) as "count" from (${takeLocks(locks)}) "lock") "locked",`,
    condition: sql`"locked"."count" > 0 and`,
  }
}

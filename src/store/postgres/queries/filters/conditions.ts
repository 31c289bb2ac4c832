import { type Filter, isFieldFilter, isRelationFilter, type RelationFilter } from '../../../../query/plan.ts'
import type { Layout } from '../../layout/layout.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { identifier, type Sql, sql } from '../../sql.ts'
import { fieldCondition, not } from './field-conditions.ts'
import { allOf, anyOf } from './text-conditions.ts'

/** Translates the filters of one statement into conditions of SQL. */
export class Conditions {
  readonly #layout: Layout
  #aliases = 0

  constructor(layout: Layout) {
    this.#layout = layout
  }

  /** A name for a table that the statement has not used yet. */
  alias(): Sql {
    return identifier(`r${++this.#aliases}`)
  }

  /** The condition that a row matches all filters. It is null or false where one does not match. */
  all(filters: readonly Filter[], table: TableLayout, alias: Sql): Sql {
    return allOf(filters.map((filter) => this.#of(filter, table, alias)))
  }

  #of(filter: Filter, table: TableLayout, alias: Sql): Sql {
    if (isFieldFilter(filter)) return fieldCondition(filter, table, alias)
    if (isRelationFilter(filter)) return sql`exists (${this.#related(filter, table, alias)})`
    if ('any' in filter) return anyOf(filter.any.map((each) => this.#of(each, table, alias)))
    if ('all' in filter) return this.all(filter.all, table, alias)
    // A relation filter is never null, and PostgreSQL plans NOT EXISTS as a join.
    if (isRelationFilter(filter.not)) return sql`not exists (${this.#related(filter.not, table, alias)})`
    return not(this.#of(filter.not, table, alias))
  }

  /** The rows of the target that a row refers to and that match. */
  #related({ field, target, filter }: RelationFilter, table: TableLayout, alias: Sql): Sql {
    const related = this.#layout.of(target)
    const other = this.alias()
    const matches = this.#of(filter, related, other)
    const link = table.link(field)
    if (link === undefined) {
      const column = table.expectColumn(field)
      return sql`select from ${related.table} ${other} where ${other}."id" = ${alias}.${column.sql} and ${matches}`
    }
    const links = this.alias()
    return sql`select from ${link.table} ${links} join ${related.table} ${other} on ${other}."id" = ${links}."target"
      where ${links}."owner" = ${alias}."id" and ${matches}`
  }
}

import type { Connection } from '../connection/database.ts'
import { definitionsOf } from '../layout/definitions.ts'
import type { Layout } from '../layout/layout.ts'
import { sql } from '../sql.ts'
import { isReadableAs, plainType } from './plan-columns.ts'

/** The columns that the models use, by table: the type of each by its name. */
type UsedColumns = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Checks whether a process with some models can use the tables as they are, whichever release has made them. Columns and tables that the
 * models do not have are no hindrance, unless a record needs a value there.
 */
export class TableCheck {
  readonly #layout: Layout
  readonly #used: UsedColumns

  constructor(layout: Layout) {
    this.#layout = layout
    this.#used = new Map(
      definitionsOf(layout, undefined).map(({ name, columns }) => [
        name,
        new Map(columns.map((column) => [column.name, plainType(column.type)])),
      ]),
    )
  }

  /** What the models cannot use, as clauses for people; empty if they can use everything. Reads the catalog only, in one statement. */
  async mismatches(connection: Connection): Promise<string[]> {
    const { rows } = await connection.query(
      sql`select "c"."relname", "a"."attname", format_type("a"."atttypid", "a"."atttypmod"),
          "a"."attnotnull" and not "a"."atthasdef" and "a"."attidentity" = ''
        from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
        join pg_attribute "a" on "a"."attrelid" = "c"."oid" and "a"."attnum" > 0 and not "a"."attisdropped"
        where "n"."nspname" = ${this.#layout.schema} and "c"."relkind" in ('r', 'p')
          and "c"."relname" = any(${[...this.#used.keys()]}::text[])`,
    )
    const found = new Map<string, Map<string, { readonly type: string; readonly needsValue: boolean }>>()
    for (const [table = null, column = null, type = null, needsValue] of rows) {
      const columns = found.get(table ?? '') ?? new Map()
      found.set(table ?? '', columns.set(column ?? '', { type: type ?? '', needsValue: needsValue === 't' }))
    }
    return [...this.#used].flatMap(([table, used]) => {
      const columns = found.get(table)
      if (columns === undefined) return [`the table '${table}' is missing`]
      const unusable = [...used].flatMap(([name, type]) => {
        const column = columns.get(name)
        if (column === undefined) return [`the column '${name}' of '${table}' is missing`]
        return isReadableAs(type, column.type) ? [] : [`the column '${name}' of '${table}' is of the type ${column.type}`]
      })
      const needed = [...columns].flatMap(([name, { needsValue }]) =>
        needsValue && !used.has(name) ? [`the column '${name}' of '${table}' is mandatory and has no default`] : [],
      )
      return [...unusable, ...needed]
    })
  }
}

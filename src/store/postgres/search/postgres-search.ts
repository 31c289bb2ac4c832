import type { Filter } from '../../../query/plan.ts'
import type { Progress, SearchedTable, SearchMoment, SearchStorage, TextAnalyser, WordSelection } from '../../search-storage.ts'
import type { ReadOptions } from '../../store.ts'
import type { Connection, Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { noTotals } from '../queries/page.ts'
import { RecordQueries } from '../queries/queries.ts'
import { sql } from '../sql.ts'
import { openTable, readJson, searchTablesOf } from './search-tables.ts'
import { countMissing, readWords } from './word-reader.ts'
import { WordWriter } from './word-writer.ts'

/** Maximum number of rows of discarded words that are deleted at a time. */
const GARBAGE = 5000

/** Maximum length of a name in PostgreSQL. The names of tables of models with longer keys are others. */
const MAX_NAME_BYTES = 63

/** The words of records in tables of the database. */
export class PostgresSearch implements SearchStorage {
  readonly #database: Database
  readonly #layout: Layout
  readonly #isEarlier: boolean
  readonly #totals = noTotals()

  /** @param isEarlier true for an earlier release beside a later one */
  constructor(database: Database, layout: Layout, isEarlier = false) {
    this.#database = database
    this.#layout = layout
    this.#isEarlier = isEarlier
  }

  async open(searched: SearchedTable): Promise<void> {
    await this.#database.transaction((connection) => openTable(connection, this.#layout, searched, this.#isEarlier))
  }

  async storeNext(
    searched: SearchedTable,
    analyser: TextAnalyser,
    limit: number,
    pause: () => Promise<unknown>,
  ): Promise<Progress> {
    return this.#database.transaction((connection) =>
      new WordWriter({ connection, layout: this.#layout, searched, analyser, pause }).storeNext(limit),
    )
  }

  async behind(tables: readonly string[]): Promise<readonly string[]> {
    const { state, changes } = searchTablesOf(this.#layout)
    const { rows } = await this.#database.query(
      sql`select s.table_name from ${state} s where s.table_name = any(${tables}::text[])
        and exists (select from ${changes} c where c.number = s.number)`,
    )
    return rows.map(([table]) => table ?? '')
  }

  async discardGarbage(): Promise<boolean> {
    const { state, documents, words } = searchTablesOf(this.#layout)
    await this.#database.query(sql`delete from ${state} where octet_length(table_name) <= ${MAX_NAME_BYTES}
      and to_regclass(quote_ident(${this.#layout.schema}) || '.' || quote_ident(table_name)) is null`)
    let deleted = 0
    for (const table of [documents, words]) {
      // Jumps from one generation to the next by the index, since most rows are none of the garbage.
      const { count } = await this.#database.query(
        sql`with recursive generations (generation) as (
            select min(generation) from ${table}
            union all
            select (select min(t.generation) from ${table} t where t.generation > g.generation) from generations g where g.generation is not null
          ), garbage as (
            select generation from generations where generation <> all(array(select generation from ${state})) limit 1
          )
          delete from ${table} where ctid = any(array(
            select ctid from ${table} where generation = (select generation from garbage) limit ${GARBAGE}))`,
      )
      deleted += count
    }
    return deleted > 0
  }

  async read<T>(
    searched: SearchedTable,
    selection: WordSelection,
    work: (moment: SearchMoment) => Promise<T>,
    { signal }: ReadOptions = {},
  ): Promise<T | undefined> {
    const options = { isolation: 'repeatable read', readOnly: true, signal } as const
    return this.#database.transaction(async (connection) => {
      const stored = await readWords(connection, this.#layout, searched, selection)
      if (stored === undefined) return undefined
      const lengthsOf = (ids: readonly number[]) => this.#lengthsOf(connection, searched, ids)
      const countOf = (filters: readonly Filter[]) => countMissing(connection, this.#layout, searched, filters)
      const records = new RecordQueries(connection, this.#layout, this.#totals)
      return work({ stored, records, countMissing: countOf, lengthsOf })
    }, options)
  }

  async #lengthsOf(connection: Connection, { table, fields }: SearchedTable, ids: readonly number[]) {
    const { state, documents } = searchTablesOf(this.#layout)
    const { rows } = await connection.query(
      sql`select d.id, array_to_json(array(
          select coalesce(d.lengths[array_position(s.fields, field)], 0) from unnest(${fields}::text[]) with ordinality given (field, position)
          order by position))
        from ${state} s join ${documents} d on d.generation = s.generation
        where s.table_name = ${table} and d.id = any(${ids}::bigint[])`,
    )
    return new Map(rows.map(([id, lengths]) => [Number(id), readJson<number[]>(lengths) ?? []]))
  }
}

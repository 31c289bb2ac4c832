import type { Progress, SearchedTable, SearchMoment, SearchStorage, TextAnalyser, WordSelection } from '../../search-storage.ts'
import type { Connection, Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { sql } from '../sql.ts'
import { readJson } from './record-texts.ts'
import { openTable } from './search-state.ts'
import { searchTablesOf } from './search-tables.ts'
import { readWords } from './word-reader.ts'
import { WordWriter } from './word-writer.ts'

/** Maximum number of rows of discarded words that are deleted at a time. */
const GARBAGE = 5000

/** Reads of records on one connection. */
type RecordsOn = (connection: Connection) => SearchMoment['records']

/** The words of records in tables of the database. */
export class PostgresSearch implements SearchStorage {
  readonly #database: Database
  readonly #layout: Layout
  readonly #recordsOn: RecordsOn

  /** @param recordsOn reads records on the connection of a transaction, so that they are of the same moment as the words */
  constructor(database: Database, layout: Layout, recordsOn: RecordsOn) {
    this.#database = database
    this.#layout = layout
    this.#recordsOn = recordsOn
  }

  async open(searched: SearchedTable): Promise<void> {
    await this.#database.transaction((connection) => openTable(connection, this.#layout, searched))
  }

  async storeNext(
    searched: SearchedTable,
    analyser: TextAnalyser,
    limit: number,
    pause: () => Promise<unknown>,
  ): Promise<Progress> {
    return this.#database.transaction((connection) =>
      new WordWriter(connection, this.#layout, searched, { analyser, pause }).storeNext(limit),
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
    let deleted = 0
    for (const table of [documents, words]) {
      const { count } = await this.#database.query(
        sql`delete from ${table} where ctid = any(array(
          select ctid from ${table} where generation <> all(array(select generation from ${state})) limit ${GARBAGE}))`,
      )
      deleted += count
    }
    return deleted > 0
  }

  async read<T>(
    searched: SearchedTable,
    selection: WordSelection,
    work: (moment: SearchMoment) => Promise<T>,
  ): Promise<T | undefined> {
    const options = { isolation: 'repeatable read', readOnly: true } as const
    return this.#database.transaction(async (connection) => {
      const stored = await readWords(connection, this.#layout, searched, selection)
      if (stored === undefined) return undefined
      const lengthsOf = (ids: readonly number[]) => this.#lengthsOf(connection, searched, ids)
      return work({ stored, records: this.#recordsOn(connection), lengthsOf })
    }, options)
  }

  async #lengthsOf(connection: Connection, { table, fields }: SearchedTable, ids: readonly number[]) {
    const { state, documents } = searchTablesOf(this.#layout)
    const { rows } = await connection.query(
      sql`select d.id, array_to_json(array(
          select d.lengths[array_position(s.fields, field)] from unnest(${fields}::text[]) with ordinality given (field, position)
          order by position))
        from ${state} s join ${documents} d on d.generation = s.generation
        where s.table_name = ${table} and d.id = any(${ids}::bigint[])`,
    )
    return new Map(rows.map(([id, lengths]) => [Number(id), readJson<number[]>(lengths) ?? []]))
  }
}

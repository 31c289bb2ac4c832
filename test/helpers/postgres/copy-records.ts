import type { Database } from '../../../src/store/postgres/connection/database.ts'
import type { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { identifier, joined, keyword, type Parameter, sql } from '../../../src/store/postgres/sql.ts'
import type { Store, StoredRecord } from '../../../src/store/store.ts'

/** Rows of one statement. */
const BATCH = 500

/** Copies all records of a store into the tables of a layout, which are empty. */
export async function copyRecords(store: Store, database: Database, layout: Layout): Promise<void> {
  for (const { model } of layout.tables) {
    for await (const records of store.stream(model.key, { filters: [], sort: [] })) {
      for (let from = 0; from < records.length; from += BATCH)
        await insert(database, layout, model.key, records.slice(from, from + BATCH))
    }
  }
}

async function insert(database: Database, layout: Layout, key: string, records: readonly StoredRecord[]): Promise<void> {
  const { table, columns, links } = layout.of(key)
  const names = [...columns.map((column) => column.sql), ...links.map(({ flag }) => flag)]
  const rows = records.map((record) => {
    const values: Parameter[] = columns.map(({ field, toParameter }) => toParameter(record[field.name] ?? null))
    return sql`(${joined(
      [...values, ...links.map(({ field }) => Array.isArray(record[field.name]))].map((value, place) =>
        place < columns.length ? sql`${value}::${keyword(columns[place]?.type ?? 'text')}` : sql`${value}::boolean`,
      ),
    )})`
  })
  await database.query(sql`insert into ${table} (${joined(names)}) values ${joined(rows)}`)
  for (const { field, table: linked } of links) {
    const triples = records.flatMap(({ id, [field.name]: targets }) =>
      Array.isArray(targets) ? targets.map((target, position) => [id, Number(target), position] as const) : [],
    )
    if (triples.length === 0) continue
    const [owners, targets, positions] = [0, 1, 2].map((place) => triples.map((triple) => triple[place] ?? 0))
    const list = joined([owners, targets, positions].map((values = []) => sql`${values}::bigint[]`))
    await database.query(
      sql`insert into ${linked} (${identifier('owner')}, ${identifier('target')}, ${identifier('position')}) select * from unnest(${list})`,
    )
  }
}

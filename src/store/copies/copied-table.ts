import { createHash } from 'node:crypto'
import type { Model } from '../../model/model.ts'
import type { Connection } from '../postgres/connection/database.ts'
import type { TableLayout } from '../postgres/layout/layout.ts'
import { identifier, joined, keyword, type Sql, sql } from '../postgres/sql.ts'
import type { StoredRecord } from '../store.ts'

/** Records read at a time. */
const PAGE = 1000

/** Inserts records with their ids into an empty table, and their links. */
export async function insertRecords(
  connection: Connection,
  { table, columns, links }: TableLayout,
  records: readonly StoredRecord[],
): Promise<void> {
  const rows = JSON.stringify(
    records.map((record) =>
      Object.fromEntries([...columns, ...links].map(({ field, name }) => [name, record[field.name] ?? null])),
    ),
  )
  const declared = joined([
    ...columns.map((column) => sql`${column.sql} ${keyword(column.type)}`),
    ...links.map(({ name }) => sql`${identifier(name)} json`),
  ])
  const from = sql`json_to_recordset(${rows}::json) as "r" (${declared})`
  const names: Sql[] = [...columns.map((column) => column.sql), ...links.map(({ flag }) => flag)]
  const values: Sql[] = [
    ...columns.map((column) => column.sql),
    ...links.map(({ name }) => sql`case when ${identifier(name)} is not null then true end`),
  ]
  await connection.query(sql`insert into ${table} (${joined(names)}) select ${joined(values)} from ${from}`)
  for (const link of links) {
    if (!records.some((record) => ((record[link.field.name] ?? []) as readonly unknown[]).length > 0)) continue
    await connection.query(sql`insert into ${link.table} ("owner", "target", "position")
      select "r"."id", "e"."target"::bigint, "e"."position" - 1
      from ${from} cross join lateral json_array_elements_text("r".${identifier(link.name)}) with ordinality as "e" ("target", "position")`)
  }
}

/** The records of a table in id order, in pages, as of one moment if the transaction is repeatable read. */
export async function* readRecords(connection: Connection, layout: TableLayout): AsyncGenerator<readonly StoredRecord[]> {
  const alias = identifier('r')
  for (let last = 0; ; ) {
    const { rows } = await connection.query(
      sql`select ${layout.selectList(alias)} from ${layout.table} as ${alias} where ${alias}."id" > ${last} order by ${alias}."id" limit ${PAGE}`,
    )
    const records = rows.map((row) => layout.read(row))
    if (records.length > 0) yield records
    if (records.length < PAGE) return
    last = records.at(-1)?.id ?? last
  }
}

/** The next id of a table. */
export async function nextIdOf(connection: Connection, { sequence }: TableLayout): Promise<number> {
  const { rows } = await connection.query(sql`select "last_value", "is_called" from ${keyword(sequence)}`)
  const [last, isCalled] = rows[0] ?? []
  return Number(last ?? 1) + (isCalled === 't' ? 1 : 0)
}

/** Sets the next id of a table. */
export const setNextId = ({ sequence }: TableLayout, nextId: number): Sql =>
  sql`select setval(${sequence}::regclass, ${nextId}::bigint, false)`

/** The records of a table, counted and summed up. */
export async function checksumOf(connection: Connection, layout: TableLayout): Promise<CopiedModel> {
  const checksum = new TableChecksum(layout.model)
  for await (const records of readRecords(connection, layout)) for (const record of records) checksum.add(record)
  return checksum.result(await nextIdOf(connection, layout))
}

/** The number of records of a model, and a checksum of all of them. */
export interface CopiedModel {
  readonly model: string
  readonly records: number
  /** SHA-256 in hexadecimal digits. */
  readonly checksum: string
  readonly nextId: number
}

/** The checksum of the records of a model in id order: the same on every engine for the same values. */
export class TableChecksum {
  readonly #model: Model
  readonly #names: readonly string[]
  readonly #hash = createHash('sha256')
  #records = 0

  constructor(model: Model) {
    this.#model = model
    this.#names = [...model.fields.keys()]
  }

  /** Adds the next record. Values of other fields than the model's do not count, and a missing value counts as null. */
  add(record: StoredRecord): void {
    this.#records++
    this.#hash.update(JSON.stringify(this.#names.map((name) => record[name] ?? null)))
  }

  /** The result, after the last record. */
  result(nextId: number): CopiedModel {
    return { model: this.#model.key, records: this.#records, checksum: this.#hash.digest('hex'), nextId }
  }
}

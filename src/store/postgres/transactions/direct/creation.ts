import type { Change, Operation, Outcome, StoredRecord } from '../../../store.ts'
import { brokenFields } from '../../../transactions/field-constraints.ts'
import type { Connection } from '../../connection/database.ts'
import type { Layout } from '../../layout/layout.ts'
import { rememberRowVersion } from '../../layout/row-version.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { identifier, joined, type Sql, sql } from '../../sql.ts'
import type { Work } from '../general-transaction.ts'
import { input, inputOf } from '../statements/input.ts'
import { linkRows } from '../statements/links.ts'
import { type NotedTables, noteChanges, noteParts, notesOf, PROVISIONAL_ID, readIds, selectIds } from './notes.ts'
import { ALL, preconditions } from './preconditions.ts'

/** New records of one table. One statement stores them with their links and notes. */
export class Creation {
  readonly #layout: Layout
  readonly #table: TableLayout
  /** With provisional ids. */
  readonly #records: readonly StoredRecord[]
  readonly #notes: NotedTables
  readonly #conditions: readonly Sql[]

  private constructor(
    layout: Layout,
    table: TableLayout,
    records: readonly StoredRecord[],
    conditions: readonly Sql[],
    notes: NotedTables,
  ) {
    this.#layout = layout
    this.#table = table
    this.#records = records
    this.#conditions = conditions
    this.#notes = notes
  }

  /** The creation that a transaction consists of; undefined for another transaction, and for one that is certain to be refused. */
  static of(layout: Layout, { operations, notes }: Work): Creation | undefined {
    const [first] = operations
    if (first === undefined || !operations.every((operation) => isPlainInsert(operation, first.table))) return undefined
    const table = layout.of(first.table)
    const records = operations.map(
      (operation): StoredRecord => ({
        id: PROVISIONAL_ID,
        ...(operation.kind === 'insert' ? operation.values : {}),
      }),
    )
    if (records.some((record) => brokenFields(table.model, record, undefined).length > 0)) return undefined
    const conditions = preconditions(layout, table, records, ALL)
    if (conditions === undefined) return undefined
    const changes = records.map((after): Change => ({ table: first.table, id: after.id, before: undefined, after }))
    return new Creation(layout, table, records, conditions, {
      ...notesOf(layout, changes, operations, records, notes),
      eventTable: notes?.events?.table,
      historyTable: notes?.history?.table,
      isProvisional: true,
    })
  }

  /** @returns undefined if the records may not be stored; then nothing is */
  async run(connection: Connection): Promise<Outcome | undefined> {
    const { rows } = await connection.query(this.#statement())
    const ids = readIds(rows)
    if (ids === undefined) return undefined
    const records = this.#records.map((record, index) => Object.freeze({ ...record, id: ids.records[index] ?? 0 }))
    const own = records.map((after): Change => ({ table: this.#table.model.key, id: after.id, before: undefined, after }))
    const changes = [...own, ...noteChanges(this.#layout, ids, ids.records, this.#notes)]
    for (const { after } of changes) if (after !== undefined) rememberRowVersion(after, ids.version)
    return { ok: true, records, changes }
  }

  #statement(): Sql {
    const { table, columns, links, sequence } = this.#table
    const records = this.#records
    const values = columns.slice(1).map((column) =>
      inputOf(
        column,
        records.map((record) => record[column.field.name] ?? null),
      ),
    )
    const flags = links.map(({ flag, field }) => ({
      name: flag,
      type: 'boolean',
      values: records.map((record) => ((record[field.name] ?? null) === null ? null : true)),
    }))
    const positions = { name: sql`"position"`, type: 'bigint', values: records.map((_, index) => index + 1) }
    const given = [...values, ...flags].filter((column) => column.values.some((value) => value !== null))
    const names = [sql`"id"`, ...given.map(({ name }) => name)]
    const condition = this.#conditions.length === 0 ? sql`true` : joined(this.#conditions, ' and ')
    const parts = [
      sql`"ids" as materialized (select "n", nextval(${sequence}::regclass) as "id" from generate_series(1, ${records.length}::bigint) "n" where ${condition})`,
      sql`"added" as (insert into ${table} (${joined(names)})
        select ${joined([sql`"ids"."id"`, ...given.map(({ name }) => sql`"i".${name}`)])}
        from "ids" join (${input([positions, ...given])}) "i" on "i"."position" = "ids"."n")`,
      ...links.flatMap((link, index) => this.#linkPart(link, index)),
      ...noteParts(this.#layout, this.#notes),
    ]
    return sql`with ${joined(parts)} ${selectIds(this.#notes)}`
  }

  #linkPart(link: TableLayout['links'][number], index: number): Sql[] {
    const rows = this.#records.flatMap((record, position) =>
      linkRows(record, link).map((row) => ({ ...row, owner: position + 1 })),
    )
    if (rows.length === 0) return []
    const [owners, targets, positions] = [
      rows.map((row) => row.owner),
      rows.map((row) => row.target),
      rows.map((row) => row.position),
    ]
    return [
      sql`${identifier(`links_${index}`)} as (insert into ${link.table} ("owner", "target", "position")
        select "ids"."id", "u"."target", "u"."position"
        from unnest(${owners}::bigint[], ${targets}::bigint[], ${positions}::integer[]) "u" ("n", "target", "position") join "ids" using ("n"))`,
    ]
  }
}

const isPlainInsert = (operation: Operation, table: string): boolean =>
  operation.kind === 'insert' && operation.table === table && operation.id === undefined && operation.allowed === undefined

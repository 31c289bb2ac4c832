import type { Registry } from '../../../../src/model/registry.ts'
import type { AggregateGroup } from '../../../../src/query/aggregate.ts'
import { type Filter, type Plan, relatedTables } from '../../../../src/query/plan.ts'
import { Engine } from '../../../../src/store/embedded/engine.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { createSchema } from '../../../../src/store/postgres/schema/create-schema.ts'
import { identifier, sql } from '../../../../src/store/postgres/sql.ts'
import { PostgresTransactions } from '../../../../src/store/postgres/transactions/postgres-transactions.ts'
import type {
  ChangeListener,
  FoundPage,
  Operation,
  Outcome,
  Store,
  StoredRecord,
  StoreStatus,
  TransactionMode,
  TransactionNotes,
} from '../../../../src/store/store.ts'
import { newSchema, type TestSchema } from '../../../helpers/postgres/schemas.ts'
import { serverAddress, sharedDatabase } from '../../../helpers/postgres/server.ts'

/** Writes by the transactions under test. Reads whole tables and lets the embedded engine find in them, so that only writes are tested. */
export class WritingStore implements Store {
  readonly isShared = true
  readonly database: PgDatabase
  readonly layout: Layout
  readonly #transactions: PostgresTransactions

  constructor(database: PgDatabase, layout: Layout) {
    this.database = database
    this.layout = layout
    this.#transactions = new PostgresTransactions(database, layout)
  }

  async get(table: string, ids: readonly number[]): Promise<(StoredRecord | undefined)[]> {
    const records = new Map((await this.all(table, ids)).map((record) => [record.id, record]))
    return ids.map((id) => records.get(id))
  }

  async find(table: string, plan: Plan): Promise<FoundPage> {
    const engine = new Engine(this.layout.registry)
    for (const name of new Set([table, ...relatedTables(plan)])) {
      for (const record of await this.all(name)) engine.table(name).replace(record.id, record)
    }
    for (let wait = engine.prepare(table, plan); wait !== undefined; wait = engine.prepare(table, plan)) await wait
    return engine.find(table, plan)
  }

  /** The records of a table, by id. */
  async all(name: string, ids?: readonly number[]): Promise<readonly StoredRecord[]> {
    const layout = this.layout.of(name)
    const r = identifier('r')
    const condition = ids === undefined ? sql`true` : sql`"r"."id" = any(${ids}::bigint[])`
    const { rows } = await this.database.query(
      sql`select ${layout.selectList(r)} from ${layout.table} "r" where ${condition} order by "r"."id"`,
    )
    return rows.map((row) => layout.read(row))
  }

  findEach(table: string, plans: readonly Plan[]): Promise<readonly FoundPage[]> {
    return Promise.all(plans.map((plan) => this.find(table, plan)))
  }

  async matching(table: string, filters: readonly Filter[], ids: readonly number[]): Promise<ReadonlySet<number>> {
    const { records } = await this.find(table, { filters, sort: [], offset: 0, limit: Number.MAX_SAFE_INTEGER })
    return new Set(records.flatMap(({ id }) => (ids.includes(id) ? [id] : [])))
  }

  transact(operations: readonly Operation[], mode?: TransactionMode, notes?: TransactionNotes): Promise<Outcome> {
    return this.#transactions.transact(operations, mode, notes)
  }

  aggregate(): Promise<readonly AggregateGroup[]> {
    throw new Error('These tests compute no totals')
  }

  stream(): AsyncIterable<readonly StoredRecord[]> {
    throw new Error('These tests read no streams')
  }

  status(): Promise<StoreStatus> {
    throw new Error('These tests ask for no status')
  }

  onChange(_: ChangeListener): void {}

  async close(): Promise<void> {}
}

/** A schema with empty tables, and stores on it: `another` has a pool of its own, as another process has. */
export interface WritingTest {
  readonly store: WritingStore
  readonly another: () => Promise<WritingStore>
  close(): Promise<void>
}

/** @param create creates the tables */
export async function openWriting(registry: Registry, create = createSchema): Promise<WritingTest> {
  const test: TestSchema = newSchema(await sharedDatabase())
  const layout = new Layout(registry, test.schema)
  const database = await sharedDatabase()
  await create(database, layout)
  const others: PgDatabase[] = []
  return {
    store: new WritingStore(database, layout),
    another: async () => {
      const other = new PgDatabase(await serverAddress())
      others.push(other)
      return new WritingStore(other, layout)
    },
    close: async () => {
      for (const other of others) await other.close()
      await test.drop()
    },
  }
}

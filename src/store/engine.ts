import type { Registry } from '../model/registry.ts'
import { comparer } from '../query/compare.ts'
import { matcher } from '../query/match.ts'
import { type Filter, isRelationFilter, type Plan, type SortKey } from '../query/plan.ts'
import type { JsonObject } from '../util/json.ts'
import type { Change, Operation, Outcome, StoredRecord, TransactionMode } from './store.ts'
import { referencesOf, Table } from './table.ts'
import { Transaction } from './transaction.ts'

/** The tables of a store, in memory: synchronous, so that a transaction is seen whole or not at all. */
export class Engine {
  readonly tables: ReadonlyMap<string, Table>
  readonly #registry: Registry

  constructor(registry: Registry) {
    this.#registry = registry
    this.tables = new Map(registry.all.map((model) => [model.key, new Table(model)]))
  }

  get(table: string, ids: readonly number[]): (StoredRecord | undefined)[] {
    const { records } = this.table(table)
    return ids.map((id) => records.get(id))
  }

  find(table: string, { filters, sort, offset, limit }: Plan): { records: StoredRecord[]; total: number } {
    const matching = this.all(table, filters, sort)
    return { records: matching.slice(offset, offset + limit), total: matching.length }
  }

  /** Every matching record, in order. */
  all(table: string, filters: readonly Filter[], sort: readonly SortKey[]): StoredRecord[] {
    const tests = filters.map((filter) => this.#test(filter))
    const found = [...this.table(table).records.values()].filter((record) => tests.every((test) => test(record)))
    return found.sort(comparer(sort))
  }

  #test(filter: Filter): (record: StoredRecord) => boolean {
    if (!isRelationFilter(filter)) return matcher(filter) satisfies (record: JsonObject) => boolean
    const related = new Set(this.all(filter.target, [filter.filter], []).map((record) => record.id))
    return (record) => referencesOf(record, filter.field).some((id) => related.has(id))
  }

  /** Works out a transaction and, when nothing speaks against it and it is meant, applies it. */
  transact(operations: readonly Operation[], mode: TransactionMode): Outcome {
    const transaction = new Transaction(this.tables, this.#registry)
    const outcome = transaction.run(operations)
    if (outcome.ok && mode === 'commit') {
      for (const [table, nextId] of transaction.nextIds) this.table(table).nextId = nextId
      for (const { table, id, after } of outcome.changes) this.table(table).replace(id, after)
    }
    return outcome
  }

  /** Takes changes back. Their ids stay given: nobody else gets them. */
  revert(changes: readonly Change[]): void {
    for (const { table, id, before } of changes.toReversed()) this.table(table).replace(id, before)
  }

  table(name: string): Table {
    const table = this.tables.get(name)
    if (table === undefined) throw new Error(`There is no table '${name}'`)
    return table
  }
}

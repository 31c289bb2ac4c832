import type { Registry } from '../../model/registry.ts'
import type { AggregateGroup, AggregatePlan } from '../../query/aggregate.ts'
import { type Filter, type Plan, relatedTables, type SortKey } from '../../query/plan.ts'
import { ChangeListeners, type ReportFailure } from '../change-listeners.ts'
import type { Change, ChangeListener, Operation, Outcome, StoredRecord, TransactionMode, TransactionNotes } from '../store.ts'
import { Transaction } from '../transactions/transaction.ts'
import { aggregate, needsOfAggregate } from './queries/aggregation.ts'
import { needsOfOrder, ordered } from './queries/order.ts'
import { needsOf, type Selected, select, type TableNeed } from './queries/select.ts'
import type { Page } from './tables/query-cache.ts'
import { Table } from './tables/table.ts'

/** Options of the embedded engine. */
export interface EngineOptions {
  /** Tables with at most this many records are scanned instead of indexed. */
  readonly smallTable?: number
  /** Called with the query plan of each list. */
  readonly explain?: ((line: string) => void) | undefined
  /** Called with the error of a listener of changes. */
  readonly failed?: ReportFailure
}

/** The tables of a store in memory. It is synchronous, so a transaction is visible as a whole or not at all. */
export class Engine {
  readonly tables: ReadonlyMap<string, Table>
  readonly #registry: Registry
  readonly #explain: ((line: string) => void) | undefined
  readonly #listeners: ChangeListeners

  constructor(registry: Registry, { smallTable, explain, failed }: EngineOptions = {}) {
    this.#registry = registry
    this.#explain = explain
    this.#listeners = new ChangeListeners(failed)
    this.tables = new Map(registry.all.map((model) => [model.key, new Table(model, smallTable)]))
  }

  get(table: string, ids: readonly number[]): (StoredRecord | undefined)[] {
    const found = this.table(table)
    return ids.map((id) => found.get(id))
  }

  /**
   * Builds the indexes that a query needs. Tables may change meanwhile, so the caller repeats this until nothing is missing.
   *
   * @returns undefined if the query can be executed now
   */
  prepare(name: string, { filters, sort }: Pick<Plan, 'filters' | 'sort'>): Promise<unknown> | undefined {
    const table = this.#settled(name, { filters, sort })
    const tableNamed = (other: string) => this.table(other)
    return this.#ensure([...needsOf(table, filters, tableNamed), ...needsOfOrder(table, sort, tableNamed)])
  }

  /** Builds the indexes that an aggregate needs, as `prepare` does for a query. */
  prepareAggregate(name: string, plan: AggregatePlan): Promise<unknown> | undefined {
    const table = this.#settled(name, { filters: plan.filters, sort: [] })
    const tableNamed = (other: string) => this.table(other)
    return this.#ensure([...needsOf(table, plan.filters, tableNamed), ...needsOfAggregate(table, plan)])
  }

  #settled(name: string, plan: Pick<Plan, 'filters' | 'sort'>): Table {
    const table = this.table(name)
    table.settle()
    for (const other of relatedTables(plan)) this.table(other).settle()
    return table
  }

  #ensure(needs: readonly TableNeed[]): Promise<unknown> | undefined {
    let waits: Promise<void>[] | undefined
    for (const need of needs) {
      const wait = need.table.ensureIndex(need)
      if (wait !== undefined) waits = [...(waits ?? []), wait]
    }
    return waits === undefined ? undefined : Promise.all(waits)
  }

  /** The cached page of a plan, brought up to date; undefined if the plan must be executed. */
  cachedPage(name: string, plan: Plan): Page | undefined {
    const page = this.table(name).queryCache.recall(plan)
    if (page !== undefined) this.#explain?.(`list ${name}: remembered → ${page.total} of ${this.table(name).size}`)
    return page
  }

  /** Executes a prepared query. */
  find(name: string, plan: Plan): Page {
    const page = this.findOnce(name, plan)
    const others = [...relatedTables(plan)].map((other) => this.table(other).changes)
    this.table(name).queryCache.remember(plan, page, others)
    return page
  }

  /** Executes a prepared aggregate; undefined if it has too many groups. */
  aggregate(name: string, plan: AggregatePlan): readonly AggregateGroup[] | undefined {
    const table = this.table(name)
    const { selection, how } = this.#select(table, { filters: plan.filters, sort: [] })
    const groups = aggregate(table, selection, plan)
    this.#explain?.(`aggregate ${name}: ${how()} → ${groups?.length ?? 'too many'} groups of ${selection.size}`)
    return groups
  }

  /** The ids of given records that match all filters. */
  matching(name: string, filters: readonly Filter[], ids: readonly number[]): ReadonlySet<number> {
    const table = this.table(name)
    const { selection } = this.#select(table, { filters, sort: [] })
    return new Set(
      ids.filter((id) => {
        const row = table.rowOf(id)
        return row !== undefined && selection.has(row)
      }),
    )
  }

  #select(table: Table, plan: Pick<Plan, 'filters' | 'sort'>): Selected {
    table.scratch.reset()
    for (const other of relatedTables(plan)) this.table(other).scratch.reset()
    return select(table, plan.filters, (other) => this.table(other))
  }

  /** Executes a prepared query without caching its page. */
  findOnce(name: string, plan: Plan): Page {
    const table = this.table(name)
    const { selection, how } = this.#select(table, plan)
    const page = ordered(table, selection, plan, (other) => this.table(other))
    this.#explain?.(`list ${name}: ${how()} → ${selection.size} of ${table.size}; order ${page.how()}`)
    return { records: page.records, total: selection.size }
  }

  /** Every matching record, in order. */
  all(name: string, filters: readonly Filter[], sort: readonly SortKey[]): readonly StoredRecord[] {
    return this.findOnce(name, { filters, sort, offset: 0, limit: Number.POSITIVE_INFINITY }).records
  }

  /** Runs a transaction. Applies it in mode `commit` if there is no violation. */
  transact(operations: readonly Operation[], mode: TransactionMode, notes?: TransactionNotes): Outcome {
    const transaction = new Transaction(this.tables, this.#registry)
    const outcome = transaction.run(operations, notes)
    if (outcome.ok && mode === 'commit') {
      transaction.eachNextId((table, nextId) => {
        this.table(table).nextId = nextId
      })
      for (const { table, id, after } of outcome.changes) this.table(table).replace(id, after)
      this.#tell(outcome.changes)
    }
    return outcome
  }

  /**
   * Registers a listener of changes. Reverted changes are reported as their opposites. The listener runs before any reader sees
   * the change.
   */
  onChange(follower: ChangeListener): void {
    this.#listeners.add(follower)
  }

  #tell(changes: readonly Change[]): void {
    if (changes.length > 0) this.#listeners.tell(changes)
  }

  /** Reverts changes. Their ids are not reused. */
  revert(changes: readonly Change[]): void {
    const opposites = changes.toReversed().map(({ table, id, before, after }) => ({ table, id, before: after, after: before }))
    for (const { table, id, after } of opposites) this.table(table).replace(id, after)
    this.#tell(opposites)
  }

  table(name: string): Table {
    const table = this.tables.get(name)
    if (table === undefined) throw new Error(`There is no table '${name}'`)
    return table
  }
}

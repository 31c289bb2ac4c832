import { AppError } from '../../errors.ts'
import type { Registry } from '../../model/registry.ts'
import type { AggregateGroup, AggregatePlan } from '../../query/aggregate.ts'
import { type Filter, type Plan, relatedTables, relationFilters } from '../../query/plan.ts'
import { runInSlices, runSlice, SharedSlices, type SliceOptions, Slices, type Steps } from '../../util/slices.ts'
import { ChangeListeners, type ReportFailure } from '../changes.ts'
import type { Change, FoundPage, Operation, Outcome, SideRecords, StoredRecord, TransactionMode } from '../store.ts'
import { Transaction } from '../transaction/transaction.ts'
import { aggregateRows, needsOfAggregate } from './tables/aggregation.ts'
import { needsOfOrder, ordered } from './tables/order.ts'
import { pageAfter } from './tables/page-upkeep.ts'
import { needsOf, prepareFilters, type Selected, select, type TableNamed, type TableNeed } from './tables/select.ts'
import { Table } from './tables/table.ts'

/** Options of the embedded engine. */
export interface EngineOptions {
  /** Tables with at most this many records are scanned instead of indexed. */
  readonly smallTable?: number
  /** Clock and pauses of the slices of long transactions. */
  readonly slices?: SliceOptions | undefined
  /** Called with the query plan of each list. */
  readonly explain?: ((line: string) => void) | undefined
  /** Called with the error of a listener of changes. */
  readonly failed?: ReportFailure
}

/** What a store does when a transaction is committed. */
export interface Commit {
  /** Throws if the store takes no changes. Called before they are applied. */
  admit(): void
  /** Resolves when no earlier transaction can be reverted any more. */
  settled(): Promise<void>
  /** Called in the step in which readers see the changes. */
  applied(changes: readonly Change[]): void
}

/** How a transaction runs. */
export interface EngineTransactionOptions {
  readonly mode: TransactionMode
  readonly notes?: SideRecords | undefined
  readonly commit?: Commit | undefined
}

/** A transaction that is being staged. */
interface Attempt {
  readonly transaction: Transaction
  readonly steps: Steps<Outcome>
}

interface LongTransaction extends EngineTransactionOptions {
  readonly attempt: Attempt
  /** The number of reverts when it began. */
  readonly reverted: number
  readonly slices: Slices
}

/** The tables of a store in memory. Reads and the commit are synchronous, so a transaction is visible as a whole or not at all. */
export class Engine {
  readonly tables: ReadonlyMap<string, Table>
  readonly #registry: Registry
  readonly #sliceOptions: SliceOptions | undefined
  /** Of reads that wait for indexes and texts. */
  readonly #slices: SharedSlices
  readonly #explain: ((line: string) => void) | undefined
  /** Called before any reader sees the change. Reverted changes are reported as their opposites. */
  readonly listeners: ChangeListeners
  /** Resolves when the long transaction that runs has ended. */
  #running: Promise<void> | undefined
  /** Resolves when its changes are applied; undefined before. */
  #applying: Promise<void> | undefined
  /** Number of times that changes were reverted. */
  #reverted = 0
  /** Why the tables are not used any more: a change of them failed halfway. */
  #damage: AppError | undefined

  constructor(registry: Registry, { smallTable, explain, failed, slices }: EngineOptions = {}) {
    this.#sliceOptions = slices
    this.#slices = new SharedSlices(slices)
    this.#registry = registry
    this.#explain = explain
    this.listeners = new ChangeListeners(failed)
    this.tables = new Map(registry.all.map((model) => [model.key, new Table(model, smallTable)]))
  }

  get(table: string, ids: readonly number[]): (StoredRecord | undefined)[] {
    this.#throwIfDamaged()
    const found = this.table(table)
    return ids.map((id) => found.get(id))
  }

  /**
   * Builds the indexes that a query needs. Tables may change meanwhile, so the caller repeats this until nothing is missing.
   *
   * @returns undefined if the query can be executed now
   */
  prepare(name: string, { filters, sort }: Pick<Plan, 'filters' | 'sort'>): Promise<unknown> | undefined {
    return this.#prepare(name, { filters, sort }, (table, tableNamed) => needsOfOrder(table, sort, tableNamed))
  }

  /** Builds the indexes that an aggregate needs, as `prepare` does for a query. */
  prepareAggregate(name: string, plan: AggregatePlan): Promise<unknown> | undefined {
    return this.#prepare(name, { filters: plan.filters, sort: [] }, (table) => needsOfAggregate(table, plan))
  }

  #prepare(
    name: string,
    plan: Pick<Plan, 'filters' | 'sort'>,
    furtherNeeds: (table: Table, tableNamed: TableNamed) => readonly TableNeed[],
  ): Promise<unknown> | undefined {
    this.#throwIfDamaged()
    if (this.#applying !== undefined) return this.#applying
    const table = this.table(name)
    table.settle()
    for (const other of relatedTables(plan)) this.table(other).settle()
    const tableNamed = (other: string) => this.table(other)
    const needs = [...needsOf(table, plan.filters, tableNamed), ...furtherNeeds(table, tableNamed)]
    const isReady = needs.every((need) => need.kind !== 'text' && need.table.serves(need))
    return isReady ? undefined : this.#inSlices(this.#preparation(table, plan, needs))
  }

  /** Builds indexes, and finds the rows of filters by text, those behind relations first. */
  *#preparation(table: Table, { filters, sort }: Pick<Plan, 'filters' | 'sort'>, needs: readonly TableNeed[]): Steps<void> {
    const tableNamed = (other: string) => this.table(other)
    for (const need of needs) yield* need.table.ensureIndex(need)
    if (!needs.some(({ kind }) => kind === 'text')) return
    const shown = sort.flatMap(({ through }) =>
      through?.only === undefined ? [] : { target: through.target, filter: through.only },
    )
    const related = [...shown, ...relationFilters([...filters, ...shown.map(({ filter }) => filter)])].reverse()
    for (const { of, own } of [
      ...related.map(({ target, filter }) => ({ of: this.table(target), own: [filter] })),
      { of: table, own: filters },
    ]) {
      // Tables may have changed meanwhile; the caller repeats this.
      if (!needs.every((need) => need.table.serves(need))) return
      yield* prepareFilters(of, own, tableNamed)
    }
  }

  /** Starts building the indexes that writes need, so that the first write need not wait. */
  warm(): void {
    // If that fails, the first write builds the index.
    for (const table of this.tables.values()) this.#inSlices(table.warm())?.catch(() => {})
  }

  /** Runs work of reads in slices that it shares with others; undefined if it is done in the present one. */
  #inSlices(steps: Steps<void>): Promise<void> | undefined {
    if (runSlice(steps, this.#slices) !== undefined) return undefined
    return this.#slices.next().then(() => runInSlices(steps, this.#slices))
  }

  /** A page of the same plan, brought up to date; undefined if the plan must be executed. */
  updated(name: string, plan: Plan, last: FoundPage | undefined): FoundPage | undefined {
    this.#throwIfDamaged()
    if (last?.version === undefined || this.#applying !== undefined) return undefined
    const version = this.#versionOf(name, plan)
    const page = last.version === version ? last : this.#caughtUp(name, plan, last)
    if (page === undefined) return undefined
    this.#explain?.(`list ${name}: remembered → ${page.total} of ${this.table(name).size}`)
    return page === last && last.version === version ? last : { ...page, version }
  }

  #caughtUp(name: string, plan: Plan, last: FoundPage): FoundPage | undefined {
    // Without other tables, the version is the number of changes of this one.
    const changes = relatedTables(plan).size > 0 ? undefined : this.table(name).changes.since(Number(last.version))
    return changes && pageAfter(last, plan, changes)
  }

  /** The number of changes of all tables that a plan reads. It never falls, so it is equal only if none has changed. */
  #versionOf(name: string, plan: Plan): number {
    let version = this.table(name).changes.count
    for (const other of relatedTables(plan)) version += this.table(other).changes.count
    return version
  }

  /** Executes a prepared aggregate; undefined if it has too many groups. */
  aggregate(name: string, plan: AggregatePlan): readonly AggregateGroup[] | undefined {
    const table = this.table(name)
    const { selection, how } = this.#select(table, { filters: plan.filters, sort: [] })
    const groups = aggregateRows(table, selection, plan)
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
    return select(table, plan.filters, (other) => this.table(other))
  }

  /** Executes a prepared query. */
  find(name: string, plan: Plan): FoundPage {
    const table = this.table(name)
    const { selection, how } = this.#select(table, plan)
    const page = ordered(table, selection, plan, (other) => this.table(other))
    this.#explain?.(`list ${name}: ${how()} → ${selection.size} of ${table.size}; order ${page.how()}`)
    return { records: page.records, total: selection.size, version: this.#versionOf(name, plan) }
  }

  /**
   * Runs a transaction. Applies it in mode `commit` if there is no violation. A long one is staged and applied in slices. Other
   * transactions wait for it; reads run while it is staged, and wait while it is applied.
   *
   * @throws {AppError} STORE_UNAVAILABLE if a change of the tables failed halfway, now or earlier
   * @throws what `commit.admit` throws; then nothing is changed
   */
  transact(operations: readonly Operation[], options: EngineTransactionOptions): Outcome | Promise<Outcome> {
    this.#throwIfDamaged()
    if (this.#running !== undefined) return this.#running.then(() => this.transact(operations, options))
    const reverted = this.#reverted
    const attempt = this.#begin(operations, options)
    const slices = new Slices(this.#sliceOptions)
    const staged = runSlice(attempt.steps, slices)
    if (staged !== undefined) return this.#commit(attempt.transaction, staged.result, options)
    const finished = this.#finish(operations, { ...options, attempt, reverted, slices }).finally(() => {
      this.#running = undefined
    })
    this.#running = finished.then(
      () => {},
      () => {},
    )
    return finished
  }

  #begin(operations: readonly Operation[], { notes }: EngineTransactionOptions): Attempt {
    const transaction = new Transaction(this.tables, this.#registry)
    return { transaction, steps: transaction.steps(operations, notes) }
  }

  #commit(transaction: Transaction, outcome: Outcome, { mode, commit }: EngineTransactionOptions): Outcome {
    if (!outcome.ok || mode !== 'commit') return outcome
    commit?.admit()
    this.#keepIds(transaction)
    for (const change of outcome.changes) this.#replace(change)
    this.#tell(outcome.changes)
    commit?.applied(outcome.changes)
    return outcome
  }

  /** Goes on with a transaction that takes more than a slice. */
  async #finish(operations: readonly Operation[], { slices, ...options }: LongTransaction): Promise<Outcome> {
    const { mode, commit } = options
    let { attempt, reverted } = options
    for (;;) {
      await slices.next()
      const outcome = await runInSlices(attempt.steps, slices)
      if (!outcome.ok || mode !== 'commit') return outcome
      await commit?.settled()
      this.#throwIfDamaged()
      if (reverted === this.#reverted) {
        commit?.admit()
        return await this.#apply(attempt.transaction, outcome, { commit, slices })
      }
      // Some of the records that were read are reverted.
      reverted = this.#reverted
      attempt = this.#begin(operations, options)
    }
  }

  /** Applies changes in slices. Reads wait meanwhile, so that they see all of them or none. */
  async #apply(
    transaction: Transaction,
    outcome: Extract<Outcome, { ok: true }>,
    { commit, slices }: Pick<LongTransaction, 'commit' | 'slices'>,
  ): Promise<Outcome> {
    const { changes } = outcome
    let release = () => {}
    this.#applying = new Promise((resolve) => {
      release = resolve
    })
    try {
      for (const change of changes) {
        this.#replace(change)
        if (slices.isOver) await slices.next()
      }
    } finally {
      this.#applying = undefined
      release()
    }
    this.#keepIds(transaction)
    this.#tell(changes)
    commit?.applied(changes)
    return outcome
  }

  #keepIds(transaction: Transaction): void {
    transaction.eachNextId((table, nextId) => {
      this.table(table).nextId = nextId
    })
  }

  /** Takes the next ids of a table. No long transaction may run, since it has read the next id. @param isTaken false to look at them only */
  takeIds(name: string, count: number, isTaken: boolean): number[] {
    const table = this.table(name)
    const first = table.nextId
    if (isTaken) table.nextId += count
    return Array.from({ length: count }, (_, index) => first + index)
  }

  /** A promise to wait for before a read: a long transaction is being applied. Undefined if there is none. */
  get applying(): Promise<void> | undefined {
    return this.#applying
  }

  /** Resolves when the long transaction that runs has ended; undefined if there is none. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  /** Resolves when no long transaction runs. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  #tell(changes: readonly Change[]): void {
    if (changes.length > 0) this.listeners.tell(changes)
  }

  /** Reverts changes. Their ids are not reused. */
  revert(changes: readonly Change[]): void {
    this.#reverted++
    const opposites = changes.toReversed().map(({ table, id, before, after }) => ({ table, id, before: after, after: before }))
    try {
      for (const change of opposites) this.#replace(change)
    } catch {
      // The caller reports why the changes were reverted. All later calls are refused.
      return
    }
    this.#tell(opposites)
  }

  /** Changes a table. If that fails, some of the changes of a transaction are missing in memory, so the engine refuses all later calls. */
  #replace({ table, id, after }: Change): void {
    this.#throwIfDamaged()
    try {
      this.table(table).replace(id, after)
    } catch (cause) {
      this.#damage = new AppError('STORE_UNAVAILABLE', DAMAGED, { cause })
      throw this.#damage
    }
  }

  #throwIfDamaged(): void {
    if (this.#damage !== undefined) throw this.#damage
  }

  /** Why all calls are refused; undefined if they are not. */
  get refusal(): string | undefined {
    return this.#damage && DAMAGED
  }

  table(name: string): Table {
    const table = this.tables.get(name)
    if (table === undefined) throw new Error(`There is no table '${name}'`)
    return table
  }
}

const DAMAGED = 'A change failed in memory and is not stored; nothing is read or written until the server is restarted'

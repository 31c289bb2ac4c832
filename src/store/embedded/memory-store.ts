import { AppError } from '../../errors.ts'
import type { Registry } from '../../model/registry.ts'
import type { AggregateGroup, AggregatePlan } from '../../query/aggregate.ts'
import type { Filter, Plan, SortKey } from '../../query/plan.ts'
import { type SliceOptions, Slices } from '../../util/slices.ts'
import type {
  ChangeListener,
  FindOptions,
  FoundPage,
  Operation,
  Outcome,
  ReadOptions,
  SideRecords,
  Store,
  StoredRecord,
  StoreStatus,
  TransactionMode,
} from '../store.ts'
import { type Commit, Engine, type EngineOptions } from './engine.ts'
import { Renaming } from './files/renaming.ts'

/** Records in a stream batch: few enough that their text is not a large object, which is costly for the garbage collector. */
const STREAM_BATCH = 200

/** Records and next id of a table. */
interface Contents {
  readonly nextId: number
  readonly records: readonly StoredRecord[]
}

/** A store in memory. Its content is lost when it is closed. */
export class MemoryStore implements Store {
  readonly isShared = false
  protected readonly engine: Engine
  readonly #registry: Registry
  readonly #slices: SliceOptions | undefined
  /** Tables of models that the project does not have at present; they are kept, as in files. */
  #unclaimed: ReadonlyMap<string, Contents> = new Map()
  #isClosed = false
  readonly #commit: Commit = { admit: () => this.#throwIfClosed(), async settled() {}, applied() {} }

  constructor(registry: Registry, options?: EngineOptions) {
    this.#registry = registry
    this.#slices = options?.slices
    this.engine = new Engine(registry, options)
  }

  /**
   * Takes over the records of another store, including tables without a model, under their present names. They are not validated again.
   *
   * @throws {AppError} RENAME_CONFLICT
   * @param tables the tables to take over; all of them by default
   */
  async adopt(former: MemoryStore, tables?: ReadonlySet<string>): Promise<void> {
    const unclaimed = new Map<string, Contents>()
    const slices = new Slices(this.#slices)
    for (const [name, { nextId, records }] of new Renaming(this.#registry).tables(await former.#contents())) {
      if (tables?.has(name) === false) continue
      const own = this.engine.tables.get(name)
      if (own === undefined) unclaimed.set(name, { nextId, records })
      else {
        own.nextId = nextId
        for (const record of records) {
          own.replace(record.id, record)
          if (slices.isOver) await slices.next()
        }
      }
    }
    this.#unclaimed = unclaimed
  }

  /** Takes over the records of some tables of a store of any engine. They are not validated again. */
  async copy(from: Store, tables: ReadonlySet<string>): Promise<void> {
    for (const name of tables) {
      const own = this.engine.tables.get(name)
      if (own === undefined) continue
      for await (const records of from.stream(name, { filters: [], sort: [] })) {
        for (const record of records) {
          own.replace(record.id, record)
          own.nextId = Math.max(own.nextId, record.id + 1)
        }
      }
    }
  }

  async #contents(): Promise<Map<string, Contents>> {
    const contents = new Map(this.#unclaimed)
    for (const [name, { nextId }] of this.engine.tables) {
      const records: StoredRecord[] = []
      for await (const batch of this.stream(name, { filters: [], sort: [] })) records.push(...batch)
      contents.set(name, { nextId, records })
    }
    return contents
  }

  async get(table: string, ids: readonly number[]): Promise<(StoredRecord | undefined)[]> {
    while (this.engine.applying !== undefined) await this.engine.applying
    return this.engine.get(table, ids)
  }

  async find(table: string, plan: Plan, options?: FindOptions): Promise<FoundPage> {
    const known = this.engine.updated(table, plan, options?.last)
    return known ?? this.#when(table, plan, () => this.engine.find(table, plan), options)
  }

  async findEach(table: string, plans: readonly Plan[], options?: ReadOptions): Promise<readonly FoundPage[]> {
    const found: FoundPage[] = []
    for (const plan of plans) found.push(await this.#when(table, plan, () => this.engine.find(table, plan), options))
    return found
  }

  aggregate(table: string, plan: AggregatePlan, options?: ReadOptions): Promise<readonly AggregateGroup[] | undefined> {
    return whenReady(
      () => this.engine.prepareAggregate(table, plan),
      () => this.engine.aggregate(table, plan),
      options,
    )
  }

  matching(table: string, filters: readonly Filter[], ids: readonly number[]): Promise<ReadonlySet<number>> {
    return this.#when(table, { filters, sort: [] }, () => this.engine.matching(table, filters, ids))
  }

  async *stream(
    table: string,
    { filters, sort }: { filters: readonly Filter[]; sort: readonly SortKey[] },
  ): AsyncGenerator<readonly StoredRecord[]> {
    const plan = { filters, sort, offset: 0, limit: Number.POSITIVE_INFINITY }
    const { records: all } = await this.#when(table, plan, () => this.engine.find(table, plan))
    // Most consumers await nothing else between the batches.
    const slices = new Slices(this.#slices)
    for (let from = 0; from < all.length; from += STREAM_BATCH) {
      yield all.slice(from, from + STREAM_BATCH)
      if (slices.isOver) await slices.next()
    }
  }

  async transact(operations: readonly Operation[], mode: TransactionMode = 'commit', notes?: SideRecords): Promise<Outcome> {
    this.#throwIfClosed()
    return this.engine.transact(operations, { mode, notes, commit: this.#commit })
  }

  async takeIds(table: string, count: number, mode: TransactionMode = 'commit'): Promise<readonly number[]> {
    this.#throwIfClosed()
    await this.engine.idle()
    return this.engine.takeIds(table, count, mode === 'commit')
  }

  get running(): Promise<void> | undefined {
    return this.engine.running
  }

  onChange(follower: ChangeListener): void {
    this.engine.listeners.add(follower)
  }

  async status(): Promise<StoreStatus> {
    const records = new Map([...this.engine.tables].map(([name, { size }]) => [name, size]))
    return { takesWrites: this.engine.refusal === undefined, journalBytes: 0, records }
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new AppError('STORE_UNAVAILABLE', 'The store is closed', { retryAfter: 1 })
  }

  #when<T>(table: string, plan: Pick<Plan, 'filters' | 'sort'>, answer: () => T, options?: ReadOptions): Promise<T> {
    return whenReady(() => this.engine.prepare(table, plan), answer, options)
  }
}

/**
 * Executes a query in the step in which its indexes become complete.
 *
 * @param prepare builds missing indexes; undefined if none is missing
 */
async function whenReady<T>(
  prepare: () => Promise<unknown> | undefined,
  answer: () => T,
  { signal }: ReadOptions = {},
): Promise<T> {
  for (let wait = prepare(); wait !== undefined; wait = prepare()) await wait
  signal?.throwIfAborted()
  return answer()
}

import type { Registry } from '../model/registry.ts'
import type { Filter, Plan, SortKey } from '../query/plan.ts'
import { Engine } from './engine.ts'
import type { Operation, Outcome, Store, StoredRecord, TransactionMode } from './store.ts'

const STREAM_BATCH = 500

/** A store that forgets everything when it is closed. */
export class MemoryStore implements Store {
  protected readonly engine: Engine

  constructor(registry: Registry) {
    this.engine = new Engine(registry)
  }

  async get(table: string, ids: readonly number[]): Promise<(StoredRecord | undefined)[]> {
    return this.engine.get(table, ids)
  }

  async find(table: string, plan: Plan): Promise<{ records: StoredRecord[]; total: number }> {
    return this.engine.find(table, plan)
  }

  async *stream(
    table: string,
    { filters, sort }: { filters: readonly Filter[]; sort: readonly SortKey[] },
  ): AsyncGenerator<StoredRecord[]> {
    const all = this.engine.all(table, filters, sort)
    for (let from = 0; from < all.length; from += STREAM_BATCH) yield all.slice(from, from + STREAM_BATCH)
  }

  async transact(operations: readonly Operation[], mode: TransactionMode = 'commit'): Promise<Outcome> {
    return this.engine.transact(operations, mode)
  }

  async close(): Promise<void> {}
}

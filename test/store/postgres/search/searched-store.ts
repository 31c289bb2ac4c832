import { setImmediate, setTimeout } from 'node:timers/promises'
import { AccessRules, type RulesByModel } from '../../../../src/access/access-rules.ts'
import { SYSTEM } from '../../../../src/auth/permissions.ts'
import { silentLog } from '../../../../src/log/log.ts'
import type { ModelDefinition } from '../../../../src/model/definition.ts'
import { FileUrls } from '../../../../src/model/file-urls.ts'
import type { Registry } from '../../../../src/model/registry.ts'
import type { Plan } from '../../../../src/query/plan.ts'
import { RecordSerializer } from '../../../../src/reads/record-json.ts'
import { type FoundPageOfModel, Searches } from '../../../../src/reads/searches.ts'
import type { SearchEngine } from '../../../../src/search/search-engine.ts'
import { SearchIndexes } from '../../../../src/search/search-indexes.ts'
import { StoredSearchIndexes } from '../../../../src/search/stored-search-indexes.ts'
import { MemoryStore } from '../../../../src/store/embedded/memory-store.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { applySchema } from '../../../../src/store/postgres/schema/migration.ts'
import { PostgresSearch } from '../../../../src/store/postgres/search/postgres-search.ts'
import type { Operation, Store } from '../../../../src/store/store.ts'
import type { JsonObject } from '../../../../src/util/json.ts'
import { RequestPace } from '../../../../src/util/traffic.ts'
import { newSchema } from '../../../helpers/postgres/schemas.ts'
import { registryOf } from '../../../model/models.ts'

const NOTE: ModelDefinition = {
  name: 'Note',
  display_field: 'title',
  fields: [
    { name: 'title', type: 'string' },
    { name: 'body', type: 'text' },
    { name: 'labels', type: 'multichoice', choices: ['red', 'dark blue', 'green'] },
    { name: 'rank', type: 'integer' },
    { name: 'hidden', type: 'string', searchable: false },
  ],
}

/** A registry with a model of notes; its searched fields are title, body and labels. */
export const noteRegistry = (): Registry => registryOf(NOTE)

export const insert = (values: JsonObject, id?: number): Operation =>
  id === undefined ? { kind: 'insert', table: 'note', values } : { kind: 'insert', table: 'note', values, id }
export const update = (id: number, values: JsonObject): Operation => ({ kind: 'update', table: 'note', id, values })
export const remove = (id: number): Operation => ({ kind: 'remove', table: 'note', id })

/** What a test asks for. */
export interface Asked {
  readonly fuzzy?: boolean
  readonly complete?: boolean
  readonly fields?: readonly string[]
  readonly filters?: Plan['filters']
  readonly sort?: Plan['sort']
  readonly page?: number
  readonly pageSize?: number
}

/** A store of notes and its search, as one process has them. */
export class SearchedStore {
  readonly store: Store
  readonly engine: SearchEngine
  readonly #writer: RecordSerializer
  readonly #access: AccessRules

  constructor(store: Store, engine: SearchEngine, registry: Registry) {
    this.store = store
    this.engine = engine
    this.#access = new AccessRules(registry, new Map())
    this.#writer = new RecordSerializer(this.#access, store, new FileUrls('/api/v1'))
  }

  async write(...operations: readonly Operation[]): Promise<void> {
    const outcome = await this.store.transact(operations)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.violations))
  }

  /** @param rules restrict what the actor may view */
  search(q: string, asked: Asked = {}, actor = SYSTEM, rules?: RulesByModel): Promise<FoundPageOfModel> {
    const { fuzzy = false, complete = false, fields, filters = [], sort = [], page = 1, pageSize = 100 } = asked
    const access = rules === undefined ? this.#access : new AccessRules(this.#access.registry, rules)
    const searches = new Searches({ access, writer: this.#writer, indexes: this.engine, pause: setImmediate })
    return searches.find(actor, 'note', { q, fields, fuzzy, complete, filters, sort, page: { page, pageSize } })
  }
}

/** Waits of 0.4 seconds and more, which a search does for its index, end after `acquireTimeoutMs` milliseconds, or never. */
const dependencies = (acquireTimeoutMs?: number) => ({
  log: silentLog,
  wait: (milliseconds: number): Promise<unknown> => {
    if (milliseconds < 400) return setTimeout(1)
    return acquireTimeoutMs === undefined ? new Promise<never>(() => {}) : setTimeout(acquireTimeoutMs)
  },
  now: () => performance.now(),
  pause: setImmediate,
  traffic: new RequestPace(() => 0),
})

/** An embedded store of notes, with which others are compared. */
export function embeddedStore(registry = noteRegistry()): SearchedStore {
  const store = new MemoryStore(registry)
  const later = (run: () => void) => void setImmediate().then(run)
  return new SearchedStore(store, new SearchIndexes({ registry, store, later, ...dependencies() }), registry)
}

/** A schema with tables of notes. */
export interface SearchedSchema {
  readonly layout: Layout
  readonly storage: PostgresSearch
  /** The store as another process opens it: with its own cache and its own search. */
  open(on?: Database, acquireTimeoutMs?: number): SearchedStore
  drop(): Promise<void>
}

/** Creates an empty schema with tables of notes. */
export async function searchedSchema(database: Database, registry = noteRegistry()): Promise<SearchedSchema> {
  const { schema, drop } = newSchema(database)
  const layout = new Layout(registry, schema)
  await applySchema(database, layout)
  return {
    layout,
    storage: new PostgresSearch(database, layout),
    open: (on = database, acquireTimeoutMs) => {
      const storage = new PostgresSearch(on, layout)
      const engine = new StoredSearchIndexes({ registry, storage, ...dependencies(acquireTimeoutMs) })
      return new SearchedStore(new PostgresStore(on, layout), engine, registry)
    },
    drop,
  }
}

import { LRUCache } from 'lru-cache'
import type { Actor } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { type ListQuery, parseListQuery, parseReadQuery } from '../../query/parse.ts'
import { fullProjection, type Projection } from '../../query/project.ts'
import type { Store, StoredRecord } from '../../store/store.ts'
import { modelFor, noSuchRecord } from '../model-access.ts'
import { readRecordId } from '../records/write-requests.ts'
import { PageWriter } from './page-writer.ts'
import type { RecordJson, RecordSerializer } from './record-json.ts'
import { checkRelations, visibleTo } from './visibility.ts'

/** Capacity of the cache of parsed list queries, in characters. */
const QUERY_CAPACITY = 1_000_000

const ID_ALONE: Projection = [{ kind: 'value', name: 'id' }]

/** Reads records on behalf of an actor, as JSON. Changes nothing. Queries are query strings without the question mark. */
export class Reads {
  readonly #registry: Registry
  readonly #store: Store
  readonly #writer: RecordSerializer
  readonly #pages = new PageWriter()
  /** Parsed list queries. Parsing depends on the model only; visibility is evaluated for each request. */
  readonly #queries = new LRUCache<string, ListQuery>({
    maxSize: QUERY_CAPACITY,
    sizeCalculation: (_, query) => query.length,
  })

  constructor(registry: Registry, store: Store, writer: RecordSerializer) {
    this.#registry = registry
    this.#store = store
    this.#writer = writer
  }

  /**
   * Returns a page of records in its envelope, as bytes of JSON.
   *
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async list(actor: Actor, modelKey: string, query: string): Promise<Buffer> {
    const model = modelFor(this.#registry, actor, 'view', modelKey)
    const asked = this.#listQuery(model, query)
    checkRelations(this.#registry, actor, asked.plan)
    const found = await this.#store.find(model.key, asked.plan)
    // Cached pages nest no records, so they are the same for every actor.
    const known = this.#pages.known(asked, found)
    if (known !== undefined) return known
    const projection = visibleTo(actor, asked.projection)
    return this.#pages.write(asked, found, await this.#writer.write(model, found.records, projection, asked.projection))
  }

  /** @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, RECORD_NOT_FOUND */
  async get(actor: Actor, modelKey: string, recordId: string, query: string): Promise<RecordJson> {
    const model = modelFor(this.#registry, actor, 'view', modelKey)
    const id = readRecordId(recordId)
    const asked = query === '' ? fullProjection(model, this.#registry) : this.#readQuery(model, query)
    const projection = visibleTo(actor, asked)
    const [record] = await this.#store.get(model.key, [id])
    if (record === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(model, id))
    return only(await this.#writer.write(model, [record], projection, asked))
  }

  /** The actor's own user record. It needs no permission. */
  async self(actor: Actor): Promise<RecordJson> {
    const { userId = 0 } = actor
    const [user] = await this.#store.get('user', [userId])
    if (user === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(this.#registry.expect('user'), userId))
    return this.one(actor, 'user', user)
  }

  /** A record as it is returned after a write, with everything that the actor may see. */
  async one(actor: Actor, modelKey: string, record: StoredRecord): Promise<RecordJson> {
    return only(await this.all(actor, modelKey, [record]))
  }

  /**
   * Records as they are returned after a write, with everything that the actor may see. If that is too large, their ids only:
   * the write has been committed, so the response must not be an error.
   */
  async all(actor: Actor, modelKey: string, records: readonly StoredRecord[]): Promise<readonly RecordJson[]> {
    const model = this.#registry.expect(modelKey)
    const full = fullProjection(model, this.#registry)
    try {
      return await this.#writer.write(model, records, visibleTo(actor, full), full)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'ANSWER_TOO_LARGE') throw error
      return this.#writer.write(model, records, ID_ALONE)
    }
  }

  #listQuery(model: Model, query: string): ListQuery {
    const key = `${model.key}?${query}`
    const known = this.#queries.get(key)
    if (known !== undefined) return known
    const parsed = parseListQuery(new URLSearchParams(query), model, this.#registry)
    this.#queries.set(key, parsed)
    return parsed
  }

  #readQuery(model: Model, query: string): Projection {
    return parseReadQuery(new URLSearchParams(query), model, this.#registry)
  }
}

function only(written: readonly RecordJson[]): RecordJson {
  const [json] = written
  if (json === undefined) throw new Error('A record was not written')
  return json
}

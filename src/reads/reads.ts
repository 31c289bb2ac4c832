import { LRUCache } from 'lru-cache'
import type { AccessRules } from '../access/access-rules.ts'
import { checkRelations, visibleTo } from '../access/visibility.ts'
import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import { readRecordId } from '../query/parameters.ts'
import { type ParsedListQuery, parseListQuery, parseReadQuery } from '../query/parse.ts'
import { type Plan, pageJson } from '../query/plan.ts'
import { fullProjection, type RecordProjection } from '../query/project.ts'
import type { ReadOptions, Store, StoredRecord } from '../store/store.ts'
import { arrayJson, type RecordJson, type RecordSerializer } from './record-json.ts'

/** Capacity of the cache of parsed list queries, in characters. */
const QUERY_CAPACITY = 1_000_000

const ID_ALONE: RecordProjection = [{ kind: 'value', name: 'id' }]

/** The members that need no reading of other records: related ones by id only, as for an actor who may not view them. */
const withoutReading = (projection: RecordProjection): RecordProjection =>
  projection.flatMap((column): RecordProjection => {
    if ('relation' in column) return []
    return column.kind === 'related' ? [{ kind: 'reference', name: column.name, field: column.field }] : [column]
  })

/** Reads records on behalf of an actor, as JSON. Queries are query strings without the question mark. */
export class Reads {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #writer: RecordSerializer
  readonly #log: Log
  readonly #pages = new PageWriter()
  /** Parsed list queries. Parsing depends on the model only; visibility is evaluated for each request. */
  readonly #queries = new LRUCache<string, ParsedListQuery>({
    maxSize: QUERY_CAPACITY,
    sizeCalculation: (_, query) => query.length,
  })

  constructor(access: AccessRules, store: Store, writer: RecordSerializer, log: Log) {
    this.#access = access
    this.#store = store
    this.#writer = writer
    this.#log = log
  }

  /**
   * Returns a page of records in its envelope, as bytes of JSON.
   *
   * @param options a signal that ends the read
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async list(actor: Actor, modelKey: string, query: string, options?: ReadOptions): Promise<Buffer> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const asked = this.#listQuery(model, query)
    checkRelations(this.#access, actor, asked.plan)
    const plan = this.#access.restricted(actor, model, asked.plan)
    const found = await this.#store.find(model.key, plan, options)
    // The plan has the actor's restrictions, and cached pages nest no records: such a page is the same for every actor.
    const known = this.#pages.known(plan, found)
    if (known !== undefined) return known
    const projection = visibleTo(this.#access, actor, asked.projection)
    const records = await this.#writer.write(model, found.records, { actor, projection, asked: asked.projection })
    return this.#pages.write({ ...asked, plan }, found, records)
  }

  /**
   * Returns one record as JSON.
   *
   * @param options a signal that ends the read
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, RECORD_NOT_FOUND
   */
  async get(actor: Actor, modelKey: string, recordId: string, query: string, options?: ReadOptions): Promise<RecordJson> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const id = readRecordId(recordId)
    const asked = query === '' ? fullProjection(model, this.#access.registry) : this.#readQuery(model, query)
    const projection = visibleTo(this.#access, actor, asked)
    const [record] = await this.#access.read(this.#store, actor, model, [id], options)
    if (record === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(model, id))
    return only(await this.#writer.write(model, [record], { actor, projection, asked }))
  }

  /** The actor's own user record. It needs no permission. */
  async self(actor: Actor): Promise<RecordJson> {
    const { userId = 0 } = actor
    const [user] = await this.#store.get('user', [userId])
    if (user === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(this.#access.registry.expect('user'), userId))
    return this.one(actor, 'user', user)
  }

  /** A record with everything that the actor may see, as a dry run returns it. */
  async one(actor: Actor, modelKey: string, record: StoredRecord): Promise<RecordJson> {
    return only(await this.all(actor, modelKey, [record]))
  }

  /** Records with everything that the actor may see, as a dry run returns them. If that is too large, their ids only. */
  async all(actor: Actor, modelKey: string, records: readonly StoredRecord[]): Promise<readonly RecordJson[]> {
    const model = this.#access.registry.expect(modelKey)
    const asked = fullProjection(model, this.#access.registry)
    const projection = visibleTo(this.#access, actor, asked)
    return this.#orIds(model, records, actor, this.#writer.write(model, records, { actor, projection, asked }))
  }

  /** A record as it is returned after its write was committed: as `written`. */
  async writtenOne(actor: Actor, modelKey: string, record: StoredRecord): Promise<RecordJson> {
    return only(await this.written(actor, modelKey, [record]))
  }

  /**
   * Records as they are returned after their write was committed: as `all`. The response must not be an error, which a client would take
   * for a refusal: if the related records cannot be read, they are returned by id only.
   */
  async written(actor: Actor, modelKey: string, records: readonly StoredRecord[]): Promise<readonly RecordJson[]> {
    try {
      return await this.all(actor, modelKey, records)
    } catch (error) {
      this.#log.warn('A write was committed, and its related records could not be read for the response', {
        model: modelKey,
        error,
      })
      const model = this.#access.registry.expect(modelKey)
      const projection = withoutReading(visibleTo(this.#access, actor, fullProjection(model, this.#access.registry)))
      return this.#orIds(model, records, actor, this.#writer.write(model, records, { actor, projection }))
    }
  }

  /** The ids in place of an answer that is too large. */
  async #orIds(
    model: Model,
    records: readonly StoredRecord[],
    actor: Actor,
    written: Promise<readonly RecordJson[]>,
  ): Promise<readonly RecordJson[]> {
    try {
      return await written
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'ANSWER_TOO_LARGE') throw error
      return this.#writer.write(model, records, { actor, projection: ID_ALONE })
    }
  }

  #listQuery(model: Model, query: string): ParsedListQuery {
    const key = `${model.key}?${query}`
    const known = this.#queries.get(key)
    if (known !== undefined) return known
    const parsed = parseListQuery(new URLSearchParams(query), model, this.#access.registry)
    this.#queries.set(key, parsed)
    return parsed
  }

  #readQuery(model: Model, query: string): RecordProjection {
    return parseReadQuery(new URLSearchParams(query), model, this.#access.registry)
  }
}

function only(written: readonly RecordJson[]): RecordJson {
  const [json] = written
  if (json === undefined) throw new Error('A record was not written')
  return json
}

/** Default capacity of the page cache, in bytes. */
const CAPACITY = 16 * 1024 * 1024
/** Estimated size of a cache entry beside the page itself, in bytes. */
const OVERHEAD = 1000

/** The result of `Store.find`. */
type FoundPage = Awaited<ReturnType<Store['find']>>

interface Kept {
  /** The result that the body was made from; absent when the body nests records of other tables. */
  found: FoundPage | undefined
  readonly records: readonly RecordJson[]
  readonly total: number
  readonly body: Buffer
}

/** Serialises pages into bytes and caches them. A page is serialised again only when its records or its total have changed. */
export class PageWriter {
  readonly #kept: LRUCache<Plan, Kept>

  /** @param capacity capacity of the cache in bytes, approximately */
  constructor(capacity: number = CAPACITY) {
    this.#kept = new LRUCache({ maxSize: capacity, sizeCalculation: ({ body }) => body.length + OVERHEAD })
  }

  /**
   * The cached page, if it was made from this very result; otherwise undefined.
   *
   * @param plan the same object for equal queries, since it is the cache key
   */
  known(plan: Plan, found: FoundPage): Buffer | undefined {
    const kept = this.#kept.get(plan)
    return kept?.found === found ? kept.body : undefined
  }

  /**
   * Serialises a page in its envelope.
   *
   * @param query the parsed query, whose plan is the cache key
   * @param records JSON of the records found
   */
  write(query: ParsedListQuery, found: FoundPage, records: readonly RecordJson[]): Buffer {
    const { total } = found
    const nestsNothing = query.projection.every(({ kind }) => kind === 'value')
    const kept = this.#kept.get(query.plan)
    if (kept !== undefined && kept.total === total && areSame(kept.records, records)) {
      if (nestsNothing) kept.found = found
      return kept.body
    }
    const body = Buffer.from(pageJson(arrayJson(records), total, query.page))
    this.#kept.set(query.plan, { found: nestsNothing ? found : undefined, records, total, body })
    return body
  }
}

const areSame = (some: readonly RecordJson[], others: readonly RecordJson[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index])

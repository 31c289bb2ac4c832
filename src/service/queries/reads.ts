import { LRUCache } from 'lru-cache'
import type { Actor } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import type { Model } from '../../model/model.ts'
import { type ListQuery, parseListQuery, parseReadQuery } from '../../query/parse.ts'
import { fullProjection, type Projection } from '../../query/project.ts'
import type { ReadOptions, Store, StoredRecord } from '../../store/store.ts'
import type { AccessRules } from '../access/access-rules.ts'
import { noSuchRecord } from '../access/refusals.ts'
import { readRecordId } from '../records/write-requests.ts'
import { PageWriter } from './page-writer.ts'
import type { RecordJson, RecordSerializer } from './record-json.ts'
import { checkRelations, visibleTo } from './visibility.ts'

/** Capacity of the cache of parsed list queries, in characters. */
const QUERY_CAPACITY = 1_000_000

const ID_ALONE: Projection = [{ kind: 'value', name: 'id' }]

/** The members that need no reading of other records: related ones by id only, as for an actor who may not view them. */
const withoutReading = (projection: Projection): Projection =>
  projection.flatMap((column): Projection => {
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
  readonly #queries = new LRUCache<string, ListQuery>({
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

  #listQuery(model: Model, query: string): ListQuery {
    const key = `${model.key}?${query}`
    const known = this.#queries.get(key)
    if (known !== undefined) return known
    const parsed = parseListQuery(new URLSearchParams(query), model, this.#access.registry)
    this.#queries.set(key, parsed)
    return parsed
  }

  #readQuery(model: Model, query: string): Projection {
    return parseReadQuery(new URLSearchParams(query), model, this.#access.registry)
  }
}

function only(written: readonly RecordJson[]): RecordJson {
  const [json] = written
  if (json === undefined) throw new Error('A record was not written')
  return json
}

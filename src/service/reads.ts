import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import { type Page, pageOf } from '../query/page.ts'
import { parseListQuery, parseReadQuery } from '../query/parse.ts'
import { fullProjection } from '../query/project.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { versionOf } from '../store/version.ts'
import type { JsonObject } from '../util/json.ts'
import { modelFor, noSuchRecord } from './lookup.ts'
import { present } from './present.ts'
import { readRecordId } from './requests.ts'

/** A record as it is sent, and the version of what is stored of it. */
export interface Presented {
  readonly body: JsonObject
  readonly version: string
}

/** Reads records on somebody's behalf. Changes nothing. */
export class Reads {
  readonly #registry: Registry
  readonly #store: Store

  constructor(registry: Registry, store: Store) {
    this.#registry = registry
    this.#store = store
  }

  /** @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST */
  async list(actor: Actor, modelKey: string, parameters: URLSearchParams): Promise<Page<JsonObject>> {
    const model = modelFor(this.#registry, actor, 'view', modelKey)
    const { page, plan, projection } = parseListQuery(parameters, model, this.#registry)
    const { records, total } = await this.#store.find(model.key, plan)
    return pageOf(await present(this.#store, model, records, projection), total, page)
  }

  /** @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, RECORD_NOT_FOUND */
  async get(actor: Actor, modelKey: string, recordId: string, parameters: URLSearchParams): Promise<Presented> {
    const model = modelFor(this.#registry, actor, 'view', modelKey)
    const id = readRecordId(recordId)
    const projection = parseReadQuery(parameters, model, this.#registry)
    const [record] = await this.#store.get(model.key, [id])
    if (record === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(model, id))
    const [body = {}] = await present(this.#store, model, [record], projection)
    return { body, version: versionOf(record) }
  }

  /** The actor's own user record: everybody may see themselves. */
  async self({ userId = 0 }: Actor): Promise<JsonObject> {
    const user = this.#registry.expect('user')
    const found = await this.#store.get(user.key, [userId])
    const [body = {}] = await present(
      this.#store,
      user,
      found.filter((record) => record !== undefined),
      fullProjection(user, this.#registry),
    )
    return body
  }

  /** Records of one model in full, as they are sent after a write. */
  async present(modelKey: string, records: readonly StoredRecord[]): Promise<Presented[]> {
    const model = this.#registry.expect(modelKey)
    const bodies = await present(this.#store, model, records, fullProjection(model, this.#registry))
    return records.map((record, index) => ({ body: bodies[index] ?? {}, version: versionOf(record) }))
  }
}

import { LRUCache } from 'lru-cache'
import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import { type ParsedListQuery, parseListQuery, parseReadQuery } from '../query/parse.ts'
import type { RecordProjection } from '../query/project.ts'
import type { FoundPage } from '../store/store.ts'
import type { Nested, RecordJson } from './record-json.ts'

/** Default capacity in bytes, approximately. */
const CAPACITY = 32 * 1024 * 1024
/** Estimated size of an entry beside its key and its page, in bytes. */
const OVERHEAD = 2000

/** The page that a query gave last, and all that it was made of. */
export interface LastPage {
  readonly found: FoundPage
  readonly nested: Nested
  readonly records: readonly RecordJson[]
  /** The response, as bytes of JSON. */
  readonly body: Buffer
}

/** A list query as the rights of an actor allow it: its plan is restricted, its projection reduced. */
export interface PreparedQuery extends ParsedListQuery {
  /** The rights, the model and the query string. */
  readonly key: string
  readonly last?: LastPage
}

/** What a query of single records prepares: the projection, reduced to what the actor may see. */
interface PreparedRecord {
  readonly projection: RecordProjection
  readonly last?: undefined
}

/**
 * The queries of lists and of single records that were asked last, prepared. The only cache of reads: all that is kept of a query is a field
 * of it. Its key is a text of everything that the query was prepared from, and a page is used again only if it was made of what is found
 * now. So nothing here has to be invalidated, and no page reaches an actor who may see less.
 */
export class PreparedQueries {
  readonly #access: AccessRules
  readonly #kept: LRUCache<string, PreparedQuery | PreparedRecord>

  /** @param capacity capacity in bytes, approximately */
  constructor(access: AccessRules, capacity: number = CAPACITY) {
    this.#access = access
    this.#kept = new LRUCache({
      maxSize: capacity,
      // The records of the page and their texts are held too, and each need about as much as the body.
      sizeCalculation: ({ last }, key) => OVERHEAD + key.length + 3 * (last?.body.length ?? 0),
    })
  }

  /**
   * A query of a model that the actor may view.
   *
   * @param query query string without the question mark
   * @throws {AppError} FORBIDDEN, INVALID_REQUEST
   */
  prepare(actor: Actor, model: Model, query: string): PreparedQuery {
    const key = `${this.#subject(actor, model)}?${query}`
    const known = this.#kept.get(key)
    if (known !== undefined && 'plan' in known) return known
    const { page, plan, projection, editing } = parseListQuery(new URLSearchParams(query), model, this.#access.registry)
    const prepared = {
      key,
      page,
      plan: this.#access.restricted(actor, model, plan),
      projection: this.#access.visibleTo(actor, projection),
      editing,
    }
    this.#kept.set(key, prepared)
    return prepared
  }

  /**
   * The projection of single records of a model, as the rights of an actor allow it.
   *
   * @param query query string without the question mark; the empty one gives everything that the actor may see
   * @throws {AppError} FORBIDDEN, INVALID_REQUEST
   */
  projection(actor: Actor, model: Model, query: string): RecordProjection {
    const key = `${this.#subject(actor, model)}/?${query}`
    const known = this.#kept.get(key)
    if (known !== undefined) return known.projection
    const projection = this.#access.visibleTo(actor, parseReadQuery(new URLSearchParams(query), model, this.#access.registry))
    this.#kept.set(key, { projection })
    return projection
  }

  /** Keeps the page of a prepared query. */
  keep(prepared: PreparedQuery, last: LastPage): void {
    this.#kept.set(prepared.key, { ...prepared, last })
  }

  /** The beginning of a key. The name of a model has no slash, so a list and a single record never have the same key. */
  #subject(actor: Actor, model: Model): string {
    return `${this.#access.rightsOf(actor, model)} ${model.key}`
  }
}

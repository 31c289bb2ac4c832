import { LRUCache } from 'lru-cache'
import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { fullProjection, type RecordProjection } from '../query/project.ts'
import { type Store, type StoredRecord, versionOf, versionOfJson } from '../store/store.ts'
import { Slices } from '../util/slices.ts'
import {
  hasReferrers,
  isSentAsStored,
  loadReferrers,
  loadRelated,
  NO_REFERRERS,
  present,
  type Referrers,
  type RelatedRecords,
  relatedTo,
} from './relations.ts'

/** Default capacity of the cache, in characters of JSON. A larger cache costs more garbage collection than it saves. */
const CAPACITY = 8 * 1024 * 1024
/** Maximum size of the records in one response, in characters. Nested records count each time they occur. */
export const MAX_ANSWER = 16 * 1024 * 1024
/** Size of records that are serialised between two looks at the clock, in characters. */
const CHECKED_SIZE = 64 * 1024
/** Estimated size of a cache entry beside its text, in characters. */
const OVERHEAD = 200

/** The nested records of one record, as `relatedTo` returns them. */
type Nested = ReturnType<typeof relatedTo>

/** A record serialised for a response, with its version. */
export class RecordJson {
  /** The JSON object. */
  readonly text: string
  readonly #asStored: boolean
  readonly #record: StoredRecord
  readonly #projection: RecordProjection
  readonly #nested: Nested
  #version: string | undefined
  #digest: string | undefined

  /** @param made `asStored` is true if `text` is also the JSON of the stored record */
  constructor(made: { text: string; asStored: boolean; record: StoredRecord; projection: RecordProjection; nested: Nested }) {
    this.text = made.text
    this.#asStored = made.asStored
    this.#record = made.record
    this.#projection = made.projection
    this.#nested = made.nested
  }

  /** Version of the stored record. */
  get version(): string {
    this.#version ??= this.#asStored ? versionOfJson(this.text) : versionOf(this.#record)
    return this.#version
  }

  /** Digest of the text, which also changes with nested records. */
  get digest(): string {
    // In this case the version already is the hash of the text.
    this.#digest ??= (this.#asStored ? this.version : versionOfJson(this.text)).slice(0, 8)
    return this.#digest
  }

  /** True if the text was made under this projection and with these nested records. */
  isMadeOf(projection: RecordProjection, nested: Nested): boolean {
    if (projection !== this.#projection || nested.length !== this.#nested.length) return false
    return nested.every((record, index) => record === this.#nested[index])
  }
}

/** Joins records into a JSON array. */
export const arrayJson = (records: readonly RecordJson[]): string => `[${records.map(({ text }) => text).join(',')}]`

/** The serialised part of records, and its reader. */
export interface Presentation {
  readonly actor: Actor
  /** The part of the requested projection that the actor may see. */
  readonly projection: RecordProjection
  /** The requested projection; `projection` itself when absent. */
  readonly asked?: RecordProjection
}

/**
 * Serialises records and caches the result. The cache key is the stored record, an immutable object that is replaced when it
 * changes; the entry also holds the projection and the nested records. So no entry needs invalidation, and no entry reaches an
 * actor who may see less.
 */
export class RecordSerializer {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #whole: LRUCache<StoredRecord, RecordJson>
  /** A cache of its own, so that actors with full and with reduced visibility do not evict each other's entries. */
  readonly #partial: LRUCache<StoredRecord, RecordJson>

  /** @param capacity capacity for whole records, in characters, approximately; reduced records get half as much */
  constructor(access: AccessRules, store: Store, capacity: number = CAPACITY) {
    const sizeOf = ({ text }: RecordJson) => text.length + OVERHEAD
    this.#access = access
    this.#store = store
    this.#whole = new LRUCache({ maxSize: capacity, sizeCalculation: sizeOf })
    this.#partial = new LRUCache({ maxSize: Math.ceil(capacity / 2), sizeCalculation: sizeOf })
  }

  /**
   * Serialises records of one model, in order.
   *
   * @throws {AppError} ANSWER_TOO_LARGE if several records, or nested ones, exceed the maximum together
   */
  async write(
    model: Model,
    records: readonly StoredRecord[],
    { actor, projection, asked = projection }: Presentation,
  ): Promise<readonly RecordJson[]> {
    const keeper =
      asked !== fullProjection(model, this.#access.registry) ? undefined : asked === projection ? this.#whole : this.#partial
    const related = await loadRelated(records, projection, (target, ids) => this.#access.shown(this.#store, actor, target, ids))
    const referrers = hasReferrers(projection) ? await this.#referrers(records, projection, actor) : NO_REFERRERS
    const written: RecordJson[] = []
    const slices = new Slices()
    let size = 0
    let sliceEnd = CHECKED_SIZE
    for (const record of records) {
      const nested = relatedTo(record, related)
      const kept = keeper?.get(record)
      const isCurrent = kept?.isMadeOf(projection, nested) === true
      const json = isCurrent ? kept : makeJson({ model, record, projection, related, referrers, nested })
      if (!isCurrent) keeper?.set(record, json)
      size += json.text.length
      // A single record is returned whatever its size.
      if (size > MAX_ANSWER && (records.length > 1 || related.size + referrers.size > 0)) throw tooLarge()
      written.push(json)
      if (size < sliceEnd) continue
      sliceEnd = size + CHECKED_SIZE
      if (slices.isOver) await slices.next()
    }
    return written
  }

  #referrers(records: readonly StoredRecord[], projection: RecordProjection, actor: Actor): Promise<Referrers> {
    return loadReferrers(records, projection, (referrer, plans) =>
      this.#store.findEach(
        referrer.key,
        plans.map((plan) => this.#access.narrowed(actor, referrer, plan)),
      ),
    )
  }

  /** Number of cached records. */
  get size(): number {
    return this.#whole.size + this.#partial.size
  }
}

function makeJson({
  model,
  record,
  projection,
  related,
  referrers,
  nested,
}: {
  model: Model
  record: StoredRecord
  projection: RecordProjection
  related: RelatedRecords
  referrers: Referrers
  nested: Nested
}): RecordJson {
  const asStored = isSentAsStored(model, record, projection)
  const text = JSON.stringify(asStored ? record : present(model, record, projection, related, referrers))
  return new RecordJson({ text, asStored, record, projection, nested })
}

export const tooLarge = (): AppError =>
  new AppError('ANSWER_TOO_LARGE', `The response would exceed ${MAX_ANSWER >> 20} MiB; request fewer records or fields`)

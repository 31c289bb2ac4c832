import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { RecordProjection } from '../query/project.ts'
import { type Store, type StoredRecord, versionOf, versionOfJson } from '../store/store.ts'
import { Slices } from '../util/slices.ts'
import { isSentAsStored, loadReferrers, loadRelated, type Nested, NOTHING_NESTED, present } from './relations.ts'

/** Maximum size of the records in one response, in characters. Nested records count each time they occur. */
export const MAX_ANSWER = 16 * 1024 * 1024
/** Size of records that are serialised between two looks at the clock, in characters. */
const CHECKED_SIZE = 64 * 1024

/** A record serialised for a response, with its version. */
export class RecordJson {
  /** The JSON object. */
  readonly text: string
  readonly record: StoredRecord
  readonly #asStored: boolean
  #version: string | undefined

  /** @param asStored true if `text` is also the JSON of the stored record */
  constructor(text: string, record: StoredRecord, asStored: boolean) {
    this.text = text
    this.record = record
    this.#asStored = asStored
  }

  /** Version of the stored record. */
  get version(): string {
    this.#version ??= this.#asStored ? versionOfJson(this.text) : versionOf(this.record)
    return this.#version
  }

  /** Digest of the text, which also changes with nested records. */
  get digest(): string {
    // In this case the version already is the hash of the text.
    return (this.#asStored ? this.version : versionOfJson(this.text)).slice(0, 8)
  }
}

/** Joins records into a JSON array. */
export const arrayJson = (records: readonly RecordJson[]): string => `[${records.map(({ text }) => text).join(',')}]`

/** Reads what records nest, as an actor may see it. */
export class RecordSerializer {
  readonly #access: AccessRules
  readonly #store: Store

  constructor(access: AccessRules, store: Store) {
    this.#access = access
    this.#store = store
  }

  /**
   * Serialises records of one model, in order.
   *
   * @param projection the part of the requested projection that the actor may see
   * @throws {AppError} ANSWER_TOO_LARGE if several records, or nested ones, exceed the maximum together
   */
  async write(
    actor: Actor,
    model: Model,
    records: readonly StoredRecord[],
    projection: RecordProjection,
  ): Promise<readonly RecordJson[]> {
    return serialize(model, records, projection, await this.nestedIn(actor, records, projection))
  }

  /** Reads what records nest under a projection. */
  async nestedIn(actor: Actor, records: readonly StoredRecord[], projection: RecordProjection): Promise<Nested> {
    if (projection.every(({ kind }) => kind === 'value')) return NOTHING_NESTED
    const related = await loadRelated(records, projection, (target, ids) => this.#access.shown(this.#store, actor, target, ids))
    const referrers = await loadReferrers(records, projection, (referrer, plans) =>
      this.#store.findEach(
        referrer.key,
        plans.map((plan) => this.#access.restricted(actor, referrer, plan)),
      ),
    )
    return { related, referrers }
  }
}

/**
 * Serialises records of one model, in order, with what they nest.
 *
 * @param earlier records that were serialised under the same projection, with the same nested ones
 * @throws {AppError} ANSWER_TOO_LARGE if several records, or nested ones, exceed the maximum together
 */
export async function serialize(
  model: Model,
  records: readonly StoredRecord[],
  projection: RecordProjection,
  nested: Nested = NOTHING_NESTED,
  earlier: readonly RecordJson[] = [],
): Promise<readonly RecordJson[]> {
  const written: RecordJson[] = []
  const slices = new Slices()
  let size = 0
  let sliceEnd = CHECKED_SIZE
  for (const record of records) {
    const json = earlier.find((each) => each.record === record) ?? recordJson(model, record, projection, nested)
    size += json.text.length
    // A single record is returned whatever its size.
    if (size > MAX_ANSWER && (records.length > 1 || nested.related.size + nested.referrers.size > 0)) throw tooLarge()
    written.push(json)
    if (size < sliceEnd) continue
    sliceEnd = size + CHECKED_SIZE
    if (slices.isOver) await slices.next()
  }
  return written
}

function recordJson(model: Model, record: StoredRecord, projection: RecordProjection, nested: Nested): RecordJson {
  const asStored = isSentAsStored(model, record, projection)
  return new RecordJson(JSON.stringify(asStored ? record : present(model, record, projection, nested)), record, asStored)
}

export const tooLarge = (): AppError =>
  new AppError('ANSWER_TOO_LARGE', `The response would exceed ${MAX_ANSWER >> 20} MiB; request fewer records or fields`)

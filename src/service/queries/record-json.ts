import { AppError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { fullProjection, type Projection } from '../../query/project.ts'
import { textOf } from '../../store/embedded/snapshot/record-text.ts'
import type { Store, StoredRecord } from '../../store/store.ts'
import { versionOf, versionOfJson } from '../../store/version.ts'
import { AdmissionFilter } from '../../util/admission-filter.ts'
import { GenerationalCache } from '../../util/generational-cache.ts'
import type { MaybePromise } from '../../util/maybe-promise.ts'
import { isSentAsStored, loadRelated, present, type Related, relatedTo } from './relations.ts'

/** How many characters of JSON are remembered, unless said otherwise: more would cost the garbage collector more than it saves. */
const CAPACITY = 8 * 1024 * 1024
/** The most that one answer may hold of records, in characters: what is nested in many of them is in it many times. */
export const MAX_ANSWER = 16 * 1024 * 1024
/** What a remembered record takes beside its text, in characters. */
const OVERHEAD = 200

/** The records that are nested in one, as `relatedTo` gives them. */
type Nested = ReturnType<typeof relatedTo>

/** A record as it is sent, in JSON, and what names its content. */
export class RecordJson {
  /** The JSON object. */
  readonly text: string
  readonly #asStored: boolean
  readonly #record: StoredRecord
  readonly #projection: Projection
  readonly #nested: Nested
  #version: string | undefined
  #digest: string | undefined

  /** `asStored` says that the text is also the JSON of what is stored. */
  constructor(made: { text: string; asStored: boolean; record: StoredRecord; projection: Projection; nested: Nested }) {
    this.text = made.text
    this.#asStored = made.asStored
    this.#record = made.record
    this.#projection = made.projection
    this.#nested = made.nested
  }

  /** The version of what is stored of the record. */
  get version(): string {
    this.#version ??= this.#asStored ? versionOfJson(this.text) : versionOf(this.#record)
    return this.#version
  }

  /** Names what is sent of the record, which the records nested in it change too. */
  get digest(): string {
    // What is sent as it is stored has been hashed for its version already.
    this.#digest ??= (this.#asStored ? this.version : versionOfJson(this.text)).slice(0, 8)
    return this.#digest
  }

  /** True when it was made under this projection and with these records nested in it. */
  isMadeOf(projection: Projection, nested: Nested): boolean {
    if (projection !== this.#projection || nested.length !== this.#nested.length) return false
    return nested.every((record, index) => record === this.#nested[index])
  }
}

/** Records in a JSON array. */
export const arrayJson = (records: readonly RecordJson[]): string => `[${records.map(({ text }) => text).join(',')}]`

/**
 * Makes the JSON of records. That of a record in full that is asked for more than once is kept for as long as there is room, by
 * the stored record, which is replaced when it changes, and beside the projection and the records that are nested in it. So nobody
 * needs to tell of a change, and nobody gets to see what was made under a projection that shows more.
 */
export class RecordWriter {
  readonly #registry: Registry
  readonly #store: Store
  readonly #whole: GenerationalCache<StoredRecord, RecordJson>
  /** Apart, so that readers who may see all and readers who may not do not keep pushing out what the others are shown. */
  readonly #partial: GenerationalCache<StoredRecord, RecordJson>
  readonly #door: Pick<AdmissionFilter, 'admits'>

  /**
   * @param capacity how many characters of JSON to keep of records in full, about; half as many more of what is left of them
   * @param door lets in what is asked for more than once
   */
  constructor(
    registry: Registry,
    store: Store,
    capacity: number = CAPACITY,
    door: Pick<AdmissionFilter, 'admits'> = new AdmissionFilter(),
  ) {
    const weigh = (_: StoredRecord, { text }: RecordJson) => text.length + OVERHEAD
    this.#registry = registry
    this.#door = door
    this.#store = store
    this.#whole = new GenerationalCache(capacity, weigh)
    this.#partial = new GenerationalCache(capacity / 2, weigh)
  }

  /**
   * The JSON of records of one model, in their order.
   *
   * @param asked what was asked for, where the projection is what the reader may see of it
   * @throws {AppError} ANSWER_TOO_LARGE for several records, or some with others nested in them, that take too much together
   */
  write(
    model: Model,
    records: readonly StoredRecord[],
    projection: Projection,
    asked: Projection = projection,
  ): MaybePromise<readonly RecordJson[]> {
    const keeper =
      asked !== fullProjection(model, this.#registry) ? undefined : asked === projection ? this.#whole : this.#partial
    const write = (related: Related) => this.#write(model, records, projection, related, keeper)
    const related = loadRelated(this.#store, records, projection)
    return related instanceof Promise ? related.then(write) : write(related)
  }

  #write(
    model: Model,
    records: readonly StoredRecord[],
    projection: Projection,
    related: Related,
    keeper: GenerationalCache<StoredRecord, RecordJson> | undefined,
  ): readonly RecordJson[] {
    const written: RecordJson[] = []
    let size = 0
    for (const record of records) {
      const nested = relatedTo(record, related)
      const kept = keeper?.get(record)
      const isCurrent = kept?.isMadeOf(projection, nested) === true
      const json = isCurrent ? kept : makeJson(model, record, projection, related, nested)
      if (!isCurrent && keeper !== undefined && this.#door.admits(record.id)) keeper.set(record, json)
      size += json.text.length
      // A record alone is no longer than somebody made it.
      if (size > MAX_ANSWER && (records.length > 1 || related.size > 0)) throw tooLarge()
      written.push(json)
    }
    return written
  }

  /** How many records are kept. */
  get size(): number {
    return this.#whole.size + this.#partial.size
  }
}

function makeJson(model: Model, record: StoredRecord, projection: Projection, related: Related, nested: Nested): RecordJson {
  const asStored = isSentAsStored(model, record, projection)
  const text = asStored ? textOf(record) : JSON.stringify(present(model, record, projection, related))
  return new RecordJson({ text, asStored, record, projection, nested })
}

export const tooLarge = (): AppError =>
  new AppError('ANSWER_TOO_LARGE', `The answer would hold more than ${MAX_ANSWER >> 20} MiB; ask for fewer records or fields`)

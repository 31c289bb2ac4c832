import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { RelationField } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { Parameters } from '../query/parameters.ts'
import { fullProjection, type RecordProjection } from '../query/project.ts'
import { loadRelated, MAX_ANSWER, NOTHING_NESTED, present, type RelatedRecords, tooLarge } from '../reads/record-json.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import { MockRecords, type Targets } from './mock-records.ts'
import { loadFaker } from './random.ts'

export const DEFAULT_MOCK_COUNT = 10
export const MAX_MOCK_COUNT = 1000
/** The largest seed: 32 bits, exact in JSON. */
export const MAX_SEED = 2 ** 32 - 1

/** Records generated before yielding to the event loop. */
const YIELD_AFTER = 50
/** Maximum number of stored records of a model that relations choose from. */
const MAX_TARGETS = 1000
const SAMPLE_SEED = 1

export interface MocksParts {
  readonly access: AccessRules
  readonly store: Store
  /** Generates a seed when none is given. */
  readonly random: (bytes: number) => Buffer
  /** Yields to the event loop. */
  readonly pause: () => Promise<unknown>
}

/** Mock records as responses of the API. Nothing is stored; `MockFiller` creates records. */
export class Mocks {
  readonly #parts: MocksParts
  /** Samples are deterministic and public. */
  readonly #samples = new Map<string, Promise<JsonObject>>()

  constructor(parts: MocksParts) {
    this.#parts = parts
  }

  /**
   * Returns mock records of a model: the text of `{data, count, seed}`. Relations refer to stored records that the actor may
   * view; if there are none, to mocked ones.
   *
   * @param query query string `count=&seed=`
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, ANSWER_TOO_LARGE
   */
  async list(actor: Actor, modelKey: string, query: string): Promise<string> {
    const { access, random } = this.#parts
    const { registry } = access
    const model = access.modelFor(actor, 'view', modelKey)
    const parameters = new Parameters(new URLSearchParams(query), ['count', 'seed'])
    const count = parameters.integer('count', { absent: DEFAULT_MOCK_COUNT, min: 1, max: MAX_MOCK_COUNT })
    const seed = parameters.integer('seed', { absent: random(4).readUInt32LE(), min: 0, max: MAX_SEED })
    parameters.throwIfFaulty()
    const targets = await this.#targets(actor, model, count)
    const mockRecords = new MockRecords(await loadFaker(), seed, (field) => targets.get(field) ?? mockedTargets(count))
    const projection = access.visibleTo(actor, fullProjection(model, registry))
    const data: string[] = []
    let size = 0
    for (let from = 0; from < count; from += YIELD_AFTER) {
      if (from > 0) await this.#parts.pause()
      const records = mockRecords.first(model, Math.min(count, from + YIELD_AFTER)).slice(from, from + YIELD_AFTER)
      const related = await this.#related(actor, mockRecords, records, projection)
      for (const record of records) {
        const text = JSON.stringify(present(model, record, projection, { ...NOTHING_NESTED, related }))
        size += text.length
        if (size > MAX_ANSWER) throw tooLarge()
        data.push(text)
      }
    }
    return `{"data":[${data.join()}],"count":${count},"seed":${seed}}`
  }

  /**
   * Returns one mock record of a model, always the same. It is derived from the model only, so it is public.
   *
   * @throws {AppError} INVALID_REQUEST if no value of a field can be generated
   */
  sample(model: Model): Promise<JsonObject> {
    const known = this.#samples.get(model.key)
    if (known !== undefined) return known
    const sample = this.#sample(model)
    this.#samples.set(model.key, sample)
    return sample
  }

  async #sample(model: Model): Promise<JsonObject> {
    const { registry } = this.#parts.access
    const mockRecords = new MockRecords(await loadFaker(), SAMPLE_SEED, () => mockedTargets(1))
    const projection = fullProjection(model, registry)
    const [record] = mockRecords.first(model, 1)
    if (record === undefined) throw new Error('No sample was generated')
    return present(model, record, projection, { ...NOTHING_NESTED, related: mockRecords.related([record], projection) })
  }

  /** The targets of relations: stored records if there are enough, otherwise mocked ones. */
  async #targets(actor: Actor, model: Model, count: number): Promise<ReadonlyMap<RelationField, Targets>> {
    const { access, store } = this.#parts
    const found = new Map<RelationField, Targets>()
    for (const field of model.relations.values()) {
      const target = access.registry.expect(field.relation.target)
      if (!access.may(actor, 'view', target)) continue
      const { filters, sort } = access.restricted(actor, target, { filters: [], sort: [] })
      const { records } = await store.find(target.key, { filters, sort, offset: 0, limit: MAX_TARGETS })
      const enough = records.length >= (field.unique ? count : 1)
      if (enough) found.set(field, { ids: records.map(({ id }) => id), stored: true })
    }
    return found
  }

  async #related(
    actor: Actor,
    mockRecords: MockRecords,
    records: readonly StoredRecord[],
    projection: RecordProjection,
  ): Promise<RelatedRecords> {
    const { access, store } = this.#parts
    const stored = await loadRelated(
      records,
      projection.filter((column) => column.kind === 'related' && mockRecords.targets(column.field).stored),
      (target, ids) => access.shown(store, actor, target, ids),
    )
    return new Map([...mockRecords.related(records, projection), ...stored])
  }
}

const mockedTargets = (count: number): Targets => ({ ids: Array.from({ length: count }, (_, index) => index + 1), stored: false })

import type { PasswordHasher } from '../../auth/password.ts'
import { type Actor, SYSTEM } from '../../auth/permissions.ts'
import { loadFaker } from '../../mock/load-faker.ts'
import { Series } from '../../mock/series.ts'
import { dependencyOrder } from '../../model/dependency-order.ts'
import type { RelationField } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import type { Store } from '../../store/store.ts'
import { type Random, uniqueId } from '../../util/ids.ts'
import type { Json } from '../../util/json.ts'
import { mapInSlices } from '../../util/slices.ts'
import type { Form } from '../../validate/form.ts'
import { forbidden } from '../access/refusals.ts'
import type { Records } from '../records/records.ts'
import { Combinations, otherValues } from './combinations.ts'
import { creatingForm, fitted, narrowed } from './form-fit.ts'
import { keepsDefault, validated } from './mock-records.ts'
import { type FillRequest, readFillRequest } from './mock-requests.ts'

/** Records created in one transaction. */
const BATCH = 1000
/** Size of the first batch of a model that refers to itself. Later records can refer to these. */
const FIRST_BATCH = 10
/** Relations refer to at most so many stored records of their model. */
const MAX_TARGETS = 10_000
/** Records generated before yielding to the event loop. */
const YIELD_AFTER = 50

/** A model with its generated values. */
interface Planned {
  readonly model: Model
  readonly form: Form | undefined
  readonly series: Series
  readonly records: readonly Readonly<Record<string, Json>>[]
}

export interface MockFillerParts {
  readonly registry: Registry
  readonly store: Store
  /** The write path, with a hasher that hashes a repeated password once. */
  readonly records: Records
  /** Forms by name. Mock records obey the first form that creates records of their model. */
  readonly forms: ReadonlyMap<string, Form>
  readonly random: Random
  /** Yields to the event loop. */
  readonly pause: () => Promise<unknown>
}

/** Creates mock records through the write path. */
export class MockFiller {
  readonly #registry: Registry
  readonly #store: Store
  readonly #records: Records
  readonly #random: Random
  readonly #pause: () => Promise<unknown>
  readonly #forms: ReadonlyMap<string, Form>
  /** The previous run. A run reads the taken unique values at its start, so runs must not overlap. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: MockFillerParts) {
    this.#registry = parts.registry
    this.#store = parts.store
    this.#records = parts.records
    this.#random = parts.random
    this.#pause = parts.pause
    this.#forms = parts.forms
  }

  /**
   * Creates mock records for a request of a superuser.
   *
   * @param body `{models?, count?, seed?, locale?}`
   * @returns the seed, and the number of created records by model
   * @throws {AppError} FORBIDDEN, VALIDATION_FAILED, and those of `fill`
   */
  async request(actor: Actor, body: unknown): Promise<{ seed: number; created: Record<string, number> }> {
    if (!actor.isSuperuser) throw forbidden(actor)
    const fillRequest = readFillRequest(body, this.#registry, this.#random)
    const created: Record<string, number> = {}
    await this.fill(fillRequest, ({ key }) => {
      created[key] = fillRequest.count
    })
    return { seed: fillRequest.seed, created }
  }

  /**
   * Creates mock records in dependency order. Values are generated first, so that a field without a possible value is reported
   * before anything is stored. Each batch is one transaction.
   *
   * @param onModel called after each model
   * @throws {AppError} INVALID_REQUEST naming a field for which no value was found; USAGE for an unknown locale
   */
  fill(request: FillRequest, onModel: (model: Model) => void): Promise<void> {
    const filled = this.#last.then(() => this.#fill(request, onModel))
    this.#last = filled.catch(() => {})
    return filled
  }

  async #fill({ models, count, seed, locale }: FillRequest, onModel: (model: Model) => void): Promise<void> {
    const source = await loadFaker(locale)
    // A random password: a person must set another one before the account can be used, even if the seed is known.
    const secret = uniqueId(this.#random)
    const planned: Planned[] = []
    for (const model of dependencyOrder(this.#registry).filter((each) => models.includes(each))) {
      const form = creatingForm(this.#forms.values(), model)
      const series = new Series({
        model: form === undefined ? model : narrowed(model, form),
        source,
        seed,
        secret,
        keepsDefault: keepsDefault(model),
        taken: await this.#taken(model),
      })
      planned.push({ model, form, series, records: await this.#values(series, count) })
    }
    for (const plan of planned) {
      await this.#create(plan)
      onModel(plan.model)
    }
  }

  async #values(series: Series, count: number): Promise<Planned['records']> {
    const records: Planned['records'][number][] = []
    for (let index = 0; index < count; index++) {
      if (index > 0 && index % YIELD_AFTER === 0) await this.#pause()
      records.push(series.values(index))
    }
    return records
  }

  async #create({ model, form, series, records }: Planned): Promise<void> {
    const ids = new Map<string, number[]>()
    for (const { relation } of model.relations.values()) ids.set(relation.target, await this.#idsOf(relation.target))
    const ownIds = ids.get(model.key)
    const combinations = await Combinations.of(model, this.#store)
    const targets = ({ relation }: RelationField) => ids.get(relation.target) ?? []
    for (let from = 0; from < records.length; ) {
      const size = ownIds === undefined ? BATCH : Math.min(BATCH, Math.max(FIRST_BATCH, ownIds.length))
      const batch = await mapInSlices(records.slice(from, from + size), (values, offset) => {
        const index = from + offset
        const data = { ...values, ...series.relations(index, targets) }
        validated(model, data)
        const fit = (record: Readonly<Record<string, Json>>) =>
          form === undefined ? record : fitted(form, series, index, record)
        return combinations.claim(fit(data), (round) => fit(otherValues(series, index, round, { data, targets })))
      })
      const created = await this.#records.createMany(SYSTEM, model.key, { records: batch }, { origin: { via: 'mock' } })
      ownIds?.push(...created.map(({ id }) => id))
      from += batch.length
    }
  }

  async #idsOf(table: string): Promise<number[]> {
    const { records } = await this.#store.find(table, { filters: [], sort: [], offset: 0, limit: MAX_TARGETS })
    return records.map(({ id }) => id)
  }

  /** The unique values of existing records. */
  async #taken(model: Model): Promise<ReadonlyMap<string, Set<Json>>> {
    const unique = [...model.fields.values()].filter((field) => field.unique && !field.system)
    const taken = new Map(unique.map(({ name }) => [name, new Set<Json>()]))
    if (unique.length === 0) return taken
    for await (const batch of this.#store.stream(model.key, { filters: [], sort: [] })) {
      for (const record of batch) for (const [name, values] of taken) if (record[name] != null) values.add(record[name])
    }
    return taken
  }
}

/**
 * Wraps a hasher so that consecutive calls with the same password hash once. Thousands of mock accounts would take a minute
 * otherwise.
 */
export function cachingHasher(hasher: PasswordHasher): PasswordHasher {
  let last: { readonly password: string; readonly hash: Promise<string> } | undefined
  return {
    hash(password) {
      if (last?.password !== password) last = { password, hash: hasher.hash(password) }
      return last.hash
    },
    verify: (hash, password) => hasher.verify(hash, password),
  }
}

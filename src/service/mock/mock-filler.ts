import type { PasswordHasher } from '../../auth/password.ts'
import { type Actor, SYSTEM } from '../../auth/permissions.ts'
import { loadFaker } from '../../mock/load-faker.ts'
import { Series } from '../../mock/series.ts'
import { dependencyOrder } from '../../model/dependency-order.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import type { Store } from '../../store/store.ts'
import { type Random, uniqueId } from '../../util/ids.ts'
import type { Json } from '../../util/json.ts'
import { forbidden } from '../model-access.ts'
import type { Records } from '../records/records.ts'
import { isLeft, validated } from './mock-records.ts'
import { type Filling, readFilling } from './mock-requests.ts'

/** Created in one transaction. */
const BATCH = 1000
/** Of a model that refers to itself, the first records; those that follow can refer to them. */
const FIRST_BATCH = 10
/** How many stored records of a model are referred to at the most. */
const MAX_TARGETS = 10_000
/** Values of so many records are made before others have their turn. */
const AT_ONCE = 50

interface Planned {
  readonly model: Model
  readonly series: Series
  readonly records: readonly Readonly<Record<string, Json>>[]
}

/** Fills the store with mock records, through the door that every record comes through. */
export class MockFiller {
  readonly #registry: Registry
  readonly #store: Store
  readonly #records: Records
  readonly #random: Random
  readonly #pause: () => Promise<unknown>
  /** What is under way: one filling at a time, since each looks at first which values are taken. */
  #last: Promise<unknown> = Promise.resolve()

  /**
   * @param parts.records the write path, with a hasher that makes the same password's hash once
   * @param parts.pause lets others have their turn
   */
  constructor(parts: { registry: Registry; store: Store; records: Records; random: Random; pause: () => Promise<unknown> }) {
    this.#registry = parts.registry
    this.#store = parts.store
    this.#records = parts.records
    this.#random = parts.random
    this.#pause = parts.pause
  }

  /**
   * Creates mock records as a superuser asks for them.
   *
   * @param body `{models?, count?, seed?, locale?}`
   * @returns the seed, and how many records of each model were created
   * @throws {AppError} FORBIDDEN, VALIDATION_FAILED, and as `fill`
   */
  async request(actor: Actor, body: unknown): Promise<{ seed: number; created: Record<string, number> }> {
    if (!actor.isSuperuser) throw forbidden()
    const filling = readFilling(body, this.#registry, this.#random)
    const created: Record<string, number> = {}
    await this.fill(filling, ({ key }) => {
      created[key] = filling.count
    })
    return { seed: filling.seed, created }
  }

  /**
   * Creates mock records, those that others refer to first. Values are made before anything is stored, so that a field for which
   * there is none is told of in time; each batch of records is a transaction.
   *
   * @param told is told of each model that is done
   * @throws {AppError} INVALID_REQUEST naming a field for which no value was found; USAGE for a locale that is not there
   */
  fill(filling: Filling, told: (model: Model) => void): Promise<void> {
    const filled = this.#last.then(() => this.#fill(filling, told))
    this.#last = filled.catch(() => {})
    return filled
  }

  async #fill({ models, count, seed, locale }: Filling, told: (model: Model) => void): Promise<void> {
    const source = await loadFaker(locale)
    // Nobody knows it, whoever knows the seed: accounts are used once they are given another.
    const secret = uniqueId(this.#random)
    const planned: Planned[] = []
    for (const model of dependencyOrder(this.#registry).filter((each) => models.includes(each))) {
      const series = new Series({ model, source, seed, secret, leave: isLeft(model), taken: await this.#taken(model) })
      planned.push({ model, series, records: await this.#values(series, count) })
    }
    for (const plan of planned) {
      await this.#create(plan)
      told(plan.model)
    }
  }

  async #values(series: Series, count: number): Promise<Planned['records']> {
    const records: Planned['records'][number][] = []
    for (let index = 0; index < count; index++) {
      if (index > 0 && index % AT_ONCE === 0) await this.#pause()
      records.push(series.values(index))
    }
    return records
  }

  async #create({ model, series, records }: Planned): Promise<void> {
    const ids = new Map<string, number[]>()
    for (const { relation } of model.relations.values()) ids.set(relation.target, await this.#idsOf(relation.target))
    const own = ids.get(model.key)
    for (let from = 0; from < records.length; ) {
      const size = own === undefined ? BATCH : Math.min(BATCH, Math.max(FIRST_BATCH, own.length))
      const batch = records.slice(from, from + size).map((values, offset) => {
        const links = series.links(from + offset, ({ relation }) => ids.get(relation.target) ?? [])
        const data = { ...values, ...links }
        validated(model, data)
        return data
      })
      const created = await this.#records.createMany(SYSTEM, model.key, { records: batch })
      own?.push(...created.map(({ id }) => id))
      from += batch.length
    }
  }

  async #idsOf(table: string): Promise<number[]> {
    const { records } = await this.#store.find(table, { filters: [], sort: [], offset: 0, limit: MAX_TARGETS })
    return records.map(({ id }) => id)
  }

  /** The values of unique fields that records have already. */
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

/** A hasher that hashes the same password once, for as long as no other comes: thousands of accounts that nobody can use yet need not cost a minute. */
export function rememberingHasher(hasher: PasswordHasher): PasswordHasher {
  let last: { readonly password: string; readonly hash: Promise<string> } | undefined
  return {
    hash(password) {
      if (last?.password !== password) last = { password, hash: hasher.hash(password) }
      return last.hash
    },
    verify: (hash, password) => hasher.verify(hash, password),
  }
}

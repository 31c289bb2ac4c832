import type { PasswordHasher } from '../auth/password.ts'
import { SYSTEM } from '../auth/permissions.ts'
import { loadFaker } from '../mock/load-faker.ts'
import { Series } from '../mock/series.ts'
import { dependencyOrder } from '../model/dependency-order.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Store } from '../store/store.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { Json } from '../util/json.ts'
import { isLeft, validated } from './mock-records.ts'
import type { Records } from './records.ts'

/** What a store is to be filled with. */
export interface Filling {
  readonly models: readonly Model[]
  /** Records of each model. */
  readonly count: number
  readonly seed: number
  readonly locale: string | undefined
}

/** Created in one transaction. */
const BATCH = 1000
/** Of a model that refers to itself, the first records; those that follow can refer to them. */
const FIRST_BATCH = 10
/** How many stored records of a model are referred to at the most. */
const MAX_TARGETS = 10_000

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

  /** @param parts.records the write path, with a hasher that makes the same password's hash once */
  constructor(parts: { registry: Registry; store: Store; records: Records; random: Random }) {
    this.#registry = parts.registry
    this.#store = parts.store
    this.#records = parts.records
    this.#random = parts.random
  }

  /**
   * Creates mock records, those that others refer to first. Values are made before anything is stored, so that a field for which
   * there is none is told of in time; each batch of records is a transaction.
   *
   * @param told is told of each model that is done
   * @throws {AppError} INVALID_REQUEST naming a field for which no value was found; USAGE for a locale that is not there
   */
  async fill({ models, count, seed, locale }: Filling, told: (model: Model) => void): Promise<void> {
    const source = await loadFaker(locale)
    // Nobody knows it, whoever knows the seed: accounts are used once they are given another.
    const secret = uniqueId(this.#random)
    const planned: Planned[] = []
    for (const model of dependencyOrder(this.#registry).filter((each) => models.includes(each))) {
      const series = new Series({ model, source, seed, secret, leave: isLeft(model), taken: await this.#taken(model) })
      planned.push({ model, series, records: Array.from({ length: count }, (_, index) => series.values(index)) })
    }
    for (const plan of planned) {
      await this.#create(plan)
      told(plan.model)
    }
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

/** A hasher that hashes the same password once: thousands of accounts that nobody can use yet need not cost a minute. */
export function rememberingHasher(hasher: PasswordHasher): PasswordHasher {
  const hashes = new Map<string, Promise<string>>()
  return {
    hash(password) {
      const known = hashes.get(password) ?? hasher.hash(password)
      hashes.set(password, known)
      return known
    },
    verify: (hash, password) => hasher.verify(hash, password),
  }
}

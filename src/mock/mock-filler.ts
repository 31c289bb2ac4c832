import type { PasswordHasher } from '../auth/password.ts'
import { type Actor, forbidden, SYSTEM } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { FileField, RelationField } from '../model/field.ts'
import { filesIn, type StoredFile } from '../model/files.ts'
import { Model } from '../model/model.ts'
import { dependencyOrder, type Registry } from '../model/registry.ts'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { Json } from '../util/json.ts'
import { mapInSlices } from '../util/slices.ts'
import { checkForm, type Form } from '../validate/form.ts'
import { FieldIssues } from '../validate/issues.ts'
import { type MockFile, MockFiles } from './mock-files.ts'
import { Combinations, keepsDefault, otherValues, validated } from './mock-records.ts'
import { type FillRequest, readFillRequest } from './mock-requests.ts'
import { loadFaker } from './random.ts'
import { Series } from './series.ts'

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
  readonly files: MockFiles
  readonly records: readonly Readonly<Record<string, Json>>[]
}

interface MockFillerParts {
  readonly registry: Registry
  readonly store: Store
  /** The write path, with a hasher that hashes a repeated password once. */
  readonly records: Records
  /** Forms by name. Mock records obey the first form that creates records of their model. */
  readonly forms: ReadonlyMap<string, Form>
  readonly random: Random
  /** Uploads a file for as many places of a field. @returns the ids */
  readonly upload: (model: Model, field: FileField, file: MockFile, places: number) => Promise<readonly string[]>
  /** Yields to the event loop. */
  readonly pause: () => Promise<unknown>
}

/** Creates mock records through the write path. */
export class MockFiller {
  readonly #parts: MockFillerParts
  /** The previous run. A run reads the taken unique values at its start, so runs must not overlap. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: MockFillerParts) {
    this.#parts = parts
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
    const fillRequest = readFillRequest(body, this.#parts.registry, this.#parts.random)
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

  async #fill({ models, count, seed, locale, withoutCode = false }: FillRequest, onModel: (model: Model) => void): Promise<void> {
    const source = await loadFaker(locale)
    // A random password: a person must set another one before the account can be used, even if the seed is known.
    const secret = uniqueId(this.#parts.random)
    const planned: Planned[] = []
    for (const model of dependencyOrder(this.#parts.registry).filter((each) => models.includes(each))) {
      const form = creatingForm(this.#parts.forms.values(), model)
      const files = new MockFiles(seed)
      const series = new Series({
        files,
        model: form === undefined ? model : narrowed(model, form),
        source,
        seed,
        secret,
        keepsDefault: (field) => field.computed || keepsDefault(model)(field),
        taken: await this.#taken(model),
      })
      planned.push({ model, form, series, files, records: await this.#values(series, count) })
    }
    for (const plan of planned) {
      await this.#create(plan, withoutCode)
      onModel(plan.model)
    }
  }

  async #values(series: Series, count: number): Promise<Planned['records']> {
    const records: Planned['records'][number][] = []
    for (let index = 0; index < count; index++) {
      if (index > 0 && index % YIELD_AFTER === 0) await this.#parts.pause()
      records.push(series.values(index))
    }
    return records
  }

  async #create({ model, form, series, files, records }: Planned, withoutCode: boolean): Promise<void> {
    const options = { origin: { via: 'mock' }, withoutCode } as const
    const ids = new Map<string, number[]>()
    for (const { relation } of model.relations.values()) ids.set(relation.target, await this.#idsOf(relation.target))
    const ownIds = ids.get(model.key)
    const combinations = await Combinations.of(model, this.#parts.store)
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
      const uploaded = await this.#withUploads(model, files, batch)
      const created = await this.#parts.records.createMany(SYSTEM, model.key, { records: uploaded }, options)
      ownIds?.push(...created.map(({ id }) => id))
      from += batch.length
    }
  }

  /** Records with ids of uploads in place of mock files. */
  async #withUploads(model: Model, files: MockFiles, batch: readonly Values[]): Promise<readonly Values[]> {
    let records = batch
    for (const field of model.fileFields) {
      const places = new Map<string, number>()
      for (const { sha256 } of records.flatMap((record) => filesIn(record[field.name]))) {
        places.set(sha256, (places.get(sha256) ?? 0) + 1)
      }
      const ids = new Map<string, string[]>()
      for (const [sha256, count] of places) {
        const file = files.withHash(sha256)
        if (file === undefined) throw new Error(`There is no mock file with the hash ${sha256}`)
        ids.set(sha256, [...(await this.#parts.upload(model, field, file, count))])
      }
      const idOf = ({ sha256 }: StoredFile): Json => ids.get(sha256)?.pop() ?? null
      records = records.map((record) => {
        const found = filesIn(record[field.name])
        return found.length === 0
          ? record
          : { ...record, [field.name]: field.type.list ? found.map(idOf) : (found.map(idOf)[0] ?? null) }
      })
    }
    return records
  }

  async #idsOf(table: string): Promise<number[]> {
    const { records } = await this.#parts.store.find(table, { filters: [], sort: [], offset: 0, limit: MAX_TARGETS })
    return records.map(({ id }) => id)
  }

  /** The unique values of existing records. */
  async #taken(model: Model): Promise<ReadonlyMap<string, Set<Json>>> {
    const unique = [...model.fields.values()].filter((field) => field.unique && !field.system)
    const taken = new Map(unique.map(({ name }) => [name, new Set<Json>()]))
    if (unique.length === 0) return taken
    for await (const batch of this.#parts.store.stream(model.key, { filters: [], sort: [] })) {
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

/** Maximum number of other values that are tried for a record. */
const MAX_ROUNDS = 500

type Values = Readonly<Record<string, Json>>

/** The form that mock records of a model obey: the first that can create records; undefined if there is none. */
const creatingForm = (forms: Iterable<Form>, model: Model): Form | undefined =>
  [...forms].find((form) => form.model === model && form.creationFields?.size !== 0)

/** The model with the limits of a form, so that its values are generated within them. */
function narrowed(model: Model, form: Form): Model {
  const fields = [...model.fields.values()].map((field) => {
    const { required = false, limits = {} } = form.fields.find(({ name }) => name === field.name) ?? {}
    return { ...field, required: field.required || required, limits: { ...field.limits, ...limits } }
  })
  return new Model({ ...model, fields })
}

/**
 * Replaces values of a mock record until it obeys the limits and rules of a form.
 *
 * @param data the first values of the record, with its relations
 * @throws {AppError} INVALID_REQUEST with the messages of the form if no values were found
 */
function fitted(form: Form, series: Series, index: number, data: Values): Values {
  let record = data
  for (let round = 1; ; round++) {
    const issues = issuesOf(form, record)
    if (!issues.any) return record
    if (round > MAX_ROUNDS) {
      const words = `No values that form ${form.name} accepts were found in ${MAX_ROUNDS} tries; its last errors`
      throw new AppError('INVALID_REQUEST', { [form.model.key]: [`${words}: ${JSON.stringify(issues.toMessages())}`] })
    }
    record = { ...record, ...series.others(index, round) }
  }
}

/** Secrets are random and long; they are checked when they are stored. */
function issuesOf(form: Form, record: Values): FieldIssues {
  const issues = new FieldIssues()
  checkForm(form, validated(form.model, record), new Set(form.model.secrets), issues)
  for (const { name, computed } of form.model.fields.values()) if (computed) issues.delete(name)
  return issues
}

import { isPrivileged } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Field, RelationField } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { UniqueSet } from '../model/unique-set.ts'
import type { RecordProjection } from '../query/project.ts'
import type { RelatedRecords } from '../reads/record-json.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import { readRecord } from '../validate/record.ts'
import type { FakerSource } from './random.ts'
import { Series } from './series.ts'

/** The records that a relation may refer to, and whether they are stored or mocked. */
export interface Targets {
  readonly ids: readonly number[]
  readonly stored: boolean
}

/** The mock records of a model so far. */
interface Started {
  readonly series: Series
  readonly combinations: Combinations
  readonly records: StoredRecord[]
}

/** Fields that keep their default: mock data grants no permissions. */
export const keepsDefault =
  (model: Model) =>
  (field: Field): boolean =>
    isPrivileged(model, field.name) && !field.required

/** The mock records of one response and of the models they refer to, generated on demand in the order of ids. */
export class MockRecords {
  readonly targets: (field: RelationField) => Targets
  readonly #source: FakerSource
  readonly #seed: number
  readonly #started = new Map<Model, Started>()

  constructor(source: FakerSource, seed: number, targets: (field: RelationField) => Targets) {
    this.#source = source
    this.#seed = seed
    this.targets = targets
  }

  /** The first `count` records of a model. */
  first(model: Model, count: number): readonly StoredRecord[] {
    const { series, combinations, records } = this.#started.get(model) ?? this.#start(model)
    const targets = (field: RelationField) => this.targets(field).ids
    while (records.length < count) {
      const index = records.length
      const data = { ...series.values(index), ...series.relations(index, targets) }
      const free = combinations.claim(data, (round) => otherValues(series, index, round, { data, targets }))
      records.push({ id: index + 1, ...validated(model, free), ...series.timestamps(index) })
    }
    return records
  }

  /** Related mock records to nest. */
  related(records: readonly StoredRecord[], projection: RecordProjection): RelatedRecords {
    const related = new Map<Extract<RecordProjection[number], { kind: 'related' }>, Map<number, StoredRecord>>()
    for (const column of projection) {
      if (column.kind !== 'related' || this.targets(column.field).stored) continue
      const ids = records.flatMap((record) => [record[column.field.name] ?? []].flat()).map(Number)
      const mocks = this.first(column.target, Math.max(0, ...ids))
      related.set(
        column,
        new Map(ids.flatMap((id) => (mocks[id - 1] === undefined ? [] : [[id, mocks[id - 1] as StoredRecord]]))),
      )
    }
    return related
  }

  #start(model: Model): Started {
    const series = new Series({
      model,
      source: this.#source,
      seed: this.#seed,
      keepsDefault: keepsDefault(model),
      secret: String(this.#seed),
    })
    const started = { series, combinations: new Combinations(model), records: [] }
    this.#started.set(model, started)
    return started
  }
}

/**
 * Validates a mock record like any other, but for the fields that code of the project will compute.
 *
 * @throws {AppError} INVALID_REQUEST with the errors, which are faults of the generator
 */
export function validated(model: Model, data: Readonly<Record<string, Json>>): Record<string, Json> {
  const { values, issues } = readRecord(model, data)
  for (const { name, computed } of model.fields.values()) if (computed) issues.delete(name)
  if (issues.any) throw new AppError('INVALID_REQUEST', issues.toMessages())
  return values
}

/** Maximum number of other values that are tried for a record. */
const MAX_ROUNDS = 500

type Values = Readonly<Record<string, Json>>

/** The taken combinations of a model's unique sets. */
export class Combinations {
  readonly #model: Model
  readonly #taken: ReadonlyMap<UniqueSet, Set<string>>

  /** No combination is taken at first. */
  constructor(model: Model) {
    this.#model = model
    this.#taken = new Map(model.uniqueSets.map((set) => [set, new Set<string>()]))
  }

  /** Those of the stored records. */
  static async of(model: Model, store: Store): Promise<Combinations> {
    const combinations = new Combinations(model)
    if (model.uniqueSets.length === 0) return combinations
    for await (const batch of store.stream(model.key, { filters: [], sort: [] })) {
      for (const record of batch) for (const [set, keys] of combinations.#taken) keys.add(set.keyOf(record) ?? '')
    }
    return combinations
  }

  /**
   * Replaces values of a mock record until its combinations are free, and takes them.
   *
   * @param make makes the record with other values; the same round makes the same record
   * @throws {AppError} INVALID_REQUEST if no values were found
   */
  claim(data: Values, make: (round: number) => Values): Values {
    let record = data
    for (let round = 1; ; round++) {
      const keys = [...this.#taken].map(([set, known]) => ({ set, known, key: set.keyOf(record) }))
      const taken = keys.find(({ known, key }) => key !== null && known.has(key))
      if (taken === undefined) {
        for (const { known, key } of keys) if (key !== null) known.add(key)
        return record
      }
      if (round > MAX_ROUNDS) {
        const words = `No free combination of ${taken.set.fields.join(', ')} was found in ${MAX_ROUNDS} tries; ask for fewer records`
        throw new AppError('INVALID_REQUEST', { [this.#model.key]: [words] })
      }
      record = make(round)
    }
  }
}

/** A mock record with other values in the fields that may have any, relations included. */
export const otherValues = (
  series: Series,
  index: number,
  round: number,
  { data, targets }: { readonly data: Values; readonly targets: (field: RelationField) => readonly number[] },
): Values => ({ ...data, ...series.others(index, round), ...series.otherRelations(index, round, targets) })

import { isPrivileged } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import type { FakerSource } from '../../mock/load-faker.ts'
import { Series } from '../../mock/series.ts'
import type { Field, RelationField } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import type { Projection } from '../../query/project.ts'
import type { StoredRecord } from '../../store/store.ts'
import type { Json } from '../../util/json.ts'
import { readRecord } from '../../validate/record.ts'
import type { Related } from '../queries/relations.ts'
import { Combinations, otherValues } from './combinations.ts'

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
  related(records: readonly StoredRecord[], projection: Projection): Related {
    const related = new Map<Extract<Projection[number], { kind: 'related' }>, Map<number, StoredRecord>>()
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
 * Validates a mock record like any other.
 *
 * @throws {AppError} INVALID_REQUEST with the errors, which are faults of the generator
 */
export function validated(model: Model, data: Readonly<Record<string, Json>>): Record<string, Json> {
  const { values, issues } = readRecord(model, data)
  if (issues.any) throw new AppError('INVALID_REQUEST', issues.toMessages())
  return values
}

import { AppError } from '../../errors.ts'
import type { Series } from '../../mock/series.ts'
import type { UniqueSet } from '../../model/constraints/unique-set.ts'
import type { RelationField } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import type { Store } from '../../store/store.ts'
import type { Json } from '../../util/json.ts'

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

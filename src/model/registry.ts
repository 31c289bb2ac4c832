import type { RelationField } from './field.ts'
import type { Model } from './model.ts'

/** A relation seen from the model it points at. */
export interface Referrer {
  readonly model: Model
  readonly field: RelationField
}

/** All models by their keys. */
export class Registry {
  readonly #models: ReadonlyMap<string, Model>
  readonly #referrers: ReadonlyMap<string, readonly Referrer[]>

  constructor(models: readonly Model[]) {
    this.#models = new Map(models.map((model) => [model.key, model]))
    const referrers = new Map<string, Referrer[]>(models.map((model) => [model.key, []]))
    for (const model of models) {
      for (const field of model.relations.values()) referrers.get(field.relation.target)?.push({ model, field })
    }
    this.#referrers = referrers
  }

  /** Every model, the internal ones included. */
  get all(): Model[] {
    return [...this.#models.values()]
  }

  /** The models that have endpoints. */
  get public(): Model[] {
    return this.all.filter((model) => !model.internal)
  }

  get(key: string): Model | undefined {
    return this.#models.get(key)
  }

  /** A model that is known to be there, as the target of a relation is. */
  expect(key: string): Model {
    const model = this.#models.get(key)
    if (model === undefined) throw new Error(`Model '${key}' is not registered`)
    return model
  }

  /** The relations that point at a model. */
  referrersOf(key: string): readonly Referrer[] {
    return this.#referrers.get(key) ?? []
  }
}

import { ACCESS_ACTIONS } from './definition.ts'
import type { RelationField } from './field.ts'
import { FILE_TABLE } from './files.ts'
import type { Model } from './model.ts'

/** A relation, seen from its target model. */
interface Referrer {
  readonly model: Model
  readonly field: RelationField
}

/** Names of the project's actions, by the key of their model. */
export type ActionNames = ReadonlyMap<string, readonly string[]>

/** All models by key. */
export class Registry {
  readonly #models: ReadonlyMap<string, Model>
  readonly #referrers: ReadonlyMap<string, readonly Referrer[]>
  readonly #actions: ActionNames
  /** The models with fields of files, if the registry of files is among the models. */
  readonly withFiles: readonly Model[]

  /** @param actions the actions of the project */
  constructor(models: readonly Model[], actions: ActionNames = new Map()) {
    this.#actions = actions
    this.#models = new Map(models.map((model) => [model.key, model]))
    const referrers = new Map<string, Referrer[]>(models.map((model) => [model.key, []]))
    for (const model of models) {
      for (const field of model.relations.values()) referrers.get(field.relation.target)?.push({ model, field })
    }
    this.#referrers = referrers
    this.withFiles = this.#models.has(FILE_TABLE) ? models.filter(({ fileFields }) => fileFields.length > 0) : []
  }

  /** Every model, including internal ones. */
  get all(): Model[] {
    return [...this.#models.values()]
  }

  /** The models with endpoints. */
  get public(): Model[] {
    return this.all.filter((model) => !model.internal)
  }

  get(key: string): Model | undefined {
    return this.#models.get(key)
  }

  /** A model that is known to exist, such as the target of a relation. */
  expect(key: string): Model {
    const model = this.#models.get(key)
    if (model === undefined) throw new Error(`Model '${key}' is not registered`)
    return model
  }

  /** Names of what users may do with the records of a model: view, add, change, delete, and its own actions. */
  actionsOf(model: Model): readonly string[] {
    return [...ACCESS_ACTIONS, ...this.ownActionsOf(model)]
  }

  /** Names of the project's actions on the records of a model. */
  ownActionsOf({ key }: Model): readonly string[] {
    return this.#actions.get(key) ?? []
  }

  /** The relations that refer to a model. */
  referrersOf(key: string): readonly Referrer[] {
    return this.#referrers.get(key) ?? []
  }
}

/** Permissions first, then every model after those it refers to. Models with circular references keep their order. */
export function dependencyOrder(registry: Registry): Model[] {
  const ordered = new Set<Model>()
  const visit = (model: Model, path: ReadonlySet<Model>): void => {
    if (ordered.has(model) || path.has(model)) return
    for (const { relation } of model.relations.values()) visit(registry.expect(relation.target), new Set([...path, model]))
    ordered.add(model)
  }
  for (const model of [registry.expect('permission'), ...registry.public]) visit(model, new Set())
  return [...ordered]
}

import { AppError } from '../../errors.ts'
import type { Registry } from '../../model/registry.ts'
import type { Json } from '../../util/json.ts'
import { serializeView } from '../../views/serialize.ts'
import type { Views } from '../../views/views.ts'

type ServedView = Readonly<Record<string, Json>>

/** The views in the form that the Views API sends. */
export class ViewCatalog {
  readonly #registry: Registry
  readonly #served: ReadonlyMap<string, readonly ServedView[]>

  constructor(registry: Registry, views: Views) {
    this.#registry = registry
    this.#served = new Map(views.grouped.map(([key, list]) => [key, list.map(serializeView)]))
  }

  /** Views by model key, for models that have views. */
  all(): Record<string, readonly ServedView[]> {
    return Object.fromEntries(this.#served)
  }

  /** @throws {AppError} MODEL_NOT_FOUND */
  of(modelKey: string): readonly ServedView[] {
    const model = this.#registry.get(modelKey)
    if (model === undefined || model.internal) throw new AppError('MODEL_NOT_FOUND', `Model '${modelKey}' does not exist`)
    return this.#served.get(modelKey) ?? []
  }
}

import { isPrivileged } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import type { Json } from '../../util/json.ts'
import { generateForm, generateList } from '../../views/generate.ts'
import { serializeView } from '../../views/serialize.ts'
import type { Views } from '../../views/views.ts'

type ServedView = Readonly<Record<string, Json>>

/** Options of returned views. */
export interface CatalogOptions {
  /** Adds a generated view where a model has no form, or no list. */
  readonly generated?: boolean
}

/** The views in the form that the Views API sends. */
export class ViewCatalog {
  readonly #registry: Registry
  readonly #names: ReadonlySet<string>
  readonly #served: ReadonlyMap<string, readonly ServedView[]>

  constructor(registry: Registry, views: Views) {
    this.#registry = registry
    this.#names = new Set(views.grouped.flatMap(([, list]) => list.map(({ name }) => name)))
    this.#served = new Map(views.grouped.map(([key, list]) => [key, list.map(serializeView)]))
  }

  /** Views by model key, for models that have views. */
  all({ generated = false }: CatalogOptions = {}): Record<string, readonly ServedView[]> {
    if (!generated) return Object.fromEntries(this.#served)
    return Object.fromEntries(this.#registry.public.map((model) => [model.key, this.#completed(model)]))
  }

  /** @throws {AppError} MODEL_NOT_FOUND */
  of(modelKey: string, { generated = false }: CatalogOptions = {}): readonly ServedView[] {
    const model = this.#registry.get(modelKey)
    if (model === undefined || model.internal) throw new AppError('MODEL_NOT_FOUND', `Model '${modelKey}' does not exist`)
    return generated ? this.#completed(model) : (this.#served.get(modelKey) ?? [])
  }

  #completed(model: Model): readonly ServedView[] {
    const own = this.#served.get(model.key) ?? []
    const lacks = (type: 'form' | 'list') => !own.some(({ view_type: each }) => each === type)
    const options = { taken: this.#names, isPrivileged: (field: string) => isPrivileged(model, field) }
    const made = [
      ...(lacks('form') ? [generateForm(model, options)] : []),
      ...(lacks('list') ? [generateList(model, options)] : []),
    ]
    return [...own, ...made.map((view) => ({ ...serializeView(view), generated: true }))]
  }
}

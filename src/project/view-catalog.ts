import { isPrivileged } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Json } from '../util/json.ts'
import { compileForm, type Form } from '../validate/form.ts'
import type { FormViewDefinition, ListViewDefinition } from '../views/definition.ts'
import { generateForm, generateList } from '../views/generate.ts'
import { serializeView } from '../views/serialize.ts'
import type { Views } from '../views/views.ts'

type ServedView = Readonly<Record<string, Json>>

/** Options of returned views. */
export interface CatalogOptions {
  /** Adds a generated view where a model has no form, or no list. */
  readonly generated?: boolean
}

/** The views in the form that the Views API sends, and the generated forms that requests may name. */
export class ViewCatalog {
  readonly #registry: Registry
  readonly #names: ReadonlySet<string>
  readonly #served: ReadonlyMap<string, readonly ServedView[]>
  /** Generated forms that requests have named. */
  readonly #compiled = new Map<Model, Form>()

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

  /** The generated form of a model, for validation; undefined if the project has a form for it. */
  generatedForm(model: Model): Form | undefined {
    const known = this.#compiled.get(model)
    if (known !== undefined) return known
    const view = this.#lacks(model, 'form') ? this.#form(model) : undefined
    if (view === undefined) return undefined
    const { form } = compileForm(view, model)
    this.#compiled.set(model, form)
    return form
  }

  #completed(model: Model): readonly ServedView[] {
    const made: (FormViewDefinition | ListViewDefinition)[] = []
    if (this.#lacks(model, 'form')) made.push(this.#form(model))
    if (this.#lacks(model, 'list')) made.push(generateList(model, { taken: this.#names }))
    return [...(this.#served.get(model.key) ?? []), ...made.map((view) => ({ ...serializeView(view), generated: true }))]
  }

  #lacks(model: Model, type: 'form' | 'list'): boolean {
    return !(this.#served.get(model.key) ?? []).some(({ view_type: each }) => each === type)
  }

  #form(model: Model): FormViewDefinition {
    return generateForm(model, { taken: this.#names, isPrivileged: (field) => isPrivileged(model, field) })
  }
}

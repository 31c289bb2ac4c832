import { isPrivileged } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { compileForm, type Form } from '../validate/form.ts'
import {
  DEFAULT_FORM_ROWS,
  type FormFieldDefinition,
  type FormViewDefinition,
  type ListViewDefinition,
  type RelatedRowsDefinition,
  type SortDefinition,
  type ViewDefinition,
} from '../views/definition.ts'
import { generateForm, generateList } from '../views/generate.ts'
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
    this.#served = new Map(views.grouped.map(([key, list]) => [key, list.map((view) => serializeView(view, registry.get(key)))]))
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
    return [...(this.#served.get(model.key) ?? []), ...made.map((view) => ({ ...serializeView(view, model), generated: true }))]
  }

  #lacks(model: Model, type: 'form' | 'list'): boolean {
    return !(this.#served.get(model.key) ?? []).some(({ view_type: each }) => each === type)
  }

  #form(model: Model): FormViewDefinition {
    return generateForm(model, { taken: this.#names, isPrivileged: (field) => isPrivileged(model, field) })
  }
}

/**
 * A view as the Views API returns it: with all flags, without rules.
 *
 * @param shown the model of the view, whose computed fields are read-only in forms
 */
export function serializeView(view: ViewDefinition, shown?: Model): Record<string, Json> {
  const { name, view_type, model } = view
  const isComputed = (field: FormFieldDefinition) => view_type === 'form' && shown?.fields.get(field.name)?.computed === true
  const fields = view.fields.map((field) => serializeField(isComputed(field) ? { ...field, readonly: true } : field))
  const served: Record<string, Json> = { name, view_type, model, fields }
  if (view.actions !== undefined) served.actions = view.actions
  if (view.view_type === 'form') {
    if (view.creation_fields !== undefined) served.creation_fields = view.creation_fields
    if (view.allowed_update_fields !== undefined) served.allowed_update_fields = view.allowed_update_fields
    if (view.use !== undefined) served.use = view.use
    if (view.groups !== undefined) served.groups = view.groups.map((group) => ({ ...group }))
    if (view.related !== undefined) served.related = view.related.map(serializeRelated)
  } else {
    if (view.sort !== undefined) served.sort = serializeSort(view.sort)
    if (view.page_size !== undefined) served.page_size = view.page_size
    if (view.filters !== undefined) served.filters = view.filters
    if (view.inline_form !== undefined) served.inline_form = view.inline_form
    if (view.layout !== undefined) served.layout = { ...view.layout } as JsonObject
  }
  return served
}

/** Rows of a form as the Views API returns them: with the limit and the orders that they have by default. */
const serializeRelated = ({ sort, limit = DEFAULT_FORM_ROWS, ...set }: RelatedRowsDefinition): Record<string, Json> => ({
  ...set,
  ...(sort === undefined ? {} : { sort: serializeSort(sort) }),
  limit,
})

const serializeSort = (sort: readonly SortDefinition[]): Json[] => sort.map(({ field, order = 'asc' }) => ({ field, order }))

/** A field of a view as the Views API returns it. */
export function serializeField(field: FormFieldDefinition): Record<string, Json> {
  const { required = false, readonly = false, disabled = false, is_primary_key = false, ...set } = field
  return { ...set, required, readonly, disabled, is_primary_key }
}

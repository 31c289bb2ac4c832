import { Faults } from '../config/fault.ts'
import type { Definition } from '../config/source.ts'
import type { Registry } from '../model/registry.ts'
import type { FormViewDefinition, ViewDefinition } from './definition.ts'
import { parseView } from './parse.ts'

/** A form view together with the place it was written. */
export interface DefinedForm {
  readonly view: FormViewDefinition
  readonly modelKey: string
  readonly source: Definition['source']
}

/** Every view of a project, by model. */
export class Views {
  readonly #byModel: ReadonlyMap<string, readonly ViewDefinition[]>
  readonly forms: readonly DefinedForm[]

  constructor(byModel: ReadonlyMap<string, readonly ViewDefinition[]>, forms: readonly DefinedForm[]) {
    this.#byModel = byModel
    this.forms = forms
  }

  /** The models that have views, each with its views. */
  get grouped(): readonly (readonly [string, readonly ViewDefinition[]])[] {
    return [...this.#byModel]
  }
}

/** Resolves view definitions against the models; a view's name is unique over all models, since it is the `form_id`. */
export function buildViews(definitions: readonly Definition[], registry: Registry): { views: Views; faults: Faults } {
  const faults = new Faults()
  const byModel = new Map<string, ViewDefinition[]>()
  const forms: DefinedForm[] = []
  const taken = new Map<string, Definition>()
  for (const definition of definitions) {
    const { parsed, faults: own } = parseView(definition, registry)
    faults.addAll(own.list)
    if (parsed === undefined) continue
    const { view, model } = parsed
    const twin = taken.get(view.name)?.source.at(['name'])
    if (twin !== undefined) {
      faults.add(
        definition.source,
        ['name'],
        `There is already a view '${view.name}' (${twin.file}:${twin.line}); view names are global`,
      )
      continue
    }
    taken.set(view.name, definition)
    byModel.set(model.key, [...(byModel.get(model.key) ?? []), view])
    if (view.view_type === 'form') forms.push({ view, modelKey: model.key, source: definition.source })
  }
  return { views: new Views(byModel, forms), faults }
}

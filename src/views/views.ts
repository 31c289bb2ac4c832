import { Faults } from '../config/fault.ts'
import type { Definition } from '../config/source.ts'
import type { Registry } from '../model/registry.ts'
import type { FormViewDefinition, ViewDefinition } from './definition.ts'
import { parseView } from './parse.ts'

/** A view with its source. */
export interface DefinedView<V extends ViewDefinition = ViewDefinition> {
  readonly view: V
  readonly modelKey: string
  readonly source: Definition['source']
}

/** A form view with its source. */
export type DefinedForm = DefinedView<FormViewDefinition>

/** All views of a project, by model. */
export class Views {
  readonly #byModel: ReadonlyMap<string, readonly ViewDefinition[]>
  /** In the order of files. */
  readonly all: readonly DefinedView[]

  constructor(all: readonly DefinedView[]) {
    const byModel = new Map<string, ViewDefinition[]>()
    for (const { view, modelKey } of all) {
      const views = byModel.get(modelKey)
      if (views === undefined) byModel.set(modelKey, [view])
      else views.push(view)
    }
    this.#byModel = byModel
    this.all = all
  }

  get forms(): readonly DefinedForm[] {
    return this.all.filter((each): each is DefinedForm => each.view.view_type === 'form')
  }

  /** The models that have views, with their views. */
  get grouped(): readonly (readonly [string, readonly ViewDefinition[]])[] {
    return [...this.#byModel]
  }
}

/** Resolves view definitions against the models. View names are unique over all models, since they are `form_id`s. */
export function buildViews(definitions: readonly Definition[], registry: Registry): { views: Views; faults: Faults } {
  const faults = new Faults()
  const all: DefinedView[] = []
  const taken = new Map<string, Definition>()
  for (const definition of definitions) {
    const { parsed, faults: own } = parseView(definition, registry)
    faults.addAll(own.list)
    if (parsed === undefined) continue
    const { view, model } = parsed
    const existing = taken.get(view.name)?.source.at(['name'])
    if (existing !== undefined) {
      faults.add(
        definition.source,
        ['name'],
        `There is already a view '${view.name}' (${existing.file}:${existing.line}); view names are unique in a project`,
        { rule: 'view/duplicate-name' },
      )
      continue
    }
    taken.set(view.name, definition)
    all.push({ view, modelKey: model.key, source: definition.source })
  }
  return { views: new Views(all), faults }
}

import Joi from 'joi'
import { Faults } from '../config/fault.ts'
import { validateShape } from '../config/shape.ts'
import type { Definition, Source } from '../config/source.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { didYouMean } from '../util/suggest.ts'
import type { FormViewDefinition, ListViewDefinition, ViewDefinition } from './definition.ts'

const names = Joi.array().items(Joi.string())

const fieldSchema = Joi.object({
  name: Joi.string().required(),
  title: Joi.string().allow(''),
  help_text: Joi.string().allow(''),
  field_type: Joi.string(),
  widget: Joi.string(),
  required: Joi.boolean(),
  readonly: Joi.boolean(),
  disabled: Joi.boolean(),
  placeholder: Joi.string().allow(''),
  default_value: Joi.any(),
  options: Joi.object(),
  error: Joi.object({ message: Joi.string().required(), code: Joi.string() }),
  is_primary_key: Joi.boolean(),
})

const common = {
  name: Joi.string().required(),
  model: Joi.string().required(),
  fields: Joi.array().items(fieldSchema).required(),
}

const formSchema = Joi.object<FormViewDefinition>({
  ...common,
  view_type: Joi.string().valid('form').required(),
  creation_fields: names,
  allowed_update_fields: names,
  rules: Joi.array().items(
    Joi.object({ rule: Joi.string().required(), field: Joi.string().required(), message: Joi.string().required() }),
  ),
  validate: Joi.function(),
})

const listSchema = Joi.object<ListViewDefinition>({ ...common, view_type: Joi.string().valid('list').required() })

/** A view whose names have all been found in its model. */
export interface ParsedView {
  readonly view: ViewDefinition
  readonly model: Model
}

/** Reads one view definition and resolves it against the models. */
export function parseView({ value, source }: Definition, registry: Registry): { parsed: ParsedView | undefined; faults: Faults } {
  const { view, faults } = readShape(value, source)
  if (view === undefined) return { parsed: undefined, faults }
  const model = registry.public.find((each) => each.name === view.model)
  if (model === undefined) {
    const guess = didYouMean(
      view.model,
      registry.public.map((each) => each.name),
    )
    faults.add(source, ['model'], `View '${view.name}' is of the model '${view.model}', which does not exist${guess}`)
    return { parsed: undefined, faults }
  }
  checkFields(view, model, source, faults)
  if (view.view_type === 'form') checkReferences(view, source, faults)
  return { parsed: faults.any ? undefined : { view, model }, faults }
}

function readShape(value: unknown, source: Source): { view: ViewDefinition | undefined; faults: Faults } {
  const viewType = typeof value === 'object' && value !== null && 'view_type' in value ? value.view_type : undefined
  if (viewType === 'form' || viewType === 'list') {
    const shape = viewType === 'form' ? validateShape(formSchema, value, source) : validateShape(listSchema, value, source)
    return { view: shape.value, faults: shape.faults }
  }
  const faults = new Faults()
  faults.add(source, viewType === undefined ? [] : ['view_type'], "'view_type' must be form or list")
  return { view: undefined, faults }
}

function checkFields(view: ViewDefinition, model: Model, source: Source, faults: Faults): void {
  const known = new Set([...model.fields.keys(), ...(view.view_type === 'list' ? model.relations.keys() : [])])
  const seen = new Set<string>()
  view.fields.forEach(({ name }, index) => {
    const at = ['fields', index, 'name']
    if (!known.has(name)) faults.add(source, at, `Model '${model.name}' has no field '${name}'${didYouMean(name, known)}`)
    else if (seen.has(name)) faults.add(source, at, `Field '${name}' is listed twice`)
    seen.add(name)
  })
  if (view.view_type !== 'form') return
  view.rules?.forEach(({ field }, index) => {
    if (!known.has(field)) {
      faults.add(source, ['rules', index, 'field'], `Model '${model.name}' has no field '${field}'${didYouMean(field, known)}`)
    }
  })
}

function checkReferences(view: FormViewDefinition, source: Source, faults: Faults): void {
  const own = new Set(view.fields.map((field) => field.name))
  for (const list of ['creation_fields', 'allowed_update_fields'] as const) {
    const missing = (view[list] ?? []).filter((name) => !own.has(name))
    if (missing.length === 0) continue
    const written = missing.map((name) => `'${name}'`).join(', ')
    faults.add(source, [list], `Fields referenced in ${list} do not exist in the view's fields: [${written}]`)
  }
}

import Joi from 'joi'
import { Faults } from '../config/fault.ts'
import { FOR_EDITORS, validateShape } from '../config/shape.ts'
import type { Definition, Path, Source } from '../config/source.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { isObject } from '../util/json.ts'
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
  ...FOR_EDITORS,
  name: Joi.string().required(),
  model: Joi.string().required(),
  fields: Joi.array().items(fieldSchema).required(),
}

/** What a form view may say. */
export const formSchema = Joi.object<FormViewDefinition>({
  ...common,
  view_type: Joi.valid('form').required(),
  creation_fields: names,
  allowed_update_fields: names,
  rules: Joi.array().items(
    Joi.object({ rule: Joi.string().required(), field: Joi.string().required(), message: Joi.string().required() }),
  ),
  validate: Joi.function().messages({ 'object.base': "'validate' must be a function" }),
})

/** What a list view may say. */
export const listSchema = Joi.object<ListViewDefinition>({ ...common, view_type: Joi.valid('list').required() })

/** A view and the model it is of. */
export interface ParsedView {
  readonly view: ViewDefinition
  readonly model: Model
}

/**
 * Reads one view definition and resolves it against the models.
 *
 * @returns the view whenever it has a name and its model exists, without what in it is malformed, so that the rest of it can
 *   be checked too
 */
export function parseView({ value, source }: Definition, registry: Registry): { parsed: ParsedView | undefined; faults: Faults } {
  const { view: sound, faults } = readShape(value, source)
  const view = sound ?? (isObject(value) ? salvage(value) : undefined)
  const model = isObject(value) ? modelOf(value, registry, source, faults) : undefined
  if (isObject(value)) checkNames(value, model, source, faults)
  return { parsed: view === undefined || model === undefined ? undefined : { view, model }, faults }
}

function readShape(value: unknown, source: Source): { view: ViewDefinition | undefined; faults: Faults } {
  const viewType = isObject(value) ? value.view_type : undefined
  if (viewType === 'form' || viewType === 'list') {
    const shape = viewType === 'form' ? validateShape(formSchema, value, source) : validateShape(listSchema, value, source)
    return { view: shape.value, faults: shape.faults }
  }
  const faults = new Faults()
  faults.add(source, viewType === undefined ? [] : ['view_type'], "'view_type' must be form or list")
  return { view: undefined, faults }
}

/** The well-formed parts of a malformed view. What is not becomes empty, so that everything keeps its index. */
function salvage(view: Written): ViewDefinition | undefined {
  const { name, model, view_type } = view
  if (typeof name !== 'string' || typeof model !== 'string') return undefined
  if (view_type !== 'form') return { name, model, view_type: 'list', fields: [] }
  const fields = listIn(view, 'fields').map((field) => (isObject(field) && isObject(field.options) ? field : { name: '' }))
  const rules = listIn(view, 'rules').map((rule) => (isObject(rule) && typeof rule.rule === 'string' ? rule : { rule: 'true' }))
  return { name, model, view_type, fields, rules } as unknown as FormViewDefinition
}

type Written = Readonly<Record<string, unknown>>

function modelOf({ name, model: wanted }: Written, registry: Registry, source: Source, faults: Faults): Model | undefined {
  const model = registry.public.find((each) => each.name === wanted)
  if (model !== undefined || typeof wanted !== 'string') return model
  const known = registry.public.map((each) => each.name)
  const guess = didYouMean(wanted, known)
  faults.add(source, ['model'], `View '${String(name)}' is of the model '${wanted}', which does not exist${guess}`)
  return undefined
}

/** Holds every name in a view against what it must name, as far as the view has the shape of one. */
function checkNames(view: Written, model: Model | undefined, source: Source, faults: Faults): void {
  const isForm = view.view_type === 'form'
  const fields = listIn(view, 'fields').map((field) => (isObject(field) ? field.name : undefined))
  if (model !== undefined) {
    const unknown = (path: Path, name: string, known: ReadonlySet<string>) =>
      faults.add(source, path, `Model '${model.name}' has no field '${name}'${didYouMean(name, known)}`)
    const shown = namesIn(model, isForm)
    const settable = namesIn(model, true)
    for (const [index, name] of fields.entries()) {
      if (typeof name === 'string' && !shown.has(name)) unknown(['fields', index, 'name'], name, shown)
    }
    for (const [index, rule] of (isForm ? listIn(view, 'rules') : []).entries()) {
      const name = isObject(rule) ? rule.field : undefined
      if (typeof name === 'string' && !settable.has(name)) unknown(['rules', index, 'field'], name, settable)
    }
  }
  for (const [index, name] of fields.entries()) {
    if (name !== undefined && fields.indexOf(name) < index) {
      faults.add(source, ['fields', index, 'name'], `Field '${String(name)}' is listed twice`)
    }
  }
  if (isForm) checkReferences(view, new Set(fields), source, faults)
}

const listIn = (view: Written, key: string): readonly unknown[] => (Array.isArray(view[key]) ? view[key] : [])

/** A form edits fields; a list shows relations as well. */
const namesIn = (model: Model, isForm: boolean): ReadonlySet<string> =>
  new Set([...model.fields.keys(), ...(isForm ? [] : model.relations.keys())])

/** The specification's configuration rule, in its words. */
function checkReferences(view: Written, own: ReadonlySet<unknown>, source: Source, faults: Faults): void {
  for (const list of ['creation_fields', 'allowed_update_fields']) {
    const missing = listIn(view, list).filter((name) => typeof name === 'string' && !own.has(name))
    if (missing.length === 0) continue
    const written = missing.map((name) => `'${name}'`).join(', ')
    faults.add(source, [list], `Fields referenced in ${list} do not exist in the view's fields: [${written}]`)
  }
}

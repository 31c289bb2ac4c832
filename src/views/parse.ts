import Joi from 'joi'
import { Faults } from '../config/fault.ts'
import { SCHEMA_REFERENCE, validateShape } from '../config/shape.ts'
import type { Definition, Path, Source } from '../config/source.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { MAX_PAGE_RECORDS } from '../query/plan.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import { FORM_USES, type FormViewDefinition, type ListViewDefinition, MAX_FORM_ROWS, type ViewDefinition } from './definition.ts'

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
  ...SCHEMA_REFERENCE,
  name: Joi.string().required(),
  model: Joi.string().required(),
  actions: names.unique(),
}

const sort = Joi.array()
  .items(Joi.object({ field: Joi.string().required(), order: Joi.valid('asc', 'desc') }))
  .min(1)

/** Keys that list views do not have. */
const formKeys = {
  use: Joi.array()
    .items(Joi.valid(...FORM_USES))
    .min(1)
    .unique(),
  groups: Joi.array().items(
    Joi.object({ title: Joi.string().required(), fields: names.min(1).required(), collapsed: Joi.boolean() }),
  ),
  related: Joi.array().items(
    Joi.object({
      field: Joi.string().required(),
      title: Joi.string(),
      columns: names.min(1).unique().required(),
      form: Joi.string(),
      sort,
      limit: Joi.number().integer().min(1).max(MAX_FORM_ROWS),
    }),
  ),
  creation_fields: names,
  allowed_update_fields: names,
  rules: Joi.array().items(
    Joi.object({ rule: Joi.string().required(), field: Joi.string().required(), message: Joi.string().required() }),
  ),
  validate: Joi.function(),
}

/** Keys that form views do not have. */
const listKeys = {
  sort,
  page_size: Joi.number().integer().min(1).max(MAX_PAGE_RECORDS),
  filters: names,
  inline_form: Joi.string(),
  layout: Joi.object({
    board: Joi.string(),
    calendar: Joi.object({ start: Joi.string().required(), end: Joi.string(), title: Joi.string() }),
  }).min(1),
}

const formFieldSchema = fieldSchema.keys({ visible_when: Joi.string() })

/** Schema of a form view. */
export const formSchema = Joi.object<FormViewDefinition>({
  ...common,
  view_type: Joi.valid('form').required(),
  fields: Joi.array().items(formFieldSchema).required(),
  ...formKeys,
})

/** Schema of a list view. */
export const listSchema = Joi.object<ListViewDefinition>({
  ...common,
  view_type: Joi.valid('list').required(),
  fields: Joi.array().items(fieldSchema).required(),
  ...listKeys,
})

/** A view with its model. */
export interface ParsedView {
  readonly view: ViewDefinition
  readonly model: Model
}

/**
 * Parses one view definition and resolves it against the models.
 *
 * @returns the view whenever it has a name and its model exists, without its malformed parts, so that the rest can be checked
 *   too
 */
export function parseView({ value, source }: Definition, registry: Registry): { parsed: ParsedView | undefined; faults: Faults } {
  const { view: sound, faults, broken } = readShape(value, source)
  const view = sound ?? (isObject(value) ? withoutMalformed(value, broken) : undefined)
  const model = isObject(value) ? modelOf(value, registry, source, faults) : undefined
  if (isObject(value)) checkNames(value, model, source, faults)
  if (isObject(value) && model !== undefined && value.view_type === 'form') checkRelated(value, model, registry, source, faults)
  if (isObject(value) && model !== undefined) checkActions(value, model, registry, source, faults)
  return { parsed: view === undefined || model === undefined ? undefined : { view, model }, faults }
}

interface Shape {
  readonly view: ViewDefinition | undefined
  readonly faults: Faults
  /** Paths of the malformed parts. */
  readonly broken: readonly Path[]
}

function readShape(value: unknown, source: Source): Shape {
  const viewType = isObject(value) ? value.view_type : undefined
  const rule = () => 'view/invalid' as const
  if (viewType === 'form' || viewType === 'list') {
    const schema: Joi.ObjectSchema<ViewDefinition> = viewType === 'form' ? formSchema : listSchema
    const { value: view, faults, broken } = validateShape(schema, value, source, { rule, unknownKeyHint: otherKind })
    return { view, faults, broken }
  }
  const faults = new Faults('view/invalid')
  faults.add(source, viewType === undefined ? [] : ['view_type'], "'view_type' must be form or list")
  return { view: undefined, faults, broken: [] }
}

/** Names the kind of view that has a key, for keys of the other kind. */
function otherKind(key: string, path: Path): string | undefined {
  const isOfForms = path.length === 1 ? Object.hasOwn(formKeys, key) : path[0] === 'fields' && key === 'visible_when'
  if (isOfForms) return '; only form views have it'
  return path.length === 1 && Object.hasOwn(listKeys, key) ? '; only list views have it' : undefined
}

/** A malformed view without its malformed parts; list items keep their index. */
function withoutMalformed(written: RawView, broken: readonly Path[]): ViewDefinition | undefined {
  const { name, model, view_type } = written
  if (typeof name !== 'string' || typeof model !== 'string') return undefined
  if (view_type !== 'form' && view_type !== 'list') return { name, model, view_type: 'list', fields: [] }
  const view: Record<string, unknown> = { ...written }
  for (const [key = '', index, member] of broken) {
    const list = view[key]
    if (!Array.isArray(list) || typeof index !== 'number') delete view[key]
    else view[key] = list.map((item: unknown, at) => (at === index ? replaceMalformed(String(key), item, member) : item))
  }
  return { fields: [], ...view } as unknown as ViewDefinition
}

const NO_ROWS = { field: '', columns: [] }

function replaceMalformed(list: string, item: unknown, broken: Path[number] | undefined): unknown {
  const empty = {
    fields: { name: '' },
    rules: { rule: 'true', field: '', message: '' },
    groups: { title: '', fields: [] },
    related: NO_ROWS,
  }[list]
  if (empty === undefined) return ''
  if (!isObject(item) || broken === undefined) return empty
  return { ...empty, ...Object.fromEntries(Object.entries(item).filter(([key]) => key !== broken)) }
}

type RawView = Readonly<Record<string, unknown>>

function modelOf({ name, model: wanted }: RawView, registry: Registry, source: Source, faults: Faults): Model | undefined {
  const model = registry.public.find((each) => each.name === wanted)
  if (model !== undefined || typeof wanted !== 'string') return model
  const known = registry.public.map((each) => each.name)
  const guess = didYouMean(wanted, known)
  faults.add(source, ['model'], `View '${String(name)}' refers to the model '${wanted}', which does not exist${guess}`, {
    rule: 'view/unknown-model',
  })
  return undefined
}

/** Checks every name in a view, as far as its shape is valid. */
function checkNames(view: RawView, model: Model | undefined, source: Source, faults: Faults): void {
  const isForm = view.view_type === 'form'
  const fields = listIn(view, 'fields').map((field) => (isObject(field) ? field.name : undefined))
  if (model !== undefined) {
    const unknown = (path: Path, name: string, known: ReadonlySet<string>) =>
      faults.add(source, path, `Model '${model.name}' has no field '${name}'${didYouMean(name, known)}`, {
        rule: 'view/unknown-field',
      })
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
  if (model !== undefined && !isForm) {
    for (const [index, name] of listIn(view, 'filters').entries()) {
      if (typeof name !== 'string' || model.fields.has(name)) continue
      const message = `Model '${model.name}' has no field '${name}'${didYouMean(name, model.fields.keys())}`
      faults.add(source, ['filters', index], message, { rule: 'view/unknown-field' })
    }
    for (const [path, name] of layoutFields(view.layout)) {
      if (model.fields.has(name)) continue
      const message = `Model '${model.name}' has no field '${name}'${didYouMean(name, model.fields.keys())}`
      faults.add(source, ['layout', ...path], message, { rule: 'view/unknown-field' })
    }
  }
  for (const [index, name] of fields.entries()) {
    if (name !== undefined && fields.indexOf(name) < index) {
      faults.add(source, ['fields', index, 'name'], `Field '${String(name)}' is listed twice; remove one`, {
        rule: 'view/duplicate-field',
      })
    }
  }
  if (isForm) checkReferences(view, new Set(fields), source, faults)
}

/** The fields that a layout names, with their places in it. */
function layoutFields(layout: unknown): readonly (readonly [Path, string])[] {
  if (!isObject(layout)) return []
  const { board, calendar } = layout
  const named: [Path, unknown][] = isObject(calendar)
    ? ['start', 'end', 'title'].map((key) => [['calendar', key], calendar[key]])
    : []
  return [[['board'], board] as const, ...named].flatMap(([path, name]) =>
    typeof name === 'string' ? [[path, name] as const] : [],
  )
}

/** Checks which rows of other models a form edits: their relation to the model of the form, their columns and their order. */
function checkRelated(view: RawView, model: Model, registry: Registry, source: Source, faults: Faults): void {
  const taken = new Set<unknown>()
  for (const [index, rows] of listIn(view, 'related').entries()) {
    if (!isObject(rows) || typeof rows.field !== 'string') continue
    const { field } = rows
    const path = ['related', index]
    if (taken.has(field)) {
      faults.add(source, [...path, 'field'], `The form has the rows of '${field}' already; remove one`, {
        rule: 'view/related-field',
      })
      continue
    }
    taken.add(field)
    const other = rowsModel(field, model, registry, (message, rule) => faults.add(source, [...path, 'field'], message, { rule }))
    if (other === undefined) continue
    const known = new Set([...other.fields.values()].filter(({ name }) => !other.secrets.includes(name)).map(({ name }) => name))
    const check = (at: Path, name: unknown) => {
      if (typeof name !== 'string' || known.has(name)) return
      const message = `Model '${other.name}' has no field '${name}'${didYouMean(name, known)}`
      faults.add(source, [...path, ...at], message, { rule: 'view/unknown-field' })
    }
    for (const [place, name] of listIn(rows, 'columns').entries()) check(['columns', place], name)
    for (const [place, key] of listIn(rows, 'sort').entries()) {
      // The rule of lint for sort orders says which paths and fields can be sorted by.
      if (isObject(key) && typeof key.field === 'string' && !key.field.includes('.')) check(['sort', place, 'field'], key.field)
    }
  }
}

/** The model whose rows refer to the model of the form by a field such as `invoiceline.invoice_id`; undefined with a fault. */
function rowsModel(
  field: string,
  model: Model,
  registry: Registry,
  fault: (message: string, rule: 'view/unknown-model' | 'view/unknown-field' | 'view/related-field') => void,
): Model | undefined {
  const [key = '', name = '', ...rest] = field.split('.')
  if (name === '' || rest.length > 0) {
    fault(
      `'${field}' must name a relation to ${model.name} as <model>.<field>, such as ${example(model, registry)}`,
      'view/related-field',
    )
    return undefined
  }
  const other = registry.public.find((each) => each.key === key)
  if (other === undefined) {
    const keys = registry.public.map((each) => each.key)
    fault(`There is no model '${key}'${didYouMean(key, keys)}`, 'view/unknown-model')
    return undefined
  }
  const relation = other.fields.get(name)?.relation
  if (!other.fields.has(name)) {
    fault(`Model '${other.name}' has no field '${name}'${didYouMean(name, other.fields.keys())}`, 'view/unknown-field')
    return undefined
  }
  if (relation === undefined || relation.kind === 'many' || relation.target !== model.key) {
    const fitting = relationsTo(model, other)
    const known = fitting.length === 0 ? '' : ` (${other.name} has: ${fitting.join(', ')})`
    fault(
      `'${field}' is no foreign key to ${model.name}, so its records cannot be rows of this form${known}`,
      'view/related-field',
    )
    return undefined
  }
  return other
}

/** Names of the fields by which a record of one model refers to one of another. */
const relationsTo = (model: Model, other: Model): string[] =>
  [...other.relations.values()]
    .filter(({ relation }) => relation.kind !== 'many' && relation.target === model.key)
    .map(({ name }) => name)

/** A relation to a model, to show how one is written. */
function example(model: Model, registry: Registry): string {
  const [found] = registry.public.flatMap((other) => relationsTo(model, other).map((name) => `${other.key}.${name}`))
  return found ?? `line.${model.key}_id`
}

/** Checks the names of actions. */
function checkActions(view: RawView, model: Model, registry: Registry, source: Source, faults: Faults): void {
  const known = registry.ownActionsOf(model)
  for (const [index, name] of listIn(view, 'actions').entries()) {
    if (typeof name !== 'string' || known.includes(name)) continue
    const message = `Model '${model.name}' has no action '${name}'${meantOrKnown(name, known)}`
    faults.add(source, ['actions', index], message, { rule: 'code/action-unknown' })
  }
}

const listIn = (view: RawView, key: string): readonly unknown[] => (Array.isArray(view[key]) ? view[key] : [])

/** Forms edit fields; lists also display relations. */
const namesIn = (model: Model, isForm: boolean): ReadonlySet<string> =>
  new Set([...model.fields.keys(), ...(isForm ? [] : model.relations.keys())])

/** The configuration rule of the specification, in its words. */
function checkReferences(view: RawView, own: ReadonlySet<unknown>, source: Source, faults: Faults): void {
  for (const list of ['creation_fields', 'allowed_update_fields']) {
    const missing = listIn(view, list).filter((name) => typeof name === 'string' && !own.has(name))
    if (missing.length === 0) continue
    const written = missing.map((name) => `'${name}'`).join(', ')
    faults.add(source, [list], `Fields referenced in ${list} do not exist in the view's fields: [${written}]`, {
      rule: 'view/fields-reference',
    })
  }
  checkGroups(view, own, source, faults)
}

/** A group names fields of the form, and a field is in one group only. */
function checkGroups(view: RawView, own: ReadonlySet<unknown>, source: Source, faults: Faults): void {
  const grouped = new Set<string>()
  for (const [index, group] of listIn(view, 'groups').entries()) {
    const names: readonly unknown[] = isObject(group) && Array.isArray(group.fields) ? group.fields : []
    for (const [place, name] of names.entries()) {
      if (typeof name !== 'string') continue
      const path = ['groups', index, 'fields', place]
      if (!own.has(name)) {
        const known = [...own].filter((each) => typeof each === 'string')
        const message = `The group names '${name}', which is not among the fields of the view${didYouMean(name, known)}`
        faults.add(source, path, message, { rule: 'view/fields-reference' })
      } else if (grouped.has(name)) {
        faults.add(source, path, `Field '${name}' is in two groups; remove one`, { rule: 'view/duplicate-field' })
      }
      grouped.add(name)
    }
  }
}

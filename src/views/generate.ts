import { Document, isMap, visit } from 'yaml'
import { type Field, hasDefault, isNeeded, isSettable } from '../model/field.ts'
import type { FieldType } from '../model/field-type.ts'
import type { Model } from '../model/model.ts'
import type { Json, JsonObject } from '../util/json.ts'
import type { FieldViewDefinition, FormViewDefinition, ListViewDefinition, ViewDefinition } from './definition.ts'

/** Widget by field type. */
const WIDGETS: Readonly<Record<FieldType['name'], string | undefined>> = {
  primarykey: undefined,
  string: 'text',
  text: 'textarea',
  email: 'text',
  url: 'text',
  slug: 'text',
  password: 'password',
  integer: 'number',
  number: 'number',
  decimal: 'number',
  boolean: 'checkbox',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  choice: 'select',
  multichoice: 'multiselect',
  json: 'json',
  uuid: 'text',
  foreignkey: 'relation',
  one_to_one: 'relation',
  many_to_many: 'tags',
  file: 'file',
  image: 'image',
}

/** Inputs of the generated views besides the model. */
export interface GenerateOptions {
  /** Names of existing views. */
  readonly taken: ReadonlySet<string>
  /** True for fields that only a superuser may set. */
  readonly isPrivileged: (field: string) => boolean
}

/** Generates a form of all writable fields. Privileged fields are read-only; if one is required, the form is for updates only. */
export function generateForm(model: Model, { taken, isPrivileged }: GenerateOptions): FormViewDefinition {
  const fields = [...model.fields.values()]
  const isOffered = (field: Field) => isSettable(field) && !isPrivileged(field.name)
  const settable = fields.filter(isOffered).map(({ name }) => name)
  const isCreatable = fields.every(
    (field) => field.system || field.computed || !isNeeded(field) || hasDefault(field) || isOffered(field),
  )
  return {
    name: uniqueName(`${model.name}Form`, taken),
    view_type: 'form',
    model: model.name,
    fields: fields.map((field) => formField(field, isOffered(field))),
    creation_fields: isCreatable ? settable : [],
    allowed_update_fields: settable,
  }
}

/** Number of columns of a generated list. */
const MAX_COLUMNS = 8

/** Generates a list of the fields that tell most of a record, at most eight: `id`, the display field, then the others in the order of the model. */
export function generateList(model: Model, { taken }: Pick<GenerateOptions, 'taken'>): ListViewDefinition {
  const fields = [...model.fields.values()].filter(isColumn)
  const byRank = fields.toSorted((a, b) => columnRank(a, model) - columnRank(b, model))
  const chosen = new Set(byRank.slice(0, MAX_COLUMNS))
  const first = byRank.filter((field) => columnRank(field, model) < 2)
  const columns = [...first, ...fields.filter((field) => chosen.has(field) && !first.includes(field))]
  return { name: uniqueName(`${model.name}List`, taken), view_type: 'list', model: model.name, fields: columns.map(baseField) }
}

/** Secrets are never shown; texts of several lines and JSON do not fit into a column. */
const isColumn = ({ type }: Field): boolean => !type.secret && type.name !== 'text' && type.name !== 'json'

/** Types whose values are long, or mean little to people. */
const WIDE: ReadonlySet<FieldType['name']> = new Set(['url', 'uuid', 'multichoice', 'many_to_many'])

/** The order in which fields become columns: the lowest first. */
function columnRank({ name, type, required, system }: Field, { displayField }: Model): number {
  if (name === 'id') return 0
  if (name === displayField) return 1
  if (system || WIDE.has(type.name)) return 4
  return required ? 2 : 3
}

/** Maximum length of a line, in characters of JSON, which has more quotes than YAML. */
const MAX_LINE = 140

/** Serialises views as YAML, with a field or a list of names on one line if it fits. */
export function viewsYaml(views: readonly ViewDefinition[]): string {
  const [only, ...others] = views
  const document = new Document(others.length === 0 ? only : views, { aliasDuplicateObjects: false })
  visit(document, {
    Collection(_, node) {
      const isView = isMap(node) && node.has('view_type')
      if (isView || JSON.stringify(node).length > MAX_LINE || node.items.length === 0) return undefined
      node.flow = true
      return visit.SKIP
    },
  })
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

/** The fields of a model that is nothing but an input, as those of a form. */
export const inputFields = (input: Model): FieldViewDefinition[] =>
  [...input.fields.values()].map((field) => formField(field, true))

function formField(field: Field, settable: boolean): FieldViewDefinition {
  if (field.name === 'id') return { ...baseField(field), ...helpOf(field), readonly: true, disabled: true }
  const options = optionsOf(field)
  const value = shownDefault(field)
  return {
    ...baseField(field),
    ...helpOf(field),
    ...(settable && isNeeded(field) ? { required: true } : {}),
    ...(settable ? {} : { readonly: true }),
    ...(settable && value !== undefined ? { default_value: value } : {}),
    ...(settable && Object.keys(options).length > 0 ? { options } : {}),
  }
}

const helpOf = ({ helpText }: Field) => (helpText === undefined ? {} : { help_text: helpText })

/**
 * The default of a field as a front end can show it; undefined for none. A generated one is named as in the model: a front end knows the user,
 * day and time. A random UUID and a secret are left to the server.
 */
export function shownDefault(field: Field): Json | undefined {
  const { generated, type } = field
  if (generated === 'user') return { user: 'id' }
  if (generated === 'today' || generated === 'now') return generated
  return type.secret ? undefined : field.default
}

function baseField({ name, label, type }: Field): FieldViewDefinition {
  const widget = WIDGETS[type.name]
  const title = label ?? generatedTitle(name)
  if (type.name === 'primarykey') return { name, title, field_type: type.name, is_primary_key: true }
  return { name, title, field_type: type.name, ...(widget === undefined ? {} : { widget }) }
}

/** The limits that front ends can check, and the labels of choices. Patterns are omitted, since browsers do not support RE2. */
function optionsOf({ limits: { pattern: _, ...limits }, labelledChoices: choices }: Field): JsonObject {
  return { ...limits, ...(choices && { choices }) } as unknown as Readonly<Record<string, Json>>
}

/** A title derived from a field's name: `published_at` → `Published at`, `author_id` → `Author`. */
export function generatedTitle(name: string): string {
  if (name === 'id') return 'ID'
  const words = name.replace(/(?<=.)_id$/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let twin = 2; taken.has(name); twin++) name = `${wanted}${twin}`
  return name
}

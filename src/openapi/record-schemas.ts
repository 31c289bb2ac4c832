import { type Field, type GeneratedDefault, hasDefault, isSettable } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { reverseRelations } from '../model/reverse-relations.ts'
import { fullProjection } from '../query/project.ts'
import { MAX_REFERRERS } from '../reads/record-json.ts'
import type { ModelAction } from '../records/actions.ts'
import type { Form } from '../validate/form.ts'
import { answeredValue, isMandatory, settableValue } from './field-schemas.ts'
import { COUNT_SCHEMA, nullable, object, ref, type Schema, strictObject } from './schema.ts'

/** Names of a model's schemas. Model names have no dot, so these names are unique. */
export const schemaNames = ({ name }: Model) => ({
  record: name,
  part: `${name}.part`,
  nested: `${name}.nested`,
  create: `${name}.create`,
  update: `${name}.update`,
  bounds: `${name}.bounds`,
})

/** Name of the schema of an action's input. */
export const actionInputName = ({ model, name }: ModelAction): string => `${model.name}.${name}.input`

/** A record as it is returned, with related records nested. */
export function recordSchema(model: Model, registry: Registry): Schema {
  const described = { description: `A record of ${model.label}`, 'x-display-field': model.displayField }
  return { ...object(recordMembers(model, registry)), ...described }
}

/** A record reduced by `fields` and `include`; the id is always there. */
export function partSchema(model: Model, registry: Registry): Schema {
  const description = `What was asked for of a record of ${model.label}`
  return { ...object({ ...recordMembers(model, registry), ...reverseMembers(model, registry) }, ['id']), description }
}

/** The members that `include` adds for records that refer to a record. */
function reverseMembers(model: Model, registry: Registry): Record<string, Schema> {
  const relations = [...reverseRelations(model, registry).values()]
  return Object.fromEntries(
    relations.flatMap(({ name, model: referrer }) => {
      const data: Schema = { type: 'array', items: ref(schemaNames(referrer).nested), maxItems: MAX_REFERRERS }
      return [
        [
          name,
          {
            ...object({ data, total: COUNT_SCHEMA }),
            description: 'The first records that refer to this one, and how many there are',
          },
        ],
        [`${name}__count`, COUNT_SCHEMA],
      ]
    }),
  )
}

/** A record nested in another: the id, and the members that are requested and visible. */
export function nestedSchema(model: Model): Schema {
  const shown = model.visibleFields.filter((field) => field.relation?.kind !== 'many')
  const members = Object.fromEntries(shown.map((field) => [field.name, answeredValue(field)]))
  return { ...object(members, ['id']), description: `A record of ${model.label} within another, as far as the reader may see it` }
}

function recordMembers(model: Model, registry: Registry): Record<string, Schema> {
  return Object.fromEntries(
    fullProjection(model, registry).map((column) => {
      if (!('field' in column)) return [column.name, answeredValue(fieldOf(model, column.name))]
      const target = registry.expect(column.field.relation.target)
      const nested = ref(schemaNames(target).nested)
      if (column.field.relation.kind === 'many') return [column.name, { type: 'array', items: nested }]
      return [column.name, column.field.required ? nested : nullable(nested)]
    }),
  )
}

/** Values for a create, without a form or under one. */
export function creationSchema(model: Model, form?: Form): Schema {
  const names = settable(model, form?.creationFields)
  const needed = names.filter((name) => {
    const field = fieldOf(model, name)
    return (field.explicit || isMandatory(field, demandOf(form, name))) && !hasDefault(field)
  })
  const members = Object.entries(inputMembers(model, form, names))
  const schema = strictObject(
    Object.fromEntries(members.map(([name, value]) => [name, withDefault(value, fieldOf(model, name))])),
    needed,
  )
  const sets = model.uniqueSets.map(({ fields }) => fields)
  return sets.length === 0 ? schema : { ...schema, 'x-unique-together': sets }
}

const GENERATED: Readonly<Record<GeneratedDefault, string>> = {
  now: 'The time of creation',
  today: 'The day of creation, in UTC,',
  uuid: 'A random UUID',
  user: 'The id of the user who creates the record',
}

/** In words: client generators treat a property with `default` as always present. */
function withDefault(value: Schema, { default: usual, generated }: Field): Schema {
  if (usual === undefined && generated === undefined) return value
  const words = `${generated === undefined ? JSON.stringify(usual) : GENERATED[generated]} when it is left out`
  return { ...value, description: value.description === undefined ? words : `${value.description}; ${words}` }
}

/** Values for an update, without a form or under one. Omitted fields do not change. */
export function updateSchema(model: Model, form?: Form): Schema {
  return strictObject(inputMembers(model, form, settable(model, form?.updateFields)), [])
}

function inputMembers(model: Model, form: Form | undefined, names: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, settableValue(fieldOf(model, name), demandOf(form, name))]))
}

/** Model order, so that the order of a form's list does not change the document. */
function settable(model: Model, allowed: ReadonlySet<string> | undefined): string[] {
  const fields = [...model.fields.values()].filter(isSettable)
  return fields.map(({ name }) => name).filter((name) => allowed?.has(name) !== false)
}

const demandOf = (form: Form | undefined, name: string) => form?.fields.find((field) => field.name === name)

function fieldOf(model: Model, name: string): Field {
  const field = model.fields.get(name)
  if (field === undefined) throw new Error(`${model.name} has no field '${name}'`)
  return field
}

import type { Field } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { fullProjection } from '../../query/project.ts'
import type { Form } from '../../validate/form.ts'
import { answeredValue, isMandatory, settableValue } from './fields.ts'
import { nullable, object, ref, type Schema, strictObject } from './schema.ts'

/** Names of a model's schemas. No model has a dot in its name, so they are never those of another. */
export const schemaNames = ({ name }: Model) => ({
  record: name,
  part: `${name}.part`,
  nested: `${name}.nested`,
  create: `${name}.create`,
  update: `${name}.update`,
})

/** A record in full, as it is answered: related records nested in it. */
export function recordSchema(model: Model, registry: Registry): Schema {
  const described = { description: `A record of ${model.label}`, 'x-display-field': model.displayField }
  return { ...object(recordMembers(model, registry)), ...described }
}

/** What `fields` and `include` leave of a record: the primary key, and whatever they name. */
export function partSchema(model: Model, registry: Registry): Schema {
  const description = `What was asked for of a record of ${model.label}`
  return { ...object(recordMembers(model, registry), ['id']), description }
}

/** A record as it is nested in another: at least its id, as much of the rest as is asked for and may be seen. */
export function nestedSchema(model: Model): Schema {
  const shown = model.visibleFields.filter((field) => field.relation?.kind !== 'many')
  const members = Object.fromEntries(shown.map((field) => [field.name, answeredValue(field)]))
  return { ...object(members, ['id']), description: `A record of ${model.label} within another, as far as the reader may see it` }
}

function recordMembers(model: Model, registry: Registry): Record<string, Schema> {
  return Object.fromEntries(
    fullProjection(model, registry).map((column) => {
      if (column.kind === 'value') return [column.name, answeredValue(fieldOf(model, column.name))]
      const target = registry.expect(column.field.relation.target)
      const nested = ref(schemaNames(target).nested)
      if (column.field.relation.kind === 'many') return [column.name, { type: 'array', items: nested }]
      return [column.name, column.field.required ? nested : nullable(nested)]
    }),
  )
}

/** What may be set when a record is made, without a form or under one. */
export function createSchema(model: Model, form?: Form): Schema {
  const names = settable(model, form?.creationFields)
  const needed = names.filter((name) => {
    const field = fieldOf(model, name)
    return isMandatory(field, demandOf(form, name)) && field.default === undefined
  })
  const members = Object.entries(inputMembers(model, form, names))
  return strictObject(
    Object.fromEntries(members.map(([name, value]) => [name, withDefault(value, fieldOf(model, name))])),
    needed,
  )
}

/** In words: generators of clients take a `default` for something that is always sent. */
function withDefault(value: Schema, { default: usual }: Field): Schema {
  if (usual === undefined) return value
  const words = `${JSON.stringify(usual)} when it is left out`
  return { ...value, description: value.description === undefined ? words : `${value.description}; ${words}` }
}

/** What may be set when a record is changed, without a form or under one; what is left out stays as it is. */
export function updateSchema(model: Model, form?: Form): Schema {
  return strictObject(inputMembers(model, form, settable(model, form?.updateFields)), [])
}

function inputMembers(model: Model, form: Form | undefined, names: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, settableValue(fieldOf(model, name), demandOf(form, name))]))
}

/** In the order of the model, so that it does not matter in which order somebody wrote a form's list. */
function settable(model: Model, allowed: ReadonlySet<string> | undefined): string[] {
  const fields = [...model.fields.values()].filter(({ system }) => !system)
  return fields.map(({ name }) => name).filter((name) => allowed?.has(name) !== false)
}

const demandOf = (form: Form | undefined, name: string) => form?.fields.find((field) => field.name === name)

function fieldOf(model: Model, name: string): Field {
  const field = model.fields.get(name)
  if (field === undefined) throw new Error(`${model.name} has no field '${name}'`)
  return field
}

import type { Field } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import { isAddable, isGroupable } from '../../query/aggregate.ts'
import { answeredValue } from './fields.ts'
import { COUNT, nullable, object, type Schema } from './schema.ts'

/** The answer of an aggregate: one item for each group. */
export function aggregateSchema(model: Model): Schema {
  const fields = model.visibleFields
  const [added, ordered] = [fields.filter(isAddable), fields.filter(({ type }) => type.sortable)]
  const some = (members: readonly Field[], schemaOf: (field: Field) => Schema): Schema =>
    object(Object.fromEntries(members.map((field) => [field.name, schemaOf(field)])), [])
  const total = ({ type }: Field): Schema => (type.name === 'decimal' ? { type: 'string' } : { type: 'number' })
  const value = (field: Field): Schema => nullable({ ...itemOf(answeredValue(field)), title: field.label })
  const group = object(
    {
      group: some(fields.filter(isGroupable), value),
      count: COUNT,
      sum: some(added, (field) => nullable(total(field))),
      avg: some(added, (field) => nullable(total(field))),
      min: some(ordered, value),
      max: some(ordered, value),
    },
    ['group'],
  )
  return object({ data: { type: 'array', items: group }, total: { ...COUNT, description: 'How many groups there are' } })
}

/** A list makes a group of each item. */
const itemOf = (schema: Schema): Schema => (schema.type === 'array' ? (schema.items ?? {}) : schema)

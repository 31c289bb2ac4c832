import type { Model } from '../../model/model.ts'
import type { Form } from '../../validate/form.ts'
import { schemaNames } from './records.ts'
import { COUNT, oneShapeOf, ref, type Schema, strictObject } from './schema.ts'

/** A form, and the names of the schemas of what it takes. */
export interface FormSchemas {
  readonly form: Form
  readonly create: string
  readonly update: string
}

/** The body of a write: as the model has it, or as one of its forms does. */
export function underForms(
  forms: readonly FormSchemas[],
  kind: 'create' | 'update',
  members: (schema: string) => Readonly<Record<string, Schema>>,
  unformed: string,
): Schema {
  const shapes = forms.map(({ form, [kind]: schema }) =>
    strictObject({ form_id: { type: 'string', const: form.name }, ...members(schema) }),
  )
  const own = members(unformed)
  // Told although nobody writes it, so that the shapes can be told apart by it.
  return oneShapeOf([strictObject({ form_id: { type: 'null' }, ...own }, Object.keys(own)), ...shapes])
}

/** A list that is no longer than may be. */
export const upTo = (maxItems: number, items: Schema): Schema => ({ type: 'array', items, maxItems })

/** All of a record, unless `fields` or `include` choose. */
export function wholeOrPart(model: Model): Schema {
  const { record, part } = schemaNames(model)
  return { anyOf: [ref(record), ref(part)] }
}

/** What a bulk operation is answered with. It is ids alone where more would be too large an answer. */
export const several = (model: Model): Record<string, Schema> => ({
  data: { type: 'array', items: wholeOrPart(model) },
  total: COUNT,
})

/** The envelope of a list of records. */
export const pageOf = (model: Model): Record<string, Schema> => envelope(wholeOrPart(model))

/** The envelope of a list. */
export const envelope = (items: Schema): Record<string, Schema> => ({
  data: { type: 'array', items },
  total: { ...COUNT, description: 'How many there are on all pages' },
  page: { type: 'integer', minimum: 1 },
  page_size: { type: 'integer', minimum: 1 },
  total_pages: COUNT,
  has_next: { type: 'boolean' },
  has_prev: { type: 'boolean' },
})

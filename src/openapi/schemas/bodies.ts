import type { Model } from '../../model/model.ts'
import type { Form } from '../../validate/form.ts'
import { schemaNames } from './records.ts'
import { COUNT, oneShapeOf, ref, type Schema, strictObject } from './schema.ts'

/** A form and the names of the schemas of its request bodies. */
export interface FormSchemas {
  readonly form: Form
  readonly create: string
  readonly update: string
}

/** The forms that the requests of a model may name. */
export interface ModelForms {
  /** The forms of the project. */
  readonly forms: readonly FormSchemas[]
  /** The name of the generated form of a model that has none. */
  readonly generatedForm: string | undefined
}

/** The body of a write: without a form, or under one of the model's forms. */
export function underForms(
  { forms, generatedForm }: ModelForms,
  kind: 'create' | 'update',
  members: (schema: string) => Readonly<Record<string, Schema>>,
  unformed: string,
): Schema {
  const shapes = forms.map(({ form, [kind]: schema }) =>
    strictObject({ form_id: { type: 'string', const: form.name }, ...members(schema) }),
  )
  const own = members(unformed)
  // `form_id: null` distinguishes this shape from those with a form.
  const unnamed: Schema =
    generatedForm === undefined ? { type: 'null' } : { type: ['string', 'null'], enum: [generatedForm, null] }
  return oneShapeOf([strictObject({ form_id: unnamed, ...own }, Object.keys(own)), ...shapes])
}

/** An array of at most `maxItems` items. */
export const upTo = (maxItems: number, items: Schema): Schema => ({ type: 'array', items, maxItems })

/** A whole record, or a part of it when `fields` or `include` is given. */
export function wholeOrPart(model: Model): Schema {
  const { record, part } = schemaNames(model)
  return { anyOf: [ref(record), ref(part)] }
}

/** The response of a bulk operation. It contains ids only if the whole records would make the response too large. */
export const several = (model: Model): Record<string, Schema> => ({
  data: { type: 'array', items: wholeOrPart(model) },
  total: COUNT,
})

/** The envelope of a page of records. */
export const pageOf = (model: Model): Record<string, Schema> => envelope(wholeOrPart(model))

/** The envelope of a page. */
export const envelope = (items: Schema): Record<string, Schema> => ({
  data: { type: 'array', items },
  total: { ...COUNT, description: 'How many there are on all pages' },
  page: { type: 'integer', minimum: 1 },
  page_size: { type: 'integer', minimum: 1 },
  total_pages: COUNT,
  has_next: { type: 'boolean' },
  has_prev: { type: 'boolean' },
})

import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { isAddable, isGroupable } from '../query/aggregate.ts'
import { DATE_PERIODS, hasPeriods } from '../query/periods.ts'
import type { Form } from '../validate/form.ts'
import { answeredValue } from './field-schemas.ts'
import { schemaNames } from './record-schemas.ts'
import { COUNT_SCHEMA, nullable, object, oneName, oneShapeOf, ref, type Schema, strictObject, TEXT } from './schema.ts'

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
  total: COUNT_SCHEMA,
})

/** The envelope of a page of records. */
export const pageEnvelope = (model: Model): Record<string, Schema> => envelope(wholeOrPart(model))

/** The envelope of a page of a list, with what `editing` adds. */
export const listEnvelope = (model: Model): Schema => {
  const page = pageEnvelope(model)
  const can: Schema = { type: 'array', items: { type: 'array', items: oneName(['change', 'delete']) } }
  return object({ ...page, etags: { type: 'array', items: { type: 'string' } }, can }, Object.keys(page))
}

/** The envelope of a page. */
export const envelope = (items: Schema): Record<string, Schema> => ({
  data: { type: 'array', items },
  total: ref('total'),
  page: { type: 'integer', minimum: 1 },
  page_size: { type: 'integer', minimum: 1 },
  total_pages: COUNT_SCHEMA,
  has_next: { type: 'boolean' },
  has_prev: { type: 'boolean' },
})

/** The answer of an aggregate: one item for each group. */
export function aggregateSchema(model: Model): Schema {
  const fields = model.visibleFields
  const total = ({ type }: Field): Schema => nullable(type.name === 'decimal' ? TEXT : { type: 'number' })
  const totals = someOf(fields.filter(isAddable), total)
  const bounds = ref(schemaNames(model).bounds)
  const group = object(
    {
      group: {
        ...someOf(fields.filter(isGroupable), groupValue),
        ...(fields.some(hasPeriods) ? { patternProperties: { [`:(${DATE_PERIODS.join('|')})$`]: nullable(TEXT) } } : {}),
      },
      count: COUNT_SCHEMA,
      sum: totals,
      avg: totals,
      min: bounds,
      max: bounds,
    },
    ['group'],
  )
  return object({ data: { type: 'array', items: group }, total: { ...COUNT_SCHEMA, description: 'How many groups there are' } })
}

/** The least or the greatest values of a group. */
export const boundsSchema = (model: Model): Schema =>
  someOf(
    model.visibleFields.filter(({ type }) => type.sortable),
    groupValue,
  )

const someOf = (fields: readonly Field[], schemaOf: (field: Field) => Schema): Schema =>
  object(Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])), [])

const groupValue = (field: Field): Schema => nullable({ ...itemOf(answeredValue(field)), title: field.label })

/** A list makes a group of each item. */
const itemOf = (schema: Schema): Schema => (schema.type === 'array' ? (schema.items ?? {}) : schema)

/** The types that JSON knows. */
type SchemaType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** A JSON Schema (drafts 7 and 2020-12, which agree on this), as far as it is used here. A member that is undefined is as good as not there. */
export interface Schema {
  readonly $schema?: string | undefined
  readonly $ref?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly type?: SchemaType | readonly SchemaType[] | undefined
  readonly const?: unknown
  readonly enum?: readonly unknown[] | undefined
  readonly anyOf?: readonly Schema[] | undefined
  readonly allOf?: readonly Schema[] | undefined
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly exclusiveMinimum?: number | undefined
  readonly exclusiveMaximum?: number | undefined
  readonly items?: Schema | undefined
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
  readonly properties?: Readonly<Record<string, Schema>> | undefined
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: boolean | Schema | undefined
  readonly default?: unknown
  readonly if?: Schema | undefined
  readonly then?: Schema | undefined
  readonly else?: Schema | undefined
  /** The field of a record by which people know it. */
  readonly 'x-display-field'?: string | undefined
  readonly definitions?: Readonly<Record<string, Schema>> | undefined
}

const PREFIX = '#/components/schemas/'

/** Refers to a schema among the components of the document. */
export const ref = (name: string): Schema => ({ $ref: PREFIX + name })

/** The name behind a reference. */
export const nameBehind = ($ref: string): string => $ref.slice(PREFIX.length)

/** The same, or null. */
export function nullable(schema: Schema): Schema {
  const { type, enum: values } = schema
  if (typeof type === 'string') {
    return { ...schema, type: [type, 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) }
  }
  // Whatever may be anything may be null.
  return schema.$ref === undefined ? schema : { anyOf: [schema, { type: 'null' }] }
}

/** An object of these members, all of them there unless said otherwise. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
): Schema => ({ type: 'object', properties, required: required.length > 0 ? required : undefined })

/** An object that is sent to the server, which refuses members that it does not know. */
export const strictObject = (properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema => ({
  ...object(properties, required),
  additionalProperties: false,
})

/** One of several shapes; that shape itself where there is but one. */
export function oneShapeOf(shapes: readonly Schema[]): Schema {
  const [only, ...others] = shapes
  return only !== undefined && others.length === 0 ? only : { anyOf: shapes }
}

/** A text that names one of these. */
export const oneName = (names: readonly string[]): Schema => ({ type: 'string', enum: names })

export const TEXT: Schema = { type: 'string' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const MOMENT: Schema = { type: 'string', format: 'date-time' }

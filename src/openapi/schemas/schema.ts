/** Types of JSON Schema. */
type SchemaType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** The JSON Schema keywords used here, which mean the same in drafts 7 and 2020-12. An undefined member counts as absent. */
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
  /** The labels of the values of `enum`. */
  readonly 'x-enum-descriptions'?: readonly string[] | undefined
  /** Lists of members of which no two records have all the same values. */
  readonly 'x-unique-together'?: readonly (readonly string[])[] | undefined
  /** The field that people identify a record by. */
  readonly 'x-display-field'?: string | undefined
  readonly definitions?: Readonly<Record<string, Schema>> | undefined
}

const PREFIX = '#/components/schemas/'

/** A reference to a schema component. */
export const ref = (name: string): Schema => ({ $ref: PREFIX + name })

/** The component name of a reference. */
export const nameBehind = ($ref: string): string => $ref.slice(PREFIX.length)

/** The same schema, or null. */
export function nullable(schema: Schema): Schema {
  const { type, enum: values } = schema
  if (type !== undefined) {
    return {
      ...schema,
      type: [...new Set<SchemaType>([...[type].flat(), 'null'])],
      ...(values === undefined ? {} : { enum: [...values, null] }),
    }
  }
  // An empty schema already allows null.
  return schema.$ref === undefined ? schema : { anyOf: [schema, { type: 'null' }] }
}

/** An object with these properties, all required unless `required` is given. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
): Schema => ({ type: 'object', properties, required: required.length > 0 ? required : undefined })

/** An object in a request. Unknown members are rejected. */
export const strictObject = (properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema => ({
  ...object(properties, required),
  additionalProperties: false,
})

/** `oneOf` several shapes, or the shape itself if there is only one. */
export function oneShapeOf(shapes: readonly Schema[]): Schema {
  const [only, ...others] = shapes
  return only !== undefined && others.length === 0 ? only : { anyOf: shapes }
}

/** One of these strings. */
export const oneName = (names: readonly string[]): Schema => ({ type: 'string', enum: names })

export const TEXT: Schema = { type: 'string' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const MOMENT: Schema = { type: 'string', format: 'date-time' }

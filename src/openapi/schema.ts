import type { Description, Schema as JoiSchema } from 'joi'

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
  /** Properties by a pattern of their name. */
  readonly patternProperties?: Readonly<Record<string, Schema>> | undefined
  readonly additionalProperties?: boolean | Schema | undefined
  readonly default?: unknown
  /** True for a value that requests cannot set. */
  readonly readOnly?: boolean | undefined
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
  const { type, enum: values, anyOf } = schema
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  if (type !== undefined) {
    return {
      ...schema,
      type: [...new Set<SchemaType>([...[type].flat(), 'null'])],
      ...(values === undefined ? {} : { enum: [...new Set([...values, null])] }),
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
export const TEXTS: Schema = { type: 'array', items: TEXT }
export const FLAG: Schema = { type: 'boolean' }
export const COUNT_SCHEMA: Schema = { type: 'integer', minimum: 0 }
/** A side of an image in pixels; null for other files. */
export const PIXELS: Schema = { type: ['integer', 'null'], minimum: 1 }
export const MOMENT: Schema = { type: 'string', format: 'date-time' }

interface Rule {
  readonly name: string
  readonly args?: { readonly limit?: number; readonly regex?: string }
}

/** The members of a Joi description that are read here. */
type Described = Omit<Description, 'keys' | 'items' | 'rules' | 'patterns' | 'allow'> & {
  readonly flags?: { readonly presence?: string; readonly only?: boolean; readonly unknown?: boolean }
  readonly allow?: readonly unknown[]
  readonly keys?: Readonly<Record<string, Described>>
  readonly items?: readonly Described[]
  readonly rules?: readonly Rule[]
  /** Alternatives: schemas, or the two branches of a condition. */
  readonly matches?: readonly { readonly schema?: Described; readonly then?: Described; readonly otherwise?: Described }[]
  readonly patterns?: readonly { readonly rule: Described }[]
}

/**
 * Converts a Joi schema into a JSON Schema for editors. The result accepts everything that the Joi schema accepts; checks in
 * code (`custom`, relations between keys) are left out.
 */
export const fromJoi = (schema: JoiSchema): Schema => convert(schema.describe() as Described)

function convert(described: Described): Schema {
  const { type = 'any', flags, allow = [], items = [], matches = [] } = described
  if (flags?.only === true) return { enum: allow }
  switch (type) {
    case 'object':
      return objectSchema(described)
    case 'array':
      return { type: 'array', items: items.length === 0 ? undefined : either(items), minItems: limitOf(described, 'min') }
    case 'alternatives':
      return either(matches.flatMap((match) => [match.schema ?? [], match.then ?? [], match.otherwise ?? []].flat()))
    case 'string':
      return textSchema(described)
    case 'number':
      return numberSchema(described)
    case 'boolean':
      return { type: 'boolean' }
    case 'any':
      return {}
    default:
      throw new Error(`No JSON Schema is known for a Joi schema of type '${type}'`)
  }
}

const either = (described: readonly Described[]): Schema => {
  const [only, ...others] = described.map(convert)
  return only !== undefined && others.length === 0 ? only : { anyOf: described.map(convert) }
}

function objectSchema({ keys, flags, patterns }: Described): Schema {
  const free = patterns?.[0]?.rule
  if (free !== undefined && keys === undefined) return { type: 'object', additionalProperties: convert(free) }
  if (keys === undefined) return { type: 'object' }
  // A function cannot be written in YAML or JSON.
  const members = Object.entries(keys).filter(([, { type }]) => type !== 'function')
  const required = members.filter(([, member]) => member.flags?.presence === 'required').map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, convert(member)])),
    required: required.length === 0 ? undefined : required,
    additionalProperties: free !== undefined ? convert(free) : flags?.unknown === true ? undefined : false,
  }
}

function textSchema(described: Described): Schema {
  const regex = described.rules?.find(({ name }) => name === 'pattern')?.args?.regex
  const mayBeEmpty = described.allow?.includes('') === true
  return {
    type: 'string',
    // Joi rejects empty strings unless they are allowed.
    minLength: limitOf(described, 'min') ?? (mayBeEmpty ? undefined : 1),
    pattern: regex === undefined ? undefined : sourceOf(regex),
    format: described.rules?.some(({ name }) => name === 'uri') === true ? 'uri' : undefined,
  }
}

function numberSchema(described: Described): Schema {
  const has = (name: string) => described.rules?.some((rule) => rule.name === name) === true
  return {
    type: has('integer') || has('port') ? 'integer' : 'number',
    minimum: limitOf(described, 'min') ?? (has('port') ? 0 : undefined),
    maximum: limitOf(described, 'max') ?? (has('port') ? 65_535 : undefined),
    exclusiveMinimum: has('sign') ? 0 : undefined,
  }
}

const limitOf = ({ rules }: Described, name: string): number | undefined => rules?.find((rule) => rule.name === name)?.args?.limit

/** `/^a$/` → `^a$` */
const sourceOf = (regex: string): string => regex.slice(1, regex.lastIndexOf('/'))

import type { Description, Schema as JoiSchema } from 'joi'
import type { Schema } from './schema.ts'

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
  if (free !== undefined) return { type: 'object', additionalProperties: convert(free) }
  if (keys === undefined) return { type: 'object' }
  // A function cannot be written in YAML or JSON.
  const members = Object.entries(keys).filter(([, { type }]) => type !== 'function')
  const required = members.filter(([, member]) => member.flags?.presence === 'required').map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, convert(member)])),
    required: required.length === 0 ? undefined : required,
    additionalProperties: flags?.unknown === true ? undefined : false,
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

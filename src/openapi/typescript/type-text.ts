import { nameBehind, type Schema } from '../schemas/schema.ts'

/** How the names of schemas are written in TypeScript. */
export type Naming = (schemaName: string) => string

/** A schema as a type. What a type cannot say, such as bounds, is left out. */
export function typeOf(schema: Schema, naming: Naming, indent = ''): string {
  const { $ref, anyOf, enum: values, const: constant, type } = schema
  if ($ref !== undefined) return naming(nameBehind($ref))
  if (anyOf !== undefined) return union(anyOf.map((each) => typeOf(each, naming, indent)))
  if (values !== undefined) return values.length === 0 ? 'never' : union(values.map((value) => literal(value)))
  if (constant !== undefined) return literal(constant)
  if (type === undefined) return 'unknown'
  const types = typeof type === 'string' ? [type] : type
  return union(types.map((each) => plainType(each, schema, naming, indent)))
}

function plainType(type: string, schema: Schema, naming: Naming, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return arrayOf(schema.items === undefined ? 'unknown' : typeOf(schema.items, naming, indent))
  return type === 'object' ? objectType(schema, naming, indent) : type
}

/** The members of an object between braces, each on a line of its own. */
export function objectType({ properties = {}, required = [] }: Schema, naming: Naming, indent = ''): string {
  const deeper = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?'
    return `${comment(schema, deeper)}${deeper}${memberName(name)}${optional}: ${typeOf(schema, naming, deeper)}\n`
  })
  return members.length === 0 ? '{ [name: string]: never }' : `{\n${members.join('')}${indent}}`
}

/** What people call it, and what else is to be known of it. */
function comment({ title, description }: Schema, indent: string): string {
  const words = [title, description].filter((text) => text !== undefined).join('. ')
  return words === '' ? '' : `${indent}/** ${plainWords(words)} */\n`
}

/** Text that does not end the comment that it stands in. */
export const plainWords = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('*/', '* /')

/** One of several types; each is named once. */
export const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never'

const arrayOf = (item: string): string => (/^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`)

/** A value as its own type. Quotes are single, as people write them. */
export const literal = (value: unknown): string =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : String(value)

/** A name that is no identifier is quoted. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

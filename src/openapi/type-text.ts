import { nameBehind, type Schema } from './schema.ts'

/** Maps the name of a schema to a TypeScript name. */
export type Naming = (schemaName: string) => string

/** The TypeScript type of a schema. Constraints that a type cannot express, such as bounds, are left out. */
export function typeOf(schema: Schema, naming: Naming, indent = ''): string {
  const { $ref, anyOf, enum: values, const: constant, type } = schema
  if ($ref !== undefined) return naming(nameBehind($ref))
  if (anyOf !== undefined) return unionType(anyOf.map((each) => typeOf(each, naming, indent)))
  if (values !== undefined) return values.length === 0 ? 'never' : unionType(values.map((value) => literalType(value)))
  if (constant !== undefined) return literalType(constant)
  if (type === undefined) return 'unknown'
  const types = typeof type === 'string' ? [type] : type
  return unionType(types.map((each) => plainType(each, schema, naming, indent)))
}

function plainType(type: string, schema: Schema, naming: Naming, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return arrayOf(schema.items === undefined ? 'unknown' : typeOf(schema.items, naming, indent))
  return type === 'object' ? objectType(schema, naming, indent) : type
}

/** The members of an object in braces, one a line. */
export function objectType({ properties = {}, required = [] }: Schema, naming: Naming, indent = ''): string {
  const deeper = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?'
    return `${comment(schema, deeper)}${deeper}${memberName(name)}${optional}: ${typeOf(schema, naming, deeper)}\n`
  })
  return members.length === 0 ? '{ [name: string]: never }' : `{\n${members.join('')}${indent}}`
}

/** A TSDoc comment of title and description. */
function comment({ title, description }: Schema, indent: string): string {
  const words = [title, description].filter((text) => text !== undefined).join('. ')
  return words === '' ? '' : `${indent}/** ${plainWords(words)} */\n`
}

/** Text that does not end the enclosing comment. */
export const plainWords = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('*/', '* /')

/** A union type without duplicates. */
export const unionType = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never'

const arrayOf = (item: string): string => (/^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`)

/** A literal type, with single quotes. */
export const literalType = (value: unknown): string =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : String(value)

/** Quotes names that are not identifiers. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literalType(name))

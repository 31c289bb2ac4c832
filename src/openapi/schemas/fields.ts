import type { Field } from '../../model/field.ts'
import type { FieldType } from '../../model/field-type.ts'
import type { Limits } from '../../model/limits.ts'
import { nullable, type Schema } from './schema.ts'

const ID: Schema = { type: 'integer', minimum: 1 }

/** Seconds may be left out where a time is sent; they are always answered. */
const TIME_PATTERN = '^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,3})?)?$'

/** What values of each type look like in JSON, as they are answered. */
const VALUES: Readonly<Record<FieldType['name'], Schema>> = {
  primarykey: ID,
  string: { type: 'string' },
  text: { type: 'string' },
  // Neither has a format: an empty one may be stored, and addresses as browsers take them, such as a@b and https://bücher.de.
  email: { type: 'string' },
  url: { type: 'string' },
  slug: { type: 'string', pattern: '^[A-Za-z0-9_-]*$' },
  password: { type: 'string', format: 'password' },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', pattern: TIME_PATTERN },
  datetime: { type: 'string', format: 'date-time' },
  choice: { type: 'string' },
  multichoice: { type: 'array', items: { type: 'string' } },
  json: { description: 'Any JSON value' },
  foreignkey: ID,
  many_to_many: { type: 'array', items: ID },
  one_to_one: ID,
}

const LINKS: Schema = {
  type: 'array',
  items: { anyOf: [ID, { type: 'object', properties: { id: ID }, required: ['id'], additionalProperties: true }] },
}

/** What may be sent for values of each type: more spellings than are answered, or fewer. */
const SETTABLE: typeof VALUES = {
  ...VALUES,
  url: { type: 'string', pattern: '^([Hh][Tt][Tt][Pp][Ss]?://\\S+)?$' },
  datetime: {
    type: 'string',
    description: 'A moment in ISO 8601; seconds may be left out, without an offset it is UTC, a day alone is its first moment',
  },
  many_to_many: LINKS,
}

/** What a field is answered with. Its bounds are not part of that: a record may be older than they are. */
export function answeredValue(field: Field): Schema {
  const value = withChoices(VALUES[field.type.name], field.limits.choices)
  const schema = { ...value, title: field.label }
  return field.required || field.type.list ? schema : nullable(schema)
}

/** What a field of a form says beyond its model. */
export interface FormDemand {
  readonly required: boolean
  readonly limits: Limits
}

/**
 * What a field may be set to, as narrow as the server holds it, save for what JSON Schema cannot say: patterns that only RE2
 * knows, uniqueness, rules.
 */
export function settableValue(field: Field, demand?: FormDemand): Schema {
  const { limits, type, unique } = field
  const mandatory = isMandatory(field, demand)
  const value = SETTABLE[type.name]
  const bounds = [limits, demand?.limits ?? {}]
  const schema: Schema = {
    ...withChoices(value, commonChoices(bounds)),
    ...(value.type === 'string' ? textBounds(bounds, mandatory) : {}),
    ...(value.type === 'integer' || value.type === 'number' ? numberBounds(value, bounds) : {}),
    ...(value.type === 'array' && mandatory ? { minItems: 1 } : {}),
    ...patterns(value.pattern, bounds),
    title: field.label,
    description: described(unique ? 'No two records have the same' : undefined, value.description),
  }
  return mandatory ? schema : nullable(schema)
}

function described(...parts: readonly (string | undefined)[]): string | undefined {
  const told = parts.filter((part) => part !== undefined)
  return told.length === 0 ? undefined : told.join('. ')
}

/** True for a field that may not be emptied. */
export const isMandatory = (field: Field, demand?: FormDemand): boolean => field.required || demand?.required === true

function withChoices(value: Schema, choices: Limits['choices']): Schema {
  if (choices === undefined) return value
  return value.type === 'array' ? { ...value, items: { type: 'string', enum: choices } } : { ...value, enum: choices }
}

function commonChoices([model, form]: readonly Limits[]): Limits['choices'] {
  if (model?.choices === undefined || form?.choices === undefined) return model?.choices ?? form?.choices
  return model.choices.filter((choice) => form.choices?.includes(choice))
}

function textBounds(bounds: readonly Limits[], mandatory: boolean): Schema {
  const least = strictest(Math.max, [mandatory ? 1 : undefined, ...bounds.map(({ min_length }) => min_length)])
  return { minLength: least, maxLength: strictest(Math.min, pick(bounds, 'max_length')) }
}

const numberBounds = (value: Schema, bounds: readonly Limits[]): Schema => ({
  minimum: strictest(Math.max, [value.minimum, ...pick(bounds, 'gte')]),
  maximum: strictest(Math.min, [value.maximum, ...pick(bounds, 'lte')]),
  exclusiveMinimum: strictest(Math.max, pick(bounds, 'gt')),
  exclusiveMaximum: strictest(Math.min, pick(bounds, 'lt')),
})

const pick = (bounds: readonly Limits[], key: 'max_length' | 'gt' | 'gte' | 'lt' | 'lte') => bounds.map((each) => each[key])

function strictest(choose: (...values: number[]) => number, values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : choose(...known)
}

/** One pattern stands for itself, several must all match. */
function patterns(own: string | undefined, bounds: readonly Limits[]): Schema {
  const sources = bounds.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern.pattern()]))
  const all = [...new Set([...(own === undefined ? [] : [own]), ...sources.filter(isEcmaScript)])]
  return all.length > 1 ? { pattern: undefined, allOf: all.map((pattern) => ({ pattern })) } : { pattern: all[0] }
}

/** True for a pattern of RE2 that means the same to ECMA-262, whose patterns JSON Schema has. */
function isEcmaScript(pattern: string): boolean {
  if (/\[\[:|\\[AzQECpP]|\(\?/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

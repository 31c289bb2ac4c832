import type { Field } from '../model/field.ts'
import type { FieldType } from '../model/field-type.ts'
import type { FileRules } from '../model/files.ts'
import type { Limits } from '../model/limits.ts'
import { generatedTitle } from '../views/generate.ts'
import { nullable, PIXELS, ref, type Schema } from './schema.ts'

const ID: Schema = { type: 'integer', minimum: 1 }

/** Seconds are optional in requests and always present in responses. */
const TIME_PATTERN = '^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?$'

const FILE_TEXT: Schema = { type: 'string' }

const ALT: Schema = { type: ['string', 'null'], description: 'Alternative text' }

/** Schemas of files, as records have them and as requests name them. Lower case, so that no model's schema has the same name. */
export const FILE_SCHEMAS = {
  storedFile: {
    type: 'object',
    properties: {
      ...{ id: FILE_TEXT, name: FILE_TEXT, type: { ...FILE_TEXT, description: 'The media type, found in the bytes' } },
      ...{ size: { type: 'integer', minimum: 0 }, sha256: FILE_TEXT, width: PIXELS, height: PIXELS, alt: ALT },
      uploaded_at: { type: 'string', format: 'date-time' },
      url: { type: 'string', format: 'uri-reference', description: 'Address of its bytes, relative to the root of the server' },
    },
    required: ['id', 'name', 'type', 'size', 'sha256', 'width', 'height', 'alt', 'uploaded_at'],
    additionalProperties: true,
    description: 'A file of a record',
  },
  fileInput: {
    anyOf: [
      FILE_TEXT,
      {
        type: 'object',
        properties: { id: FILE_TEXT, name: FILE_TEXT, alt: ALT },
        required: ['id'],
        additionalProperties: true,
      },
    ],
    description: 'The id of an upload, or of a file of the record; or an object with it, such as the file as it was read',
  },
} as const satisfies Readonly<Record<string, Schema>>

/** The TypeScript name of a schema of files; undefined for other schemas. */
export const fileTypeName = (schema: string): string | undefined =>
  Object.hasOwn(FILE_SCHEMAS, schema) ? schema.charAt(0).toUpperCase() + schema.slice(1) : undefined

/** Schemas of field values in responses, by field type. */
const VALUES: Readonly<Record<FieldType['name'], Schema>> = {
  primarykey: ID,
  string: { type: 'string' },
  text: { type: 'string' },
  // No formats: both may be empty, and both accept what browsers accept, such as a@b and https://bücher.de.
  email: { type: 'string' },
  url: { type: 'string' },
  slug: { type: 'string', pattern: '^[A-Za-z0-9_-]*$' },
  password: { type: 'string', format: 'password' },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  number: { type: 'number' },
  decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', pattern: TIME_PATTERN },
  datetime: { type: 'string', format: 'date-time' },
  choice: { type: 'string' },
  multichoice: { type: 'array', items: { type: 'string' } },
  json: { description: 'Any JSON value' },
  uuid: { type: 'string', format: 'uuid' },
  foreignkey: ID,
  many_to_many: { type: 'array', items: ID },
  one_to_one: ID,
  file: ref('storedFile'),
  image: ref('storedFile'),
}

const LINKS: Schema = {
  type: 'array',
  items: { anyOf: [ID, { type: 'object', properties: { id: ID }, required: ['id'], additionalProperties: true }] },
}

/** Schemas of values in requests, where they differ from responses. */
const SETTABLE: typeof VALUES = {
  ...VALUES,
  decimal: {
    type: ['string', 'number'],
    pattern: '^[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,3})?$',
    description: 'A decimal number as text, which keeps every digit, or a number of at most 15 digits',
  },
  url: { type: 'string', pattern: '^([Hh][Tt][Tt][Pp][Ss]?://\\S+)?$' },
  datetime: {
    type: 'string',
    description: 'A moment in ISO 8601; seconds may be left out, without an offset it is UTC, a day alone is its first moment',
  },
  many_to_many: LINKS,
  file: ref('fileInput'),
  image: ref('fileInput'),
}

/** A field of several files is a list of them. */
const listedIfSeveral = ({ file, type }: Field, value: Schema, rules = file): Schema =>
  rules !== undefined && type.list ? { type: 'array', items: value, maxItems: rules.maxFiles } : value

/** Schema of a value in responses. It has no bounds, since a record may be older than the model's bounds. */
export function answeredValue(field: Field): Schema {
  const value = withChoices(listedIfSeveral(field, VALUES[field.type.name]), field, field.limits.choices)
  const description = described(field.helpText, value.description)
  const schema: Schema = { ...value, title: field.label, description, ...(field.computed ? { readOnly: true } : {}) }
  return field.required || field.type.list ? schema : nullable(schema)
}

/** Title and requirements of a field in a form, beyond those of its model. */
export interface FormDemand {
  readonly title: string | undefined
  readonly required: boolean
  readonly limits: Limits
  /** Rules of files, where the form narrows those of the model. */
  readonly files: FileRules | undefined
}

/** The title of a field; undefined for the one that is made from the name. */
function titleIn({ name, label }: Field, demand?: FormDemand): string | undefined {
  return demand?.title === generatedTitle(name) ? undefined : (demand?.title ?? label)
}

/**
 * Schema of a value in requests, as narrow as JSON Schema allows. Patterns that only RE2 supports, uniqueness and rules are
 * checked by the server alone.
 */
export function settableValue(field: Field, demand?: FormDemand): Schema {
  const { limits, type, unique, helpText } = field
  const mandatory = isMandatory(field, demand)
  const value = listedIfSeveral(field, SETTABLE[type.name], demand?.files)
  const bounds = [limits, demand?.limits ?? {}]
  const schema: Schema = {
    ...withChoices(value, field, commonChoices(bounds)),
    ...(value.type === 'string' ? textBounds(bounds, mandatory) : {}),
    ...(value.type === 'integer' || value.type === 'number' ? numberBounds(value, bounds) : {}),
    ...(value.type === 'array' && mandatory ? { minItems: 1 } : {}),
    ...patterns(value.pattern, bounds),
    title: titleIn(field, demand),
    description: described(
      ...[helpText, unique ? 'No two records have the same' : undefined, value.description],
      field.explicit && !mandatory ? 'null for none' : undefined,
    ),
  }
  return mandatory ? schema : nullable(schema)
}

function described(...parts: readonly (string | undefined)[]): string | undefined {
  const told = parts.filter((part) => part !== undefined).map((part) => part.replace(/\.$/, ''))
  return told.length === 0 ? undefined : told.join('. ')
}

/** True if the field cannot be null. */
export const isMandatory = (field: Field, demand?: FormDemand): boolean => field.required || demand?.required === true

/** Labels are in `x-enum-descriptions`, which generators of clients and documentation read. */
function withChoices(value: Schema, { labelledChoices }: Field, choices: Limits['choices']): Schema {
  if (choices === undefined) return value
  const labelOf = (choice: string | number) => labelledChoices?.find((each) => each.value === choice)?.label ?? String(choice)
  const known: Schema = { enum: choices, ...(labelledChoices && { 'x-enum-descriptions': choices.map(labelOf) }) }
  return value.type === 'array' ? { ...value, items: { type: 'string', ...known } } : { ...value, ...known }
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

/** One pattern is a `pattern`; several are combined by `allOf`. */
function patterns(own: string | undefined, bounds: readonly Limits[]): Schema {
  const sources = bounds.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern.pattern()]))
  const all = [...new Set([...(own === undefined ? [] : [own]), ...sources.filter(isEcmaScript)])]
  return all.length > 1 ? { pattern: undefined, allOf: all.map((pattern) => ({ pattern })) } : { pattern: all[0] }
}

/** True if an RE2 pattern has the same meaning in ECMA-262, the dialect of JSON Schema. */
function isEcmaScript(pattern: string): boolean {
  if (/\[\[:|\\[AzQECpP]|\(\?/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

import Joi from 'joi'
import type { FaultRule, Faults } from '../config/fault.ts'
import { validateShape } from '../config/shape.ts'
import type { Path, Source } from '../config/source.ts'
import { MAX_DIGITS } from '../util/decimal.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import { CHOICE_COLORS, FAKER_METHODS, FIELD_TYPE_NAMES, type FieldDefinition, type FieldTypeName } from './definition.ts'
import { choiceValue, type Field, makeField } from './field.ts'
import type { FieldOption, Reading } from './field-type.ts'
import { FIELD_TYPES } from './fields.ts'
import { checkLimits } from './limits.ts'
import { FILE_OPTION_SCHEMAS } from './parse-files.ts'

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/

const choiceValues = Joi.alternatives(Joi.string(), Joi.number())

/** A condition rather than alternatives, so that a fault names the key. */
const choice = Joi.alternatives().conditional(Joi.object(), {
  // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
  then: Joi.object({ value: choiceValues.required(), label: Joi.string(), color: Joi.valid(...CHOICE_COLORS) }),
  otherwise: choiceValues,
})

const integerFrom0 = Joi.number().integer().min(0)
const optionSchemas: Readonly<Record<FieldOption, Joi.Schema>> = {
  unique: Joi.boolean(),
  default: Joi.any(),
  choices: Joi.array()
    .items(choice)
    .min(1)
    .unique((a, b) => choiceValue(a) === choiceValue(b)),
  min_length: integerFrom0,
  max_length: integerFrom0,
  gt: Joi.number(),
  lt: Joi.number(),
  gte: Joi.number(),
  lte: Joi.number(),
  decimal_places: integerFrom0.max(MAX_DIGITS),
  pattern: Joi.string(),
  model: Joi.string().required(),
  on_delete: Joi.valid('restrict', 'cascade', 'set_null'),
  ...FILE_OPTION_SCHEMAS,
}

/** Other spellings of a limit. */
const ALIASES = { ge: 'gte', le: 'lte' } as const

const common = {
  name: Joi.string()
    .pattern(FIELD_NAME)
    .custom((name: string, helpers) => (name in Object.prototype ? helpers.error('name.reserved') : name))
    .required()
    .messages({
      'string.pattern.base':
        "'{{#value}}' cannot be a field name; use letters, digits and single underscores, and begin with a letter",
      'name.reserved': "'{{#value}}' cannot be a field name, since every JavaScript object has a member of that name",
    }),
  was: Joi.string()
    .pattern(FIELD_NAME)
    .messages({ 'string.pattern.base': "'was' must be the former name of the field, and '{{#value}}' cannot be a field name" }),
  label: Joi.string(),
  help_text: Joi.string(),
  required: Joi.boolean(),
  searchable: Joi.boolean(),
  index: Joi.boolean(),
}

const fakerMethods: ReadonlySet<string> = new Set(FAKER_METHODS)

/** Mock data of a field. Relations have none; they choose existing records. */
const mock = Joi.object({
  faker: Joi.string()
    .custom((name: string, helpers) =>
      fakerMethods.has(name) ? name : helpers.error('faker.unknown', { guess: didYouMean(name, FAKER_METHODS) }),
    )
    .required()
    .messages({ 'faker.unknown': "'{{#value}}' is not a supported method of Faker{{#guess}}" }),
})

/** Schemas of the field types. */
export const fieldSchemas = Object.fromEntries(FIELD_TYPE_NAMES.map((type) => [type, fieldSchema(type)])) as Readonly<
  Record<FieldTypeName, Joi.ObjectSchema<FieldDefinition>>
>

/** `id` is implicit. It may be declared, without options. */
export const idSchema = Joi.object({
  name: Joi.valid('id'),
  type: Joi.valid('integer', 'primarykey').required(),
  label: Joi.string(),
}).append({
  required: Joi.valid(true),
  unique: Joi.valid(true),
  help_text: Joi.string(),
})

function fieldSchema(type: FieldTypeName): Joi.ObjectSchema<FieldDefinition> {
  const { options } = FIELD_TYPES[type]
  const keys: Record<string, Joi.Schema> = { ...common, type: Joi.valid(type).required() }
  if (!options.includes('model')) keys.mock = mock
  for (const option of options) keys[option] = optionSchemas[option]
  if (type === 'choice' || type === 'multichoice') keys.choices = optionSchemas.choices.required()
  const schema: Joi.ObjectSchema = Joi.object(keys)
  if (!options.includes('gte')) return schema
  return schema
    .append({ ge: Joi.number(), le: Joi.number() })
    .oxor('ge', 'gte')
    .oxor('le', 'lte')
    .messages({ 'object.oxor': 'Use only one of {{#peersWithLabels}}; they mean the same' })
}

/**
 * Parses one field of a model definition.
 *
 * @returns the field; a stand-in if it is faulty, so that references to it are not reported too; undefined if it has no name,
 *   or is `id`
 */
export function parseField(raw: unknown, at: Path, source: Source, faults: Faults): Field | undefined {
  if (isObject(raw) && raw.name === 'id') {
    faults.addAll(validateShape(idSchema, raw, source, { at, rule: () => 'model/invalid' }).faults.list)
    return undefined
  }
  return parseInputField(raw, at, source, faults)
}

/** The same for a field of an input, which may have the name `id`. */
export function parseInputField(raw: unknown, at: Path, source: Source, faults: Faults): Field | undefined {
  if (!isObject(raw)) {
    faults.add(source, at, 'A field must be a mapping with at least a name and a type')
    return undefined
  }
  const { name, type } = raw
  return readField(raw, at, source, faults) ?? standIn(name, type, raw.model)
}

/** Names that other programs use for field types. */
const FOREIGN_TYPES: ReadonlyMap<string, FieldTypeName> = new Map([
  ['bool', 'boolean'],
  ['str', 'string'],
  ['varchar', 'string'],
  ['char', 'string'],
  ['int', 'integer'],
  ['bigint', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['numeric', 'decimal'],
  ['money', 'decimal'],
  ['timestamp', 'datetime'],
  ['enum', 'choice'],
  ['object', 'json'],
  ['relation', 'foreignkey'],
  ['upload', 'file'],
  ['attachment', 'file'],
  ['media', 'file'],
  ['picture', 'image'],
  ['photo', 'image'],
])

function typeHint(type: string): string {
  const meant = FOREIGN_TYPES.get(type.toLowerCase())
  if (meant !== undefined) return `; write ${meant}`
  return meantOrKnown(type, FIELD_TYPE_NAMES)
}

function readField(raw: Record<string, unknown>, at: Path, source: Source, faults: Faults): Field | undefined {
  const { name, type } = raw
  const known = FIELD_TYPE_NAMES.find((each) => each === type)
  if (type === undefined) {
    faults.add(source, at, `Field '${String(name)}' has no type; use one of ${FIELD_TYPE_NAMES.join(', ')}`)
  } else if (known === undefined) {
    faults.add(source, [...at, 'type'], `Unknown type '${String(type)}'${typeHint(String(type))}`)
  } else {
    const { value, faults: shapeFaults } = validateShape(fieldSchemas[known], raw, source, {
      at,
      rule: () => 'model/invalid',
      unknownKeyHint: (key, path) =>
        path.length !== 1 ? undefined : isOptionOfOtherTypes(key) ? `; ${optionsHint(known)}` : undefined,
    })
    faults.addAll(shapeFaults.list)
    if (value !== undefined) return buildField(withoutAliases(value), raw, at, source, faults)
  }
  return undefined
}

function buildField(
  definition: FieldDefinition,
  raw: Readonly<Record<string, unknown>>,
  at: Path,
  source: Source,
  faults: Faults,
): Field | undefined {
  const fault = (key: string, message: string, rule: FaultRule = 'model/invalid') =>
    faults.add(source, [...at, writtenKey(raw, key)], message, { rule })
  for (const { key, problem } of boundsProblems(definition)) fault(key, problem, 'model/impossible-bounds')
  const { name, type, required = false, on_delete } = definition
  if ((type === 'foreignkey' || type === 'one_to_one') && !/._id$/.test(name)) {
    fault('name', `A ${type} field is named <relation>_id: write '${name}_id'`)
  }
  if (on_delete === 'set_null' && required) {
    fault('on_delete', `'${name}' is required, so it cannot be set to null; use restrict or cascade`)
  }
  try {
    const field = makeField(definition)
    if (field.default === undefined) return field
    const reading = readDefault(field, field.default)
    if (reading.ok) return { ...field, default: reading.value }
    fault('default', `The default of '${name}' ${reading.problem}`, 'model/default-invalid')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    fault('pattern', `The pattern of '${name}' is invalid: ${reason}`, 'model/unsafe-pattern')
  }
  return undefined
}

/** True for a key that another field type has. */
const isOptionOfOtherTypes = (key: string): boolean =>
  key === 'mock' || Object.hasOwn(optionSchemas, key) || Object.hasOwn(ALIASES, key)

const optionsHint = (type: FieldTypeName): string =>
  `${/^[eiou](?!rl)/.test(type) ? 'an' : 'a'} ${type} field takes ${FIELD_TYPES[type].options.join(', ') || 'no such options'}`

function withoutAliases(written: FieldDefinition & { readonly ge?: number; readonly le?: number }): FieldDefinition {
  const { ge, le, ...definition } = written
  return { ...definition, ...(ge === undefined ? {} : { gte: ge }), ...(le === undefined ? {} : { lte: le }) }
}

/** The spelling of a limit that the definition uses. */
function writtenKey(raw: Readonly<Record<string, unknown>>, key: string): string {
  const alias = Object.entries(ALIASES).find(([short, long]) => long === key && Object.hasOwn(raw, short))
  return alias?.[0] ?? key
}

function standIn(name: unknown, type: unknown, target: unknown): Field | undefined {
  if (typeof name !== 'string') return undefined
  const known = FIELD_TYPE_NAMES.find((each) => each === type) ?? 'text'
  return makeField({ name, type: known, ...(typeof target === 'string' ? { model: target } : {}) })
}

/** Finds limits that no value can satisfy, or that do not fit the type, with the key at fault. */
export function boundsProblems(definition: FieldDefinition): { key: keyof FieldDefinition; problem: string }[] {
  const problems: { key: keyof FieldDefinition; problem: string }[] = []
  const { name, type, choices, min_length = 0, max_length = Infinity } = definition
  if (min_length > max_length) {
    problems.push({
      key: 'max_length',
      problem: `No value of '${name}' is possible: min_length ${min_length} is greater than max_length ${max_length}`,
    })
  }
  const range = emptyRange(definition)
  if (range !== undefined) problems.push({ key: range.key, problem: `No value of '${name}' is possible: ${range.reason}` })
  const numeric = type === 'number' || type === 'integer'
  const mismatch = choices?.map(choiceValue).find((choice) => (typeof choice === 'number') !== numeric)
  if (mismatch !== undefined) {
    const expected = numeric ? 'numbers' : 'text; put quotes around it'
    problems.push({ key: 'choices', problem: `The choices of '${name}' must be ${expected} (found ${JSON.stringify(mismatch)})` })
  }
  return problems
}

function emptyRange({
  type,
  gt,
  gte,
  lt,
  lte,
  decimal_places: places,
}: FieldDefinition): { key: keyof FieldDefinition; reason: string } | undefined {
  const low = Math.max(gt ?? -Infinity, gte ?? -Infinity)
  const high = Math.min(lt ?? Infinity, lte ?? Infinity)
  const key = lt === high ? 'lt' : 'lte'
  if (type === 'integer' || places === 0) {
    const first = gt === low ? Math.floor(low) + 1 : Math.ceil(low)
    const last = lt === high ? Math.ceil(high) - 1 : Math.floor(high)
    return first > last ? { key, reason: 'no integer lies within its limits' } : undefined
  }
  const open = gt === low || lt === high
  return low > high || (low === high && open) ? { key, reason: `no number lies within its limits ${low} and ${high}` } : undefined
}

/** Reads a default value as in a request. */
export function readDefault(field: Field, value: unknown): Reading {
  const reading = field.type.read(value)
  if (!reading.ok) return reading
  const [problem] = checkLimits(reading.value, field.limits)
  return problem === undefined ? reading : { ok: false, problem }
}

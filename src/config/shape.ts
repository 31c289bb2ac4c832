import Joi from 'joi'
import { didYouMean } from '../util/suggest.ts'
import { type FaultRule, Faults } from './fault.ts'
import type { Path, Source } from './source.ts'

/** A reference to the file's JSON Schema, for editors. Not part of the definition. */
export const SCHEMA_REFERENCE = { $schema: Joi.string().strip() }

interface ShapeOptions {
  /** The rule of a fault (default: `file/invalid`); `type` is Joi's name of the error. */
  readonly rule?: (type: string, path: Path) => FaultRule
  /** Converts strings to the expected type, for the environment and flags. Files must have the right types. */
  readonly convert?: boolean
  /** Path of the value within its source. */
  readonly at?: Path
  /** Hint for a key that is valid elsewhere, appended to `Unknown key '…'`; without one the nearest key is suggested. */
  readonly unknownKeyHint?: (key: string, path: Path) => string | undefined
}

/**
 * Validates everything that people write: settings, models, views, environment, flags.
 *
 * @returns the value with defaults, if there is no fault; and the paths of invalid parts
 */
export function validateShape<T>(
  schema: Joi.ObjectSchema<T>,
  value: unknown,
  source: Source,
  { rule = () => 'file/invalid', convert = false, at = [], unknownKeyHint: elsewhere = () => undefined }: ShapeOptions = {},
): { value: T | undefined; faults: Faults; broken: readonly Path[] } {
  const faults = new Faults()
  const result = schema.required().validate(value, {
    abortEarly: false,
    convert,
    errors: { wrap: { label: "'" }, label: 'path' },
    messages: { 'any.required': 'Key {{#label}} is missing', 'object.base': '{{#label}} must be a mapping of keys to values' },
  })
  for (const { type, path, message, context } of result.error?.details ?? []) {
    const where = [...at, ...path]
    const broken = rule(type, path)
    if (type === 'object.unknown') {
      const name = String(context?.child ?? path.at(-1))
      const remedy = elsewhere(name, path) ?? didYouMean(name, knownKeys(schema, path.slice(0, -1)))
      faults.add(source, where, `Unknown key '${name}'${remedy}`, { rule: broken, part: 'key' })
    } else if (path.length === 0) {
      faults.add(source, where, message.replace("'value'", 'The definition'), { rule: broken })
    } else {
      faults.add(source, type === 'any.required' ? where.slice(0, -1) : where, wordsOf(type, message, context), { rule: broken })
    }
  }
  return {
    value: result.error === undefined ? result.value : undefined,
    faults,
    broken: (result.error?.details ?? []).map(({ path }) => path),
  }
}

function wordsOf(type: string, message: string, { label, value, type: wanted, peers }: Joi.Context = { label: '' }): string {
  if (type === 'boolean.base') return message + booleanHint(value)
  // Joi has one code for both.
  if (type === 'object.base' && wanted === 'function') return `'${label}' must be a function`
  if (type === 'object.xor' || type === 'object.missing') return `'${label}' takes one of ${(peers as string[]).join(', ')}`
  return message
}

/** YAML 1.2 reads `yes` as text. */
function booleanHint(value: unknown): string {
  if (typeof value !== 'string' || !/^(yes|no|on|off|true|false)$/i.test(value)) return ''
  return `; write ${/^(yes|on|true)$/i.test(value)}, without quotes`
}

function knownKeys(schema: Joi.ObjectSchema, path: Path): string[] {
  let part: Joi.Description | undefined = schema.describe()
  for (const step of path) {
    part = typeof step === 'number' ? part?.items?.[0] : (part?.keys?.[step] ?? part?.matches?.[0]?.schema?.keys?.[step])
  }
  const [condition] = part?.matches ?? []
  return Object.keys(part?.keys ?? condition?.then?.keys ?? condition?.otherwise?.keys ?? {})
}

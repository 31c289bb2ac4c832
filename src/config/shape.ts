import Joi from 'joi'
import { didYouMean } from '../util/suggest.ts'
import { type FaultRule, Faults } from './fault.ts'
import type { Path, Source } from './source.ts'

/** What a file may say to editors: where the schema is that it is held to. It is no part of the definition. */
export const FOR_EDITORS = { $schema: Joi.string().strip() }

interface ShapeOptions {
  /** The rule that is broken by what does not fit (default: `file/invalid`); `type` is Joi's name for the fault. */
  readonly rule?: (type: string, path: Path) => FaultRule
  /** Reads text as the type that is meant (for the environment and flags; files must say what they mean). */
  readonly convert?: boolean
  /** Where the value stands in its source. */
  readonly at?: Path
  /** What to say behind `Unknown key '…'` of a key that is known elsewhere; without an answer the nearest key is named. */
  readonly elsewhere?: (key: string, path: Path) => string | undefined
}

/**
 * The one validator behind everything a person writes: settings, models, views, environment, flags.
 *
 * @returns the value, with defaults filled in, when there is no fault; and the paths of what is broken
 */
export function validateShape<T>(
  schema: Joi.ObjectSchema<T>,
  value: unknown,
  source: Source,
  { rule = () => 'file/invalid', convert = false, at = [], elsewhere = () => undefined }: ShapeOptions = {},
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
      faults.add(source, type === 'any.required' ? where.slice(0, -1) : where, message, { rule: broken })
    }
  }
  return {
    value: result.error === undefined ? result.value : undefined,
    faults,
    broken: (result.error?.details ?? []).map(({ path }) => path),
  }
}

function knownKeys(schema: Joi.ObjectSchema, path: Path): string[] {
  let part: Joi.Description | undefined = schema.describe()
  for (const step of path) {
    part = typeof step === 'number' ? part?.items?.[0] : (part?.keys?.[step] ?? part?.matches?.[0]?.schema?.keys?.[step])
  }
  return Object.keys(part?.keys ?? {})
}

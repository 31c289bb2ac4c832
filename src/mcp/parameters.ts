import { isObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { ToolError } from './tool-error.ts'

/** A JSON Schema, as tools are described to clients. */
export type ToolSchema = Readonly<Record<string, unknown>>

/** A parameter of a tool: how it is described, and how its value is read. */
export interface ToolParameter<T> {
  readonly schema: ToolSchema
  readonly required: boolean
  /** What a value has to be, for messages: `a whole number of at least 1`. */
  readonly what: string
  /** True for a value of the type. */
  readonly is: (value: unknown) => value is T
}

export type ToolParameters = Readonly<Record<string, ToolParameter<unknown>>>

/** The arguments of a call by the parameters of its tool; optional ones may be absent. */
export type Arguments<P extends ToolParameters> = { readonly [K in keyof P]: P[K] extends ToolParameter<infer T> ? T : never }

const parameter = <T>(schema: ToolSchema, what: string, is: (value: unknown) => value is T): ToolParameter<T> => ({
  ...{ schema, what, is },
  required: true,
})

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isWhole =
  (minimum: number, maximum: number) =>
  (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum

/** The parameter, which a call may leave out. */
export const optional = <T>(given: ToolParameter<T>): ToolParameter<T | undefined> => ({
  ...given,
  required: false,
  is: (value): value is T | undefined => value === undefined || given.is(value),
})

export const textArgument = (description: string): ToolParameter<string> =>
  parameter({ type: 'string', minLength: 1, description }, 'a text', (value): value is string => isText(value) && value !== '')

export const textsArgument = (description: string): ToolParameter<readonly string[]> =>
  parameter({ type: 'array', items: { type: 'string' }, description }, 'a list of texts', isTextList)

export const flagArgument = (description: string): ToolParameter<boolean> =>
  parameter({ type: 'boolean', description }, 'true or false', (value): value is boolean => typeof value === 'boolean')

export const wholeArgument = (description: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): ToolParameter<number> => {
  const upTo = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? { minimum } : { minimum, maximum }
  return parameter({ type: 'integer', ...bounds, description }, `a whole number ${upTo}`, isWhole(minimum, maximum))
}

export const wholesArgument = (description: string, maxItems: number): ToolParameter<readonly number[]> =>
  parameter(
    { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1, maxItems, description },
    `a list of 1 to ${maxItems} ids`,
    (value): value is readonly number[] =>
      Array.isArray(value) && value.length > 0 && value.length <= maxItems && value.every(isWhole(0, Number.MAX_SAFE_INTEGER)),
  )

export const choiceArgument = <const T extends string>(description: string, values: readonly T[]): ToolParameter<T> =>
  parameter({ type: 'string', enum: values, description }, `one of ${values.join(', ')}`, (value): value is T =>
    values.some((each) => each === value),
  )

/** Values by name, which the API checks. */
export const valuesArgument = (description: string): ToolParameter<Readonly<Record<string, unknown>>> =>
  parameter({ type: 'object', additionalProperties: true, description }, 'an object', isObject)

/** The JSON Schema of the arguments of a tool. Other arguments are refused. */
export const schemaOf = (parameters: ToolParameters): ToolSchema => {
  const required = Object.entries(parameters).flatMap(([name, each]) => (each.required ? [name] : []))
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/**
 * Reads the arguments of a call. A null counts as absent, as some clients send it.
 *
 * @throws {ToolError} naming each fault and its remedy
 */
export function readArguments<P extends ToolParameters>(parameters: P, given: unknown): Arguments<P> {
  const sent = given ?? {}
  if (!isObject(sent)) throw new ToolError('The arguments must be an object')
  const known = Object.keys(parameters)
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(parameters, name))
  const faults = unknown.slice(0, 10).map((name) => {
    const meant = didYouMean(name, known) || (known.length === 0 ? '; the tool takes none' : ` (known: ${known.join(', ')})`)
    return `Unknown argument '${name}'${meant}`
  })
  const read: Record<string, unknown> = {}
  for (const [name, { required, what, is }] of Object.entries(parameters)) {
    const value = sent[name] ?? undefined
    if (value === undefined && required) faults.push(`The argument '${name}' is missing; it is ${what}`)
    else if (!is(value)) faults.push(`The argument '${name}' must be ${what}`)
    read[name] = value
  }
  if (faults.length > 0) throw new ToolError(faults.join('\n'))
  return read as Arguments<P>
}

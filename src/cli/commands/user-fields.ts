import type { Client } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { isObject } from '../../util/json.ts'
import { parseStrictJson } from '../../util/strict-json.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import type { Io } from '../io.ts'
import { ask } from '../prompts.ts'

/** The fields that `users add` has arguments for, and the argument of each. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  username: 'the argument <name>',
  email: '--email',
  password: 'the prompt, or --password-stdin',
}

/** A member of the schema of a new user. */
interface Member {
  readonly title?: string
  readonly type?: string | readonly string[]
  readonly format?: string
}

interface NewUserSchema {
  readonly properties: Readonly<Record<string, Member>>
  readonly required: readonly string[]
}

export interface FieldRequest {
  /** Texts `<field>=<value>`. */
  readonly set: readonly string[]
  /** True if required fields without a value may be asked for. */
  readonly canAsk: boolean
}

/**
 * The values of further fields of a new user. Required ones that are not set are asked for at the terminal.
 *
 * @throws {AppError} USAGE for an unknown field, a value of another type, or required fields without a value and a terminal
 */
export async function furtherFields(io: Io, client: Client, { set, canAsk }: FieldRequest): Promise<Record<string, unknown>> {
  const document = (await client.request('/openapi.json')) as { components: { schemas: Readonly<Record<string, unknown>> } }
  const { properties, required } = newUserIn(document.components.schemas)
  const known = Object.keys(properties).filter((name) => !Object.hasOwn(ARGUMENTS, name))
  const values: Record<string, unknown> = {}
  for (const text of set) {
    const [name, value] = parted(text)
    if (Object.hasOwn(ARGUMENTS, name))
      throw new AppError('USAGE', `'${name}' of a user is given by ${ARGUMENTS[name]}, not by --set`)
    if (!known.includes(name)) throw new AppError('USAGE', `A user has no field '${name}'${meantOrKnown(name, known)}`)
    if (Object.hasOwn(values, name)) throw new AppError('USAGE', `--set names '${name}' twice`)
    values[name] = await readValue(name, value, properties[name])
  }
  const missing = required.filter((name) => known.includes(name) && !Object.hasOwn(values, name))
  if (missing.length > 0 && !canAsk) {
    const remedy = missing.map((name) => `--set ${name}=…`).join(' ')
    throw new AppError('USAGE', `A user of this project needs ${missing.map((name) => `'${name}'`).join(', ')}; use ${remedy}`)
  }
  for (const name of missing) {
    const { title, format } = properties[name] ?? {}
    const answer = await ask(io, `${title ?? name}: `, { isHidden: format === 'password' })
    values[name] = await readValue(name, answer, properties[name])
  }
  return values
}

/** The schema of `POST /models/user`, whose model may be written in upper and lower case. */
function newUserIn(schemas: Readonly<Record<string, unknown>>): NewUserSchema {
  const [, schema] = Object.entries(schemas).find(([name]) => name.toLowerCase() === 'user.create') ?? []
  const { properties, required }: Partial<NewUserSchema> = isObject(schema) ? schema : {}
  return { properties: properties ?? {}, required: required ?? [] }
}

function parted(text: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new AppError('USAGE', `--set takes <field>=<value>, not '${text}'`)
  return [name, value]
}

/** Texts as they are, such as dates and choices; values of other types as JSON. */
async function readValue(name: string, text: string, { type }: Member = {}): Promise<unknown> {
  const types = [type ?? []].flat()
  if (types.includes('string')) return text
  const kinds = types.filter((each) => each !== 'null').map((each) => KINDS[each] ?? each)
  const expected = kinds.length === 0 ? 'JSON' : kinds.join(' or ')
  try {
    const [fault] = (await parseStrictJson(text, 0)).faults
    if (fault === undefined) return JSON.parse(text)
    throw new AppError('USAGE', `'${[name, ...fault.path].join('.')}' ${fault.problem}`)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new AppError('USAGE', `'${name}' of a user takes ${expected}, not '${text}'`)
  }
}

/** Types of JSON Schema in words. */
const KINDS: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list as JSON',
  object: 'an object as JSON',
}

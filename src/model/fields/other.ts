import { type Json, MAX_JSON_DEPTH } from '../../util/json.ts'
import { LongNumeral } from '../../util/numeral.ts'
import { isPlainText, NOT_PLAIN } from '../../util/text.ts'
import { accept, EQUALITY, type FieldType, reject, SINGLE_VALUE } from '../field-type.ts'
import { textLike } from './text.ts'

/** `true` or `false`. */
export const boolean: FieldType = {
  ...SINGLE_VALUE,
  name: 'boolean',
  options: ['default'],
  operators: EQUALITY,
  read: (value) => (typeof value === 'boolean' ? accept(value) : reject('must be a boolean')),
  parse: (text) => (text === 'true' || text === 'false' ? accept(text === 'true') : reject('must be true or false')),
}

/** One of a list of texts. */
export const choice = { ...textLike('choice'), options: ['choices', 'default', 'unique'] } as const

/** A subset of the choices, in the given order. */
export const multichoice: FieldType = {
  name: 'multichoice',
  options: ['choices', 'default'],
  operators: EQUALITY,
  sortable: false,
  searchable: true,
  secret: false,
  list: true,
  structured: false,
  read(value) {
    if (!Array.isArray(value)) return reject('must be an array')
    const items: unknown[] = value
    if (!items.every((item) => typeof item === 'string')) return reject('must be an array of strings')
    return items.every(isPlainText) ? accept([...new Set(items)]) : reject(NOT_PLAIN)
  },
  parse: (text) => accept(text),
}

/** Any JSON value to a depth of 32, stored as sent. */
export const jsonType: FieldType = {
  ...SINGLE_VALUE,
  name: 'json',
  options: ['default'],
  operators: ['isnull'],
  sortable: false,
  structured: true,
  read(value) {
    const problem = problemIn(value, MAX_JSON_DEPTH)
    if (problem !== undefined) return reject(problem)
    return accept(hasLongNumeral(value) ? JSON.parse(JSON.stringify(value)) : (value as Json))
  },
  parse: () => reject('can only be filtered with __isnull'),
}

/** Why a value cannot be stored, if so. JSON has only finite numbers, and `__proto__` is dangerous when objects are merged. */
function problemIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'contains a number that JSON cannot represent'
  if (typeof value === 'string') return isPlainText(value) ? undefined : NOT_PLAIN
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === 0) return `must not be nested more than ${MAX_JSON_DEPTH} levels deep`
  if (Object.hasOwn(value, '__proto__')) return "must not contain the key '__proto__'"
  if (!Array.isArray(value) && !Object.keys(value).every(isPlainText)) return NOT_PLAIN
  for (const member of Object.values(value)) {
    const problem = problemIn(member, depth - 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

const hasLongNumeral = (value: unknown): boolean =>
  value instanceof LongNumeral || (typeof value === 'object' && value !== null && Object.values(value).some(hasLongNumeral))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A universally unique identifier (RFC 9562), stored in lower case. */
export const uuid: FieldType = {
  ...SINGLE_VALUE,
  name: 'uuid',
  options: ['unique', 'default'],
  operators: EQUALITY,
  read: (value) => (typeof value === 'string' && UUID.test(value) ? accept(value.toLowerCase()) : reject('must be a UUID')),
  parse: (text) => uuid.read(text),
}

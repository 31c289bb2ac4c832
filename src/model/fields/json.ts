import { type Json, MAX_JSON_DEPTH } from '../../util/json.ts'
import { LongNumeral } from '../../util/numbers/numeral.ts'
import { isPlainText, NOT_PLAIN } from '../../util/plain-text.ts'
import { accept, type FieldType, reject } from '../field-type.ts'

/** Any JSON value to a depth of 32, stored as sent. */
export const json: FieldType = {
  name: 'json',
  options: ['default'],
  operators: ['isnull'],
  sortable: false,
  searchable: false,
  secret: false,
  list: false,
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

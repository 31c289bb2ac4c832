import type { Json } from '../../util/json.ts'
import { accept, type FieldType, refuse } from '../field-type.ts'

const MAX_DEPTH = 32

/** Any JSON value, kept as it was sent, down to a depth of 32. */
export const json: FieldType = {
  name: 'json',
  options: ['default'],
  operators: ['isnull'],
  sortable: false,
  searchable: false,
  secret: false,
  list: false,
  read(value) {
    const problem = problemIn(value, MAX_DEPTH)
    return problem === undefined ? accept(value as Json) : refuse(problem)
  },
  parse: () => refuse('can only be filtered with __isnull'),
}

/** Why a value cannot be kept, if it cannot: JSON has no other numbers, and an object with `__proto__` is a trap for whoever merges it. */
function problemIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number that JSON cannot say'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === 0) return `must not be nested more than ${MAX_DEPTH} levels deep`
  if (Object.hasOwn(value, '__proto__')) return "must not hold the key '__proto__'"
  for (const member of Object.values(value)) {
    const problem = problemIn(member, depth - 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

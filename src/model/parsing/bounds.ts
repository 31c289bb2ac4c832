import { checkLimits } from '../constraints/limits.ts'
import type { FieldDefinition } from '../definition.ts'
import { choiceValue, type Field } from '../field.ts'
import type { Reading } from '../field-type.ts'

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

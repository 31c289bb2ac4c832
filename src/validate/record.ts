import type { Field } from '../model/field.ts'
import { checkLimits } from '../model/limits.ts'
import type { Model } from '../model/model.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { FieldIssues } from './issues.ts'

export interface RecordReading {
  /** Every writable field in its stored form; on update the unchanged ones too. Secrets are still as they were sent. */
  readonly values: Record<string, Json>
  readonly issues: FieldIssues
}

/**
 * Holds a record against its model.
 *
 * @param data what the request sets
 * @param existing the stored record, on update: what `data` leaves out is taken from it. A stored secret counts as
 *   present; what is stored of it is not the text that its constraints speak of, so it is not held against them.
 */
export function readRecord(model: Model, data: Readonly<Record<string, unknown>>, existing?: JsonObject): RecordReading {
  const values: Record<string, Json> = {}
  const issues = new FieldIssues()
  for (const field of model.fields.values()) {
    if (field.system) continue
    const { name } = field
    const given = Object.hasOwn(data, name)
    if (!given && field.type.secret && existing?.[name] != null) {
      values[name] = existing[name] ?? null
      continue
    }
    const raw = given ? data[name] : existing === undefined ? field.default : existing[name]
    const reading = readValue(field, raw)
    values[name] = reading.value
    issues.add(name, ...reading.problems.map((problem) => `${name} ${problem}`))
  }
  return { values, issues }
}

function readValue(field: Field, raw: unknown): { value: Json; problems: string[] } {
  if (raw === undefined || raw === null) {
    return { value: field.type.list ? [] : null, problems: field.required ? ['is mandatory'] : [] }
  }
  const reading = field.type.read(raw)
  if (!reading.ok) return { value: null, problems: [reading.problem] }
  const problems = checkLimits(reading.value, field.limits)
  if (field.required && problems.length === 0 && isEmpty(reading.value))
    return { value: reading.value, problems: ['is mandatory'] }
  return { value: reading.value, problems }
}

/** An empty text or list says nothing, which is not enough where something is required. */
export function isEmpty(value: Json): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

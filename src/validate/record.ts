import { type Field, isNeeded } from '../model/field.ts'
import { checkLimits } from '../model/limits.ts'
import type { Model } from '../model/model.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { FieldIssues } from './issues.ts'

export interface RecordReading {
  /** Every writable field in stored form, including unchanged ones on update. Secrets are still in plain text. */
  readonly values: Record<string, Json>
  readonly issues: FieldIssues
}

/**
 * Validates the values of a request against the model.
 *
 * @param data the values to set
 * @param existing the stored record, on update. Its other values are not validated again, so that a model that has become
 *   stricter does not prevent unrelated changes.
 */
export function readRecord(model: Model, data: Readonly<Record<string, unknown>>, existing?: JsonObject): RecordReading {
  const values: Record<string, Json> = {}
  const issues = new FieldIssues()
  for (const field of model.fields.values()) {
    if (field.system) continue
    const { name } = field
    if (existing !== undefined && !Object.hasOwn(data, name)) {
      values[name] = existing[name] ?? (field.type.list ? [] : null)
      continue
    }
    const reading = readValue(field, Object.hasOwn(data, name) ? data[name] : field.default)
    values[name] = reading.value
    if (reading.problems.length > 0) issues.add(name, ...reading.problems.map((problem) => aboutField(name, problem)))
  }
  return { values, issues }
}

/** A message about a field: its name, and a problem that follows it. */
export const aboutField = (name: string, problem: string): string =>
  problem.startsWith(':') ? `${name}${problem}` : `${name} ${problem}`

/** Reads one value of a request; an absent one is empty. Problems follow the name of the field. */
export function readValue(field: Field, raw: unknown): { value: Json; problems: readonly string[] } {
  if (raw === undefined || raw === null) {
    const isMissing = field.required || (field.explicit && raw === undefined)
    return { value: field.type.list ? [] : null, problems: isMissing ? ['is mandatory'] : [] }
  }
  const reading = field.type.read(raw)
  if (!reading.ok) return { value: null, problems: [reading.problem] }
  const problems = checkLimits(reading.value, field.limits)
  if (isNeeded(field) && problems.length === 0 && isEmpty(reading.value))
    return { value: reading.value, problems: ['is mandatory'] }
  return { value: reading.value, problems }
}

/** Empty texts and lists do not satisfy `required`. */
export function isEmpty(value: Json): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

import type { Field } from '../../model/field.ts'
import { checkLimits } from '../../model/limits.ts'
import type { Model } from '../../model/model.ts'
import type { StoredRecord } from '../store.ts'

/**
 * The changed fields of a record that violate NOT NULL or CHECK. Secrets are stored hashed, so only their presence is checked.
 */
export function brokenFields(
  model: Model,
  record: StoredRecord,
  before: StoredRecord | undefined,
): { kind: 'not_null' | 'check'; field: string }[] {
  const broken: { kind: 'not_null' | 'check'; field: string }[] = []
  for (const { name, required, type, limits } of model.fields.values()) {
    const value = record[name] ?? null
    if (before !== undefined && value === (before[name] ?? null)) continue
    if (value === null) {
      if (required) broken.push({ kind: 'not_null', field: name })
    } else if (!type.secret && (!type.read(value).ok || checkLimits(value, limits).length > 0)) {
      broken.push({ kind: 'check', field: name })
    }
  }
  return broken
}

/** The problems of a stored value that is not null. Messages follow the field's name. */
export function valueProblems({ type, limits }: Field, value: unknown): readonly string[] {
  if (type.secret) return typeof value === 'string' ? NO_PROBLEMS : ['must be a string']
  const reading = type.read(value)
  if (!reading.ok) return [reading.problem]
  if (reading.value !== value) {
    const stored = JSON.stringify(reading.value)
    if (stored !== JSON.stringify(value)) return [`must be written as ${stored}`]
  }
  return checkLimits(value, limits)
}

const NO_PROBLEMS: readonly string[] = []

import { noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Outcome, Violation } from '../store/store.ts'
import { useFormMessages } from '../validate/form.ts'
import { FieldIssues } from '../validate/issues.ts'
import type { DraftedWrite } from './drafts.ts'

const MESSAGES = {
  not_null: (field: string) => `${field} is mandatory`,
  unique: (field: string) => `${field} must be unique`,
  foreign_key: (field: string) => `${field} references a non-existent record`,
  check: (field: string) => `${field} value violates constraint`,
} as const

type ConstraintViolation = Extract<Violation, { field: string; kind: keyof typeof MESSAGES }>

/** Prefix of field names in messages: empty for one record, `<index>.` for many. */
export type Prefix = (index: number) => string
export const withoutPrefix: Prefix = () => ''
export const byIndex: Prefix = (index) => `${index}.`

/** The errors of one item of a batch. */
export interface IndexedIssues {
  readonly index: number
  readonly issues: FieldIssues
}

/** Translates constraint violations into field messages, by operation. */
export function constraintIssues(violations: readonly Violation[]): IndexedIssues[] {
  const byIndex = new Map<number, FieldIssues>()
  for (const violation of violations) {
    if (!isConstraint(violation)) continue
    const issues = byIndex.get(violation.index) ?? new FieldIssues()
    const { kind, field, together } = violation
    issues.add(
      field,
      together === undefined ? MESSAGES[kind](field) : `${field} must be unique together with ${together.join(', ')}`,
    )
    byIndex.set(violation.index, issues)
  }
  return [...byIndex].map(([index, issues]) => ({ index, issues }))
}

const isConstraint = (violation: Violation): violation is ConstraintViolation => violation.kind in MESSAGES

/** Number of names in an answer beyond which the others are counted: with 90,000 it would have 8 MB. */
const MAX_ANSWERED = 10_000

/** @throws {AppError} VALIDATION_FAILED with the messages of all items, up to a limit */
export function throwIssues(found: readonly IndexedIssues[], prefix: Prefix): void {
  if (found.length === 0) return
  const all = new FieldIssues()
  let more = 0
  for (const { index, issues } of found) {
    if (all.size < MAX_ANSWERED) all.addAll(issues, prefix(index))
    else more += issues.size
  }
  if (more > 0) all.add('more', `${more} more errors are not shown`)
  all.throwIfAny()
}

/** Messages for violated constraints. A message that the form gives to a field replaces the general one. */
export function brokenConstraints(outcome: Outcome, writes: readonly DraftedWrite[]): readonly IndexedIssues[] {
  const found = outcome.ok ? [] : constraintIssues(outcome.violations)
  for (const { index, issues } of found) {
    const form = writes[index]?.form
    if (form !== undefined) useFormMessages(form, issues)
  }
  return found
}

/** The error for deleting records that others refer to; undefined if there is no such violation. */
export function referencedError(violations: readonly Violation[], model: Model, registry: Registry): AppError | undefined {
  const restricts = violations.filter((violation) => violation.kind === 'restrict')
  if (restricts.length === 0) return undefined
  const sentences = restricts.map(({ id, table, field, count }) => {
    const referrer = registry.expect(table)
    if (count === 0) return `${model.name} with ID ${id} is referenced by records that the user may not view`
    return `${model.name} with ID ${id} is referenced by ${count} ${referrer.key} ${count === 1 ? 'record' : 'records'} (${field})`
  })
  return new AppError('RECORD_REFERENCED', sentences.join('; '))
}

/** `<index>.id` → `Record with ID 9 does not exist`, for every id of a bulk operation that does not exist. */
export function missingIssues(ids: readonly { readonly index: number; readonly id: number }[]): FieldIssues {
  const issues = new FieldIssues()
  for (const { index, id } of ids) issues.add(`${index}.id`, noSuchRecord({ name: 'Record' }, id))
  return issues
}

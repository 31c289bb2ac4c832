import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { noSuchUpload } from '../model/files.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Change, Outcome, Store, StoredRecord, Violation } from '../store/store.ts'
import { groupBy } from '../util/json.ts'
import { useFormMessages } from '../validate/form.ts'
import { FieldIssues } from '../validate/issues.ts'
import { aboutField } from '../validate/record.ts'
import type { DraftedWrite } from './drafts.ts'

/** Effect of a deletion on other records: deletes them, or removes their references. */
export interface Consequence {
  readonly model: string
  readonly action: 'cascade' | 'set_null'
  readonly count: number
}

/** References that prevent a deletion. */
export interface Block {
  /** Null, as `field`, for all models together that the user may not view. */
  readonly model: string | null
  readonly field: string | null
  /** The number of those that the user may view. */
  readonly count: number
}

/** Consequences of a deletion, as far as the user may view them. */
export interface VisibleRemovals {
  readonly records: readonly StoredRecord[]
  /** The changes of other records; none if the deletion is blocked. */
  readonly consequences: readonly Consequence[]
  /** The references that prevent the deletion. */
  readonly blockedBy: readonly Block[]
}

/**
 * The part of an outcome that an actor may know: without changes of hidden records, and with counts of visible referrers. The records of a model
 * that the actor has no permission to view are hidden, too.
 */
export async function visibleOutcome(access: AccessRules, store: Store, actor: Actor, outcome: Outcome): Promise<Outcome> {
  const visible = (table: string) => {
    const model = access.registry.expect(table)
    return model.internal ? undefined : access.only(actor, 'view', model)
  }
  if (!outcome.ok) {
    const violations = outcome.violations.map(async (violation): Promise<Violation> => {
      const only = violation.kind === 'restrict' ? visible(violation.table) : undefined
      if (violation.kind !== 'restrict' || only === undefined) return violation
      const { table, field, id, count } = violation
      const filters = [{ field, operator: 'eq', value: id } as const, only]
      const [found] = await store.findEach(table, [{ filters, sort: [], offset: 0, limit: 0 }])
      return { ...violation, count: Math.min(count, found?.total ?? 0) }
    })
    return { ok: false, violations: await Promise.all(violations) }
  }
  const shown: Change[] = []
  for (const [table, changes] of groupBy(outcome.changes, ({ table }) => table)) {
    const only = visible(table)
    const ids = changes.map(({ id }) => id)
    const known = only === undefined ? undefined : await store.matching(table, [only], ids)
    // A cascade may reach more records than the arguments that fit on the stack of a call.
    for (const change of changes) if (known?.has(change.id) !== false) shown.push(change)
  }
  return { ...outcome, changes: shown }
}

/** The changes of a deletion to other records than those deleted by name, by model and action. Sessions and the like are left out. */
export function consequencesOf(
  outcome: Outcome,
  { model, registry, deleted }: { readonly model: Model; readonly registry: Registry; readonly deleted: readonly StoredRecord[] },
): Consequence[] {
  if (!outcome.ok) return []
  const named = new Set(deleted.map(({ id }) => id))
  const counts = new Map<string, Consequence>()
  for (const { table, id, after } of outcome.changes) {
    if ((table === model.key && named.has(id)) || registry.expect(table).internal) continue
    const action = after === undefined ? 'cascade' : 'set_null'
    const key = `${table} ${action}`
    counts.set(key, { model: table, action, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  return [...counts.values()]
}

/**
 * The references that prevent a deletion, by model and field. Models that the actor may not view are not named.
 *
 * @param outcome as the actor may know it
 */
export function blocksOf(outcome: Outcome, access: AccessRules, actor: Actor): Block[] {
  const counts = new Map<string, Block>()
  for (const violation of outcome.ok ? [] : outcome.violations) {
    if (violation.kind !== 'restrict') continue
    const { table, field } = violation
    const isNamed = access.may(actor, 'view', access.registry.expect(table))
    const key = isNamed ? `${table} ${field}` : ''
    const named = isNamed ? { model: table, field } : { model: null, field: null }
    counts.set(key, { ...named, count: (counts.get(key)?.count ?? 0) + violation.count })
  }
  return [...counts.values()]
}

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
function constraintIssues(violations: readonly Violation[], uploadHours: number): IndexedIssues[] {
  const byIndex = new Map<number, FieldIssues>()
  const add = (index: number, field: string, message: string) => {
    const issues = byIndex.get(index) ?? new FieldIssues()
    issues.add(field, message)
    byIndex.set(index, issues)
  }
  for (const violation of violations) {
    const { index } = violation
    if (isConstraint(violation)) add(index, violation.field, messageOf(violation))
    else if (violation.kind === 'file') {
      add(index, violation.field, aboutField(violation.field, noSuchUpload(violation.file, uploadHours)))
    } else if ('by' in violation) {
      const what = violation.kind === 'missing' ? 'deletes' : 'changes'
      add(
        index,
        'id',
        `An earlier deletion of this request ${what} the record with ID ${violation.id}; put this operation before it`,
      )
    }
  }
  return [...byIndex].map(([index, issues]) => ({ index, issues }))
}

const messageOf = ({ kind, field, together }: ConstraintViolation): string =>
  together === undefined ? MESSAGES[kind](field) : `${field} must be unique together with ${together.join(', ')}`

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

/**
 * Messages for violated constraints. A message that the form gives to a field replaces the general one.
 *
 * @param uploadHours for which an upload is kept
 */
export function brokenConstraints(
  outcome: Outcome,
  writes: readonly DraftedWrite[],
  uploadHours: number,
): readonly IndexedIssues[] {
  const found = outcome.ok ? [] : constraintIssues(outcome.violations, uploadHours)
  for (const { index, issues } of found) {
    const form = writes[index]?.form
    if (form !== undefined) useFormMessages(form, issues)
  }
  return found
}

/**
 * The error for deleting records that others refer to; undefined if there is no such violation.
 *
 * @param modelOf returns the model of an operation
 */
export function referencedError(
  violations: readonly Violation[],
  modelOf: (index: number) => Model,
  registry: Registry,
): AppError | undefined {
  const restricts = violations.filter((violation) => violation.kind === 'restrict')
  if (restricts.length === 0) return undefined
  const sentences = restricts.map(({ index, id, table, field, count }) => {
    const referrer = registry.expect(table)
    const model = modelOf(index)
    if (count === 0) return `${model.name} with ID ${id} is referenced by records that the user may not view`
    return `${model.name} with ID ${id} is referenced by ${count} ${referrer.key} ${count === 1 ? 'record' : 'records'} (${field})`
  })
  return new AppError('RECORD_REFERENCED', [...new Set(sentences)].join('; '))
}

/** `<index>.id` → `Record with ID 9 does not exist`, for every id of a bulk operation that does not exist. */
export function missingIssues(ids: readonly { readonly index: number; readonly id: number }[]): FieldIssues {
  const issues = new FieldIssues()
  for (const { index, id } of ids) issues.add(`${index}.id`, noSuchRecord({ name: 'Record' }, id))
  return issues
}

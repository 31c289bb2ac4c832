import { isObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'

/** Maximum number of items in a bulk operation. */
export const MAX_BULK_RECORDS = 1000

/** Maximum length of a form id, so that an error message does not repeat a longer one. */
const MAX_FORM_ID = 200

/** Values by field name, not validated yet. */
export type RecordData = Readonly<Record<string, unknown>>

/** A record to create, with a given id if there is one. */
export interface NewRecord {
  readonly model: string
  readonly data: RecordData
  readonly id?: number
}

/** The body of a create or an update. */
export interface WriteRequest {
  readonly data: RecordData
  readonly formId: string | undefined
}

/** One item of a bulk update. */
export interface BulkUpdateItem {
  readonly id: number
  readonly data: RecordData
}

/**
 * Reads the body of a create or an update: `{data, form_id?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readWriteRequest(body: unknown): WriteRequest {
  const { members, formId, issues } = readEnvelope(body, ['data', 'form_id'])
  const data = members.data
  if (data === undefined || data === null) issues.add('data', 'data is mandatory')
  else if (!isObject(data)) issues.add('data', 'data must be an object')
  issues.throwIfAny()
  return { data: data as RecordData, formId }
}

/**
 * Reads `{records, form_id?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readBulkCreate(body: unknown): { records: RecordData[]; formId: string | undefined } {
  const { members, formId, issues } = readEnvelope(body, ['records', 'form_id'])
  const records = readItems(members, 'records', issues)
  records.forEach((record, index) => {
    if (!isObject(record)) issues.add(String(index), `records[${index}] must be an object`)
  })
  issues.throwIfAny()
  return { records: records as RecordData[], formId }
}

/**
 * Reads `{updates: [{id, data}], form_id?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readBulkUpdate(body: unknown): { updates: BulkUpdateItem[]; formId: string | undefined } {
  const { members, formId, issues } = readEnvelope(body, ['updates', 'form_id'])
  const seen = new Set<unknown>()
  const updates = readItems(members, 'updates', issues)
  updates.forEach((update, index) => {
    if (!isObject(update)) {
      issues.add(String(index), `updates[${index}] must be an object`)
      return
    }
    for (const name of Object.keys(update)) {
      if (issues.size >= MAX_NAMED) break
      if (name !== 'id' && name !== 'data') issues.add(`${index}.${name}`, unknownMember(name, ['id', 'data']))
    }
    checkId(update.id, index, seen, issues)
    if (update.data === undefined || update.data === null) issues.add(`${index}.data`, 'data is mandatory')
    else if (!isObject(update.data)) issues.add(`${index}.data`, 'data must be an object')
  })
  issues.throwIfAny()
  return { updates: updates as unknown as BulkUpdateItem[], formId }
}

/**
 * Reads `{ids: [integer…]}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readBulkDelete(body: unknown): number[] {
  const { members, issues } = readEnvelope(body, ['ids'])
  const seen = new Set<unknown>()
  const ids = readItems(members, 'ids', issues)
  for (const [index, id] of ids.entries()) checkId(id, index, seen, issues)
  issues.throwIfAny()
  return ids as number[]
}

/** The members of a body, its form, and the faults found so far. */
export interface Envelope {
  readonly members: Readonly<Record<string, unknown>>
  readonly formId: string | undefined
  readonly issues: FieldIssues
}

/** The members of a body, with faults for unknown ones. */
export function readEnvelope(body: unknown, known: readonly string[]): Envelope {
  const members = isObject(body) ? body : {}
  const issues = new FieldIssues()
  for (const name of Object.keys(members)) {
    if (issues.size >= MAX_NAMED) break
    // A body without its payload is wrong as a whole, so its other members are not reported.
    if (!known.includes(name) && members[known[0] ?? ''] !== undefined) issues.add(name, unknownMember(name, known))
  }
  const formId = members.form_id ?? undefined
  if (formId === undefined) return { members, formId, issues }
  if (typeof formId !== 'string') issues.add('form_id', 'form_id must be a string')
  else if (formId.length > MAX_FORM_ID) issues.add('form_id', `form_id must be at most ${MAX_FORM_ID} characters long`)
  else return { members, formId, issues }
  return { members, formId: undefined, issues }
}

function readItems(members: Readonly<Record<string, unknown>>, name: string, issues: FieldIssues): unknown[] {
  const items = members[name]
  if (items === undefined || items === null) issues.add(name, `${name} is mandatory`)
  else if (!Array.isArray(items)) issues.add(name, `${name} must be an array`)
  else if (items.length > MAX_BULK_RECORDS)
    issues.add(name, `${name} must hold at most ${MAX_BULK_RECORDS} items, not ${items.length}`)
  else return items
  return []
}

function checkId(id: unknown, index: number, seen: Set<unknown>, issues: FieldIssues): void {
  if (id === undefined || id === null) issues.add(`${index}.id`, 'id is mandatory')
  else if (!Number.isSafeInteger(id)) issues.add(`${index}.id`, 'id must be an integer')
  else if (seen.has(id)) issues.add(`${index}.id`, `Record with ID ${String(id)} is named twice`)
  seen.add(id)
}

const unknownMember = (name: string, known: readonly string[]): string =>
  `'${name}' is not part of this request${didYouMean(name, known)} (known: ${known.join(', ')})`

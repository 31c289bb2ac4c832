import { AppError } from '../errors.ts'
import { MAX_FILTERS } from '../query/filters.ts'
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
  /** Entity tags, as in `If-Match`. */
  readonly if_match?: string | null
}

/**
 * Reads the body of a create or an update: `{data, form_id?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readWriteRequest(body: unknown): WriteRequest {
  const { members, formId, issues } = readEnvelope(body, ['data', 'form_id'])
  checkData(members.data, 'data', issues)
  issues.throwIfAny()
  return { data: members.data as RecordData, formId }
}

/**
 * Reads a request to compute fields again: `{model, after?, dry_run?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readRecomputation(body: unknown): { modelKey: string; after: number; dryRun: boolean } {
  const { members, issues } = readEnvelope(body, ['model', 'after', 'dry_run'])
  const { model, after = 0, dry_run: dryRun = false } = members
  if (typeof model !== 'string') issues.add('model', 'model must be the name of a model in lower case')
  if (!Number.isSafeInteger(after) || Number(after) < 0) issues.add('after', 'after must be the id of a record, or 0')
  if (typeof dryRun !== 'boolean') issues.add('dry_run', 'dry_run must be a boolean')
  issues.throwIfAny()
  return { modelKey: String(model), after: Number(after), dryRun: dryRun === true }
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
 * Reads `{updates: [{id, data, if_match?}], form_id?}`.
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
      if (!UPDATE_MEMBERS.includes(name)) issues.add(`${index}.${name}`, unknownMember(name, UPDATE_MEMBERS))
    }
    checkTags(update.if_match, `${index}.if_match`, issues)
    checkUniqueId(update.id, index, seen, issues)
    checkData(update.data, `${index}.data`, issues)
  })
  issues.throwIfAny()
  return { updates: updates as unknown as BulkUpdateItem[], formId }
}

/** Entity tags in their quotes, and the version of each. */
export const ENTITY_TAGS = /"([^".]*)(?:\.[^"]*)?"/g

export function checkData(data: unknown, place: string, issues: FieldIssues): void {
  if (data === undefined || data === null) issues.add(place, 'data is mandatory')
  else if (!isObject(data)) issues.add(place, 'data must be an object')
}

export function checkTags(tags: unknown, place: string, issues: FieldIssues): void {
  if (tags != null && !hasTags(tags)) issues.add(place, 'if_match must be an entity tag in its quotes, as ETag gives it, or *')
}

/** True for what `If-Match` may have: entity tags, or `*`. */
const hasTags = (value: unknown): boolean =>
  typeof value === 'string' && (value.trim() === '*' || value.search(ENTITY_TAGS) !== -1)

const UPDATE_MEMBERS = ['id', 'data', 'if_match']

/**
 * Reads `{ids: [integer…]}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readBulkDelete(body: unknown): number[] {
  const { members, issues } = readEnvelope(body, ['ids'])
  const ids = readIds(members, issues)
  issues.throwIfAny()
  return ids
}

function readIds(members: Envelope['members'], issues: FieldIssues): number[] {
  const seen = new Set<unknown>()
  const ids = readItems(members, 'ids', issues)
  for (const [index, id] of ids.entries()) checkUniqueId(id, index, seen, issues)
  return ids as number[]
}

/** The members of a body, its form, and the faults found so far. */
interface Envelope {
  readonly members: Readonly<Record<string, unknown>>
  readonly formId: string | undefined
  readonly issues: FieldIssues
}

/** The members of a body, with faults for unknown ones. @param mayBeEmpty no member is mandatory */
export function readEnvelope(body: unknown, known: readonly string[], mayBeEmpty = false): Envelope {
  const members = isObject(body) ? body : {}
  const issues = new FieldIssues()
  for (const name of Object.keys(members)) {
    if (issues.size >= MAX_NAMED) break
    // A body without its payload is wrong as a whole, so its other members are not reported.
    const hasPayload = mayBeEmpty || members[known[0] ?? ''] !== undefined
    if (!known.includes(name) && hasPayload) issues.add(name, unknownMember(name, known))
  }
  return { members, formId: readFormId(members.form_id, 'form_id', issues), issues }
}

/** @param place where messages belong */
export function readFormId(formId: unknown, place: string, issues: FieldIssues): string | undefined {
  if (formId === undefined || formId === null) return undefined
  if (typeof formId !== 'string') issues.add(place, 'form_id must be a string')
  else if (formId.length > MAX_FORM_ID) issues.add(place, `form_id must be at most ${MAX_FORM_ID} characters long`)
  else return formId
  return undefined
}

export function readItems(members: Readonly<Record<string, unknown>>, name: string, issues: FieldIssues): unknown[] {
  const items = members[name]
  if (items === undefined || items === null) issues.add(name, `${name} is mandatory`)
  else if (!Array.isArray(items)) issues.add(name, `${name} must be an array`)
  else if (items.length > MAX_BULK_RECORDS)
    issues.add(name, `${name} must hold at most ${MAX_BULK_RECORDS} items, not ${items.length}`)
  else return items
  return []
}

/** @param seen the ids before it */
function checkUniqueId(id: unknown, index: number, seen: Set<unknown>, issues: FieldIssues): void {
  if (checkId(id, `${index}.id`, issues) && seen.has(id)) issues.add(`${index}.id`, `Record with ID ${String(id)} is named twice`)
  seen.add(id)
}

/** @param place where messages belong. @returns false for what is no id */
export function checkId(id: unknown, place: string, issues: FieldIssues): boolean {
  if (id === undefined || id === null) issues.add(place, 'id is mandatory')
  else if (!Number.isSafeInteger(id)) issues.add(place, 'id must be an integer')
  else return true
  return false
}

const unknownMember = (name: string, known: readonly string[]): string =>
  `'${name}' is not part of this request${didYouMean(name, known)} (known: ${known.join(', ')})`

/** Maximum number of records that a write by filters changes. */
export const MAX_SELECTED = 100_000

/**
 * Maximum number of characters of all filters and words together: more than a URL holds, so that a write takes every filter that a list
 * takes.
 */
const MAX_TEXT = 65_536

/** Records by what they match, as lists and searches do. */
export interface MatchSelection {
  /** As the parameter `filters` of a list. */
  readonly filters: readonly string[]
  /** As the parameter `any` of a list. */
  readonly any: readonly string[]
  /** Words, as the parameter `q` of a search. */
  readonly search: string | undefined
  /** The number of records that the client expects to match. */
  readonly expectedTotal: number
}

const MEMBERS = ['filters', 'any', 'search', 'expected_total']

/** True for the body of a bulk write that selects records by filters rather than by ids. */
export const namesSelection = (body: unknown): boolean => isObject(body) && ('filters' in body || 'expected_total' in body)

/**
 * Reads `{filters, any?, search?, expected_total, data, form_id?, etags?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readSelectionUpdate(body: unknown): {
  selection: MatchSelection
  data: RecordData
  formId: string | undefined
} {
  const { members, formId, issues } = readEnvelope(body, [...MEMBERS, 'data', 'form_id', 'etags'])
  const selection = readSelection(members, issues)
  if (members.etags != null && typeof members.etags !== 'boolean') issues.add('etags', 'etags must be true or false')
  if (!isObject(members.data)) issues.add('data', members.data == null ? 'data is mandatory' : 'data must be an object')
  issues.throwIfAny()
  return { selection, data: members.data as RecordData, formId }
}

/**
 * Reads `{filters, any?, search?, expected_total}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readSelectionDelete(body: unknown): MatchSelection {
  const { members, issues } = readEnvelope(body, MEMBERS)
  const selection = readSelection(members, issues)
  issues.throwIfAny()
  return selection
}

/** The body of an action: its records, unless the path names them, and its input. */
export interface ActionRequest {
  readonly ids?: readonly number[]
  readonly selection?: MatchSelection
  readonly input: RecordData
}

/**
 * Reads the body of an action: `{input?}`, with `{ids}` or `{filters, any?, search?, expected_total}` where it names the records.
 *
 * @throws {AppError} VALIDATION_FAILED, INVALID_REQUEST
 */
export function readActionRequest(body: unknown, namesRecords: boolean): ActionRequest {
  if (body != null && !isObject(body)) throw new AppError('INVALID_REQUEST', 'The request body must be an object')
  const isSelection = namesRecords && namesSelection(body)
  const known = isSelection ? MEMBERS : namesRecords ? ['ids'] : []
  const { members, issues } = readEnvelope(body, [...known, 'input'], true)
  const { input } = members
  if (input != null && !isObject(input)) issues.add('input', 'input must be an object')
  const named = isSelection
    ? { selection: readSelection(members, issues) }
    : namesRecords
      ? { ids: readIds(members, issues) }
      : {}
  issues.throwIfAny()
  return { ...named, input: isObject(input) ? input : {} }
}

function readSelection(members: Readonly<Record<string, unknown>>, issues: FieldIssues): MatchSelection {
  const { search, expected_total: expected } = members
  const filters = readTexts('filters', members.filters, issues)
  if (members.filters == null) issues.add('filters', 'filters is mandatory; an empty array selects every record')
  const any = readTexts('any', members.any, issues)
  const length = [...filters, ...any, typeof search === 'string' ? search : ''].reduce((sum, text) => sum + text.length, 0)
  if (length > MAX_TEXT) {
    const longest = typeof search === 'string' && search.length > MAX_TEXT ? 'search' : 'filters'
    issues.add(longest, `filters, any and search must have at most ${MAX_TEXT} characters together, not ${length}`)
  }
  if (search != null && (typeof search !== 'string' || search.trim() === '')) issues.add('search', 'search must be words')
  const isCount = Number.isSafeInteger(expected) && Number(expected) >= 0 && Number(expected) <= MAX_SELECTED
  if (expected == null) issues.add('expected_total', 'expected_total is mandatory: the number of records that match')
  else if (!isCount) issues.add('expected_total', `expected_total must be an integer from 0 to ${MAX_SELECTED}`)
  return { filters, any, search: typeof search === 'string' ? search : undefined, expectedTotal: Number(expected) }
}

function readTexts(name: string, value: unknown, issues: FieldIssues): readonly string[] {
  if (value == null) return []
  if (Array.isArray(value) && value.length > MAX_FILTERS) {
    issues.add(name, `${name} must hold at most ${MAX_FILTERS} filters, not ${value.length}`)
    return []
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  issues.add(name, `${name} must be an array of texts such as "status=draft"`)
  return []
}

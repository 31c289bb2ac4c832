import type { AccessRules } from '../access/access-rules.ts'
import { noSuchRecord } from '../auth/permissions.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Filter } from '../query/plan.ts'
import type { RecordReader, Store, StoredRecord, Violation } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import type { Form } from '../validate/form.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import type { Committer } from './committer.ts'
import {
  checkUpdateKeys,
  type DraftedWrite,
  type DraftParts,
  draftChange,
  draftNew,
  isUnreadable,
  OpenDraft,
  WHOLE_ROW,
} from './drafts.ts'
import type { Complete, CompletedWrite, Hooks, WriteContext, WriteOrigin } from './hooks.ts'
import { throwIssues } from './outcomes.ts'
import { type FindIds, idsBy, withResolvedReferences } from './references.ts'
import type { RecordData } from './write-requests.ts'

/** Up to this number of rows, a file is written at once. Larger ones are written in parts, if the store takes them. */
const MAX_AT_ONCE = 10_000

/** Number of records that an import creates and updates. */
export interface ImportCounts {
  readonly created: number
  readonly updated: number
}

/**
 * Imports the rows of a file in one transaction.
 *
 * @param read reads the rows in batches; begins with the first row at each call
 * @throws {AppError} as `Committer.write`
 */
export async function importRecords(
  committer: Committer,
  context: ImportContext,
  read: () => AsyncIterable<readonly ImportItem[]>,
): Promise<ImportCounts> {
  const { model, key } = context
  let drafts = new ImportDrafts(context)
  const parts = async function* () {
    drafts = new ImportDrafts(context)
    for await (const rows of read()) yield await drafts.of(rows)
  }
  const mayDivide = committer.writesInParts && isDivisible(model, key) && context.hooks.mayDivide(context)
  let collected = await collect(parts(), mayDivide ? MAX_AT_ONCE : Number.POSITIVE_INFINITY)
  if (collected === undefined) await committer.writeInParts(context, parts)
  else {
    let attempts = 1
    const complete = committer.completing(context, 'write')
    const read = async (records: RecordReader) => {
      const writes = collected ?? (await collect(parts())) ?? []
      // Drafts of updates depend on stored records, which may have changed when they are asked for again; code sets values of drafts.
      collected = key === undefined && complete === undefined ? writes : undefined
      return complete === undefined ? writes : completedRows(complete, context, records, writes)
    }
    // Another import may have created the record of a key meanwhile. It may also be one that the actor does not see.
    await committer.write(
      context,
      read,
      (violations, writes) => violations.some((each) => isTakenKey(each, writes, key)) && attempts++ < MAX_ATTEMPTS,
    )
  }
  return drafts.counts
}

/** Maximum number of attempts of an import whose keys other writes take. */
const MAX_ATTEMPTS = 5

const isTakenKey = (violation: Violation, writes: readonly DraftedWrite[], key: UpsertKey | undefined): boolean =>
  violation.kind === 'unique' && violation.field === key?.name && writes[violation.index]?.existing === undefined

/**
 * The drafts of all parts.
 *
 * @returns undefined if there are more than `max`
 * @throws {AppError} VALIDATION_FAILED once the number of errors exceeds the limit, and if a row could not be read
 */
async function collect(
  parts: AsyncIterable<readonly DraftedWrite[]>,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly DraftedWrite[] | undefined> {
  const all: DraftedWrite[] = []
  let faults = 0
  for await (const writes of parts) {
    all.push(...writes)
    for (const { draft } of writes) faults += draft.issues.size
    if (faults > MAX_NAMED) throwIssues(issuesOf(all), byRow)
    if (all.length > max) return undefined
  }
  if (all.some(isUnreadable)) throwIssues(issuesOf(all), byRow)
  return all
}

const issuesOf = (writes: readonly DraftedWrite[]) => writes.map(({ draft: { issues } }, index) => ({ index, issues }))

/** A row of an import. */
export interface ImportItem {
  /** Values to set, as in a request. */
  readonly data: RecordData
  /** Errors found while reading the row. */
  readonly issues: FieldIssues
  /** Id to create the record with, or to find it by. */
  readonly id?: number
  /** `created_at` and `updated_at` to keep, in stored form. */
  readonly stamps: Readonly<Record<string, string>>
}

/** The unique field by which rows find the records to update. */
export type UpsertKey = Field

/** Options of an import. */
export interface ImportRequest {
  readonly formId: string | undefined
  /** Finds the records to update. */
  readonly key: UpsertKey | undefined
  /** Does everything except the commit. */
  readonly dryRun: boolean
  readonly origin?: WriteOrigin | undefined
  /** Calls no code of the project. */
  readonly withoutCode?: boolean | undefined
  /** Adds the text of a CSV cell to messages about it. */
  readonly quotesCells: boolean
}

/** Prefix of field names in messages. Rows count from 1. */
export const byRow = (index: number): string => `${index + 1}.`

/** An import, and what it is made with. */
export interface ImportContext extends WriteContext {
  readonly store: Store
  readonly access: AccessRules
  readonly hooks: Hooks
  readonly parts: DraftParts
  readonly form: Form | undefined
  readonly key: UpsertKey | undefined
  /** Adds the text of a CSV cell to messages about it. */
  readonly quotesCells: boolean
}

/** Makes the drafts of the rows of a file, once. A row becomes an insert, or an update of the record with the same key value. */
class ImportDrafts {
  readonly #context: ImportContext
  /** Key value → row. */
  readonly #seen = new Map<Json, number>()
  #rows = 0
  #updates = 0

  constructor(context: ImportContext) {
    this.#context = context
  }

  /** Number of rows so far, by what becomes of them. */
  get counts(): { readonly created: number; readonly updated: number } {
    return { created: this.#rows - this.#updates, updated: this.#updates }
  }

  /**
   * The drafts of a further batch of rows.
   *
   * @throws {AppError} FORBIDDEN
   */
  async of(rows: readonly ImportItem[]): Promise<readonly DraftedWrite[]> {
    const batch = await withIds(rows, this.#context)
    const found = await findExisting(batch, this.#context)
    const sent = batch.map((item) => {
      const key = keyOf(item, this.#context)
      return { item, key, data: item.data, existing: key === null ? undefined : found.get(key) }
    })
    const targets = await this.#context.hooks.resolved(this.#context, sent, this.#context.store)
    await this.#context.hooks.beforeWrite(this.#context, targets)
    const writes: DraftedWrite[] = []
    for (const { item, data, key, existing } of targets) {
      const write = draftItem(data === item.data ? item : { ...item, data }, existing, this.#context)
      noteTwin(this.#rows, key, this.#seen, write.draft.issues, this.#context)
      this.#rows += 1
      if (write.existing !== undefined) this.#updates += 1
      writes.push(write)
    }
    return writes
  }
}

/**
 * True if a file of rows of this model may be stored part by part: no row can depend on a later one. Accounts are stored at once, since the
 * consequences of their changes are.
 */
const isDivisible = (model: Model, key: UpsertKey | undefined): boolean =>
  model.key !== 'user' &&
  [...model.relations.values()].every(({ relation }) => relation.target !== model.key) &&
  // Of existing records, a row may take the unique value that a later one gives up.
  (key === undefined ||
    (model.uniqueSets.length === 0 && model.constrained.every(({ name, unique }) => !unique || name === key.name)))

/** The rows with ids in place of references by a unique field. */
async function withIds(
  rows: readonly ImportItem[],
  { store, access, actor, model }: ImportContext,
): Promise<readonly ImportItem[]> {
  if (model.relations.size === 0) return rows
  const find: FindIds = async (target, field, values) =>
    access.may(actor, 'view', target)
      ? idsBy(store, target, field, values, access.only(actor, 'view', target))
      : new Map<Json, number>()
  const resolved = await withResolvedReferences(
    model,
    access.registry,
    rows.map(({ data }) => data),
    find,
  )
  return rows.map((row, index) => {
    const { data, issues } = resolved[index] ?? row
    if (data === row.data) return row
    row.issues.addAll(issues)
    return { ...row, data }
  })
}

/** Completes the drafts of all rows by code of the project. If a row is faulty, no code runs. */
async function completedRows(
  complete: Complete,
  context: ImportContext,
  records: RecordReader,
  writes: readonly DraftedWrite[],
): Promise<readonly DraftedWrite[] | CompletedWrite> {
  const { model } = context
  const changes = writes.flatMap(({ open: draft, existing }) => (draft === undefined ? [] : [{ model, draft, existing }]))
  const isRefused = changes.some(({ draft }) => draft.isRefused) || writes.some(({ draft }) => draft.issues.any)
  const completion = isRefused ? undefined : await complete(context, changes, records)
  const finished = writes.map((write): DraftedWrite => {
    const draft = write.open?.finish() ?? write.draft
    const issues = joined(write.draft.issues, draft.issues)
    if (context.quotesCells) quoteCells(issues, write.open?.data ?? {}, model)
    return { ...write, draft: { ...draft, issues } }
  })
  return completion === undefined ? finished : { writes: finished, completion }
}

/** The draft of a row that code of the project completes when all rows are read. */
function openItem(item: ImportItem, existing: StoredRecord | undefined, context: ImportContext): DraftedWrite {
  const { actor, model, form, key, parts } = context
  const { data, id, stamps } = item
  const open =
    existing === undefined
      ? OpenDraft.ofNew(actor, model, form, data, parts)
      : OpenDraft.ofChange(model, form, existing, data, parts)
  const issues = existing === undefined ? joined(item.issues) : joined(item.issues, checkUpdateKeys(actor, model, form, data))
  const draft = { ...open.unfinished(), issues }
  if (existing !== undefined) return { model, form, existing, open, draft }
  if (key?.name === 'id' && id !== undefined) issues.add('id', noSuchRecord(model, id))
  return { model, form, id, stamps, open, draft }
}

function draftItem(item: ImportItem, existing: StoredRecord | undefined, context: ImportContext): DraftedWrite {
  if (context.hooks.completing(context, 'write') !== undefined) return openItem(item, existing, context)
  const { actor, model, form, key, quotesCells } = context
  const { data, id, stamps } = item
  if (existing !== undefined) {
    const keys = checkUpdateKeys(actor, model, form, data)
    const { values, issues: found } = draftChange(model, form, existing, data, context.parts)
    const issues = joined(item.issues, keys, found)
    if (quotesCells) quoteCells(issues, data, model)
    return { model, form, existing, draft: { data, values, issues } }
  }
  const draft = draftNew(actor, model, form, data, context.parts)
  const issues = joined(item.issues, draft.issues)
  if (quotesCells) quoteCells(issues, data, model)
  // An id that does not exist is an error, since the row was meant for an existing record.
  if (key?.name === 'id' && id !== undefined) issues.add('id', noSuchRecord(model, id))
  return { model, form, id, stamps, draft: issues.any ? { ...draft, issues } : draft }
}

/** Adds the cell to messages about its type or format: `price must be a number: 'abc'`. */
function quoteCells(issues: FieldIssues, data: RecordData, model: Model): void {
  if (!issues.any) return
  for (const [name, messages] of Object.entries(issues.toMessages())) {
    const cell = data[name]
    if (typeof cell !== 'string' || model.fields.get(name)?.type.secret !== false) continue
    const shown = cell.length > MAX_CELL ? `${cell.slice(0, MAX_CELL)}…` : cell
    issues.replace(name, ...messages.map((message) => (ABOUT_VALUE.test(message) ? `${message}: '${shown}'` : message)))
  }
}

const ABOUT_VALUE = /must be (?:an? (?!unique)|one of)|format is invalid/
/** Maximum number of characters of a cell in a message. */
const MAX_CELL = 60

function joined(...all: readonly FieldIssues[]): FieldIssues {
  const issues = new FieldIssues()
  if (!all.some(({ any }) => any)) return issues
  // An unreadable row has no values, so its missing fields are not reported.
  if (all[0]?.has(WHOLE_ROW) === true) issues.addAll(all[0])
  else for (const each of all) issues.addMissing(each)
  return issues
}

/** The key value of a row in stored form; null if it has none. */
function keyOf({ data, id }: ImportItem, { key }: ImportContext): Json {
  if (key === undefined) return null
  if (key.name === 'id') return id ?? null
  const raw = Object.hasOwn(data, key.name) ? data[key.name] : null
  const reading = raw === null || raw === undefined ? undefined : key.type.read(raw)
  return reading?.ok === true ? reading.value : null
}

async function findExisting(items: readonly ImportItem[], context: ImportContext): Promise<ReadonlyMap<Json, StoredRecord>> {
  const { store, access, actor, model, key } = context
  const found = new Map<Json, StoredRecord>()
  const values = items.map((item) => keyOf(item, context)).filter((value) => value !== null)
  if (key === undefined || values.length === 0) return found
  const visible = access.visible(actor, model)
  const filters: Filter[] = [{ field: key.name, operator: 'in', values }, ...(visible === undefined ? [] : [visible])]
  for await (const records of store.stream(model.key, { filters, sort: [] })) {
    for (const record of records) found.set(record[key.name] ?? null, record)
  }
  return found
}

/** Two rows with the same key contradict each other. */
function noteTwin(index: number, value: Json, seen: Map<Json, number>, issues: FieldIssues, { key }: ImportContext): void {
  if (key === undefined || value === null) return
  const twin = seen.get(value)
  if (twin === undefined) seen.set(value, index)
  else issues.add(key.name, `${key.name} is also that of row ${twin + 1}`)
}

import type { PasswordHasher } from '../auth/password.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Outcome, Store, StoredRecord } from '../store/store.ts'
import { versionOf } from '../store/version.ts'
import type { Clock } from '../util/clock.ts'
import { didYouMean } from '../util/suggest.ts'
import type { Form } from '../validate/form.ts'
import { FieldIssues } from '../validate/issues.ts'
import { type DraftedWrite, draftChange, draftNew, Finisher } from './drafts.ts'
import { forbidden, modelFor, noSuchRecord } from './lookup.ts'
import { type RecordData, readBulkCreate, readBulkDelete, readBulkUpdate, readWriteRequest } from './requests.ts'
import { checkUpdateKeys } from './settable.ts'
import { constraintIssues, type IndexedIssues, missingIssues, referencedError } from './violations.ts'

/** How often an update is worked out anew because the record changed meanwhile. Each time somebody else has succeeded. */
const MAX_ATTEMPTS = 1000

/** Judges whether a record's version is one that the client has seen. */
export type Precondition = (version: string) => boolean

/** A record to be created, under an id of its own if it carries one. */
export interface NewRecord {
  readonly model: string
  readonly data: RecordData
  readonly id?: number
}

interface UpdateTarget {
  readonly existing: StoredRecord
  readonly data: RecordData
}

/**
 * The one door through which data changes: every create, update and delete, whoever asks, is authorised, validated and
 * committed here. Bodies come as they were sent. All methods throw AppErrors; nothing is changed when they do.
 */
export class Records {
  readonly #registry: Registry
  readonly #store: Store
  readonly #forms: ReadonlyMap<string, Form>
  readonly #finisher: Finisher

  constructor(parts: {
    registry: Registry
    store: Store
    forms: ReadonlyMap<string, Form>
    hasher: PasswordHasher
    clock: Clock
  }) {
    this.#registry = parts.registry
    this.#store = parts.store
    this.#forms = parts.forms
    this.#finisher = new Finisher(parts.hasher, parts.clock)
  }

  /** @param body `{data, form_id?}` */
  async create(actor: Actor, modelKey: string, body: unknown): Promise<StoredRecord> {
    const model = modelFor(this.#registry, actor, 'add', modelKey)
    const { data, formId } = readWriteRequest(body)
    const draft = draftNew(actor, model, this.#form(formId, model), data)
    return onlyRecord(await this.#commit([{ model, draft }], singly))
  }

  /** @param body `{records: [data…], form_id?}` */
  async createMany(actor: Actor, modelKey: string, body: unknown): Promise<readonly StoredRecord[]> {
    const model = modelFor(this.#registry, actor, 'add', modelKey)
    const { records, formId } = readBulkCreate(body)
    const form = this.#form(formId, model)
    const writes = records.map((data) => ({ model, draft: draftNew(actor, model, form, data) }))
    return allRecords(await this.#commit(writes, byIndex))
  }

  /**
   * Creates records of several models in one transaction, ids kept, for the server itself.
   *
   * @returns the issues by index when there are any; then nothing is created
   */
  async load(actor: Actor, items: readonly NewRecord[]): Promise<IndexedIssues[]> {
    const writes = items.map(({ model: key, data, id }) => {
      const model = modelFor(this.#registry, actor, 'add', key)
      return { model, id, draft: draftNew(actor, model, undefined, data) }
    })
    const issues = await this.#issuesOf(writes)
    if (issues.length > 0) return issues
    const outcome = await this.#store.transact(await Promise.all(writes.map((write) => this.#finisher.operation(write))))
    return outcome.ok ? [] : constraintIssues(outcome.violations)
  }

  /** @param body `{data, form_id?}`; fields that `data` leaves out stay as they are */
  async update(actor: Actor, modelKey: string, id: number, body: unknown, precondition?: Precondition): Promise<StoredRecord> {
    const model = this.#updateModel(actor, modelKey)
    const { data, formId } = readWriteRequest(body)
    const form = this.#form(formId, model)
    checkUpdateKeys(actor, model, form, data).throwIfAny()
    const outcome = await this.#commitUpdates(model, form, singly, async () => {
      const [existing] = await this.#store.get(model.key, [id])
      if (existing === undefined) throw new AppError('UPDATE_TARGET_MISSING', noSuchRecord(model, id))
      this.#guard(actor, model, existing, precondition)
      return [{ existing, data }]
    })
    return onlyRecord(outcome)
  }

  /** @param body `{updates: [{id, data}…], form_id?}` */
  async updateMany(actor: Actor, modelKey: string, body: unknown): Promise<readonly StoredRecord[]> {
    const model = this.#updateModel(actor, modelKey)
    const { updates, formId } = readBulkUpdate(body)
    const form = this.#form(formId, model)
    const refused = updates.map(({ data }, index) => ({ index, issues: checkUpdateKeys(actor, model, form, data) }))
    throwIssues(refused, byIndex)
    const ids = updates.map(({ id }) => id)
    const outcome = await this.#commitUpdates(model, form, byIndex, async () => {
      const found = await this.#existing(actor, model, ids)
      return found.map((existing, index) => ({ existing, data: updates[index]?.data ?? {} }))
    })
    return allRecords(outcome)
  }

  async remove(actor: Actor, modelKey: string, id: number, precondition?: Precondition): Promise<StoredRecord> {
    const model = modelFor(this.#registry, actor, 'delete', modelKey)
    const outcome = await this.#retried(model, async () => {
      const [existing] = await this.#store.get(model.key, [id])
      if (existing === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(model, id))
      this.#guard(actor, model, existing, precondition)
      return this.#store.transact([{ kind: 'remove', table: model.key, id, expect: versionOf(existing) }])
    })
    this.#throwReferenced(outcome, model)
    return onlyRecord(outcome)
  }

  /** @param body `{ids: [integer…]}` */
  async removeMany(actor: Actor, modelKey: string, body: unknown): Promise<readonly StoredRecord[]> {
    const model = modelFor(this.#registry, actor, 'delete', modelKey)
    const ids = readBulkDelete(body)
    const outcome = await this.#retried(model, async () => {
      await this.#existing(actor, model, ids)
      return this.#store.transact(ids.map((id) => ({ kind: 'remove', table: model.key, id })))
    })
    this.#throwReferenced(outcome, model)
    return allRecords(outcome)
  }

  /** An update's target that is not there is a bad request, where elsewhere it would be not found. */
  #updateModel(actor: Actor, modelKey: string): Model {
    try {
      return modelFor(this.#registry, actor, 'change', modelKey)
    } catch (error) {
      if (error instanceof AppError && error.code === 'MODEL_NOT_FOUND')
        throw new AppError('UPDATE_TARGET_MISSING', error.details)
      throw error
    }
  }

  #form(formId: string | undefined, model: Model): Form | undefined {
    if (formId === undefined) return undefined
    const form = this.#forms.get(formId)
    if (form?.model === model) return form
    const known = [...this.#forms.values()].filter((each) => each.model === model).map((each) => each.name)
    const reason = form === undefined ? 'does not exist' : `is a form of ${form.model.name}, not of ${model.name}`
    throw new AppError('FORM_NOT_FOUND', `Form '${formId}' ${reason}${didYouMean(formId, known)}`)
  }

  /** Reads the targets, merges, validates, writes. */
  #commitUpdates(model: Model, form: Form | undefined, prefix: Prefix, read: () => Promise<UpdateTarget[]>): Promise<Outcome> {
    return this.#retried(model, async () => {
      const targets = await read()
      const writes = targets.map(({ existing, data }) => ({ model, existing, draft: draftChange(model, form, existing, data) }))
      return this.#commit(writes, prefix)
    })
  }

  /**
   * Commits drafts in one transaction.
   *
   * @returns an outcome without broken constraints; it may still have been overtaken by another write
   * @throws {AppError} VALIDATION_FAILED with everything that is wrong with any of them
   */
  async #commit(writes: readonly DraftedWrite[], prefix: Prefix): Promise<Outcome> {
    throwIssues(await this.#issuesOf(writes), prefix)
    const outcome = await this.#store.transact(await Promise.all(writes.map((write) => this.#finisher.operation(write))))
    throwConstraints(outcome, prefix)
    return outcome
  }

  /** What is wrong with drafts. When anything is, the store is asked too, so that a client learns all of it at once. */
  async #issuesOf(writes: readonly DraftedWrite[]): Promise<IndexedIssues[]> {
    if (!writes.some(({ draft }) => draft.issues.any)) return []
    const outcome = await this.#store.transact(
      writes.map((write) => this.#finisher.rehearsal(write)),
      'rehearse',
    )
    const constraints = new Map(
      (outcome.ok ? [] : constraintIssues(outcome.violations)).map(({ index, issues }) => [index, issues]),
    )
    return writes.flatMap(({ draft }, index) => {
      const issues = new FieldIssues()
      issues.addAll(draft.issues)
      issues.addMissing(constraints.get(index) ?? new FieldIssues())
      return issues.any ? [{ index, issues }] : []
    })
  }

  /** Does a write anew for as long as a record it is about changes or goes between being read and being written. */
  async #retried(model: Model, write: () => Promise<Outcome>): Promise<Outcome> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const outcome = await write()
      const overtaken = !outcome.ok && outcome.violations.some(({ kind }) => kind === 'stale' || kind === 'missing')
      if (!overtaken) return outcome
    }
    throw new AppError('WRITE_CONFLICT', `${model.name} keeps changing under other writes; read it again and retry`)
  }

  async #existing(actor: Actor, model: Model, ids: readonly number[]): Promise<StoredRecord[]> {
    const found = await this.#store.get(model.key, ids)
    missingIssues(ids.map((id, index) => ({ id, index })).filter(({ index }) => found[index] === undefined)).throwIfAny()
    const existing = found.filter((record) => record !== undefined)
    for (const record of existing) this.#guard(actor, model, record)
    return existing
  }

  /** A superuser's account is changed by superusers alone, and a record by those who have seen its present version. */
  #guard(actor: Actor, model: Model, existing: StoredRecord, precondition?: Precondition): void {
    if (model.key === 'user' && existing.is_superuser === true && !actor.isSuperuser) throw forbidden()
    if (precondition?.(versionOf(existing)) === false) {
      throw new AppError('PRECONDITION_FAILED', `${noun(model, existing)} has changed since it was read; read it again and retry`)
    }
  }

  #throwReferenced(outcome: Outcome, model: Model): void {
    const error = outcome.ok ? undefined : referencedError(outcome.violations, model, this.#registry)
    if (error !== undefined) throw error
    // What a removal sets off (a link or a reference set to nothing) may break a constraint of the referring record.
    throwConstraints(outcome, singly)
  }
}

const noun = (model: Model, { id }: StoredRecord): string => `${model.name} with ID ${id}`

/** What goes before field names in messages. */
type Prefix = (index: number) => string
const singly: Prefix = () => ''
const byIndex: Prefix = (index) => `${index}.`

/** @throws {AppError} VALIDATION_FAILED with the messages of all items */
function throwIssues(found: readonly IndexedIssues[], prefix: Prefix): void {
  const all = new FieldIssues()
  for (const { index, issues } of found) all.addAll(issues, prefix(index))
  all.throwIfAny()
}

/** @throws {AppError} VALIDATION_FAILED with the messages of the broken constraints */
function throwConstraints(outcome: Outcome, prefix: Prefix): void {
  if (!outcome.ok) throwIssues(constraintIssues(outcome.violations), prefix)
}

function allRecords(outcome: Outcome): readonly StoredRecord[] {
  if (!outcome.ok) throw new Error(`The store refused a transaction: ${JSON.stringify(outcome.violations)}`)
  return outcome.records
}

function onlyRecord(outcome: Outcome): StoredRecord {
  const [record] = allRecords(outcome)
  if (record === undefined) throw new Error('The store returned no record for an operation')
  return record
}

import type { AccessRules } from '../access/access-rules.ts'
import type { PasswordHasher } from '../auth/password.ts'
import { type Action, type Actor, forbidden, SYSTEM } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Field } from '../model/field.ts'
import { Model } from '../model/model.ts'
import { readRecordId } from '../query/parameters.ts'
import type { Searches } from '../reads/searches.ts'
import {
  isSameValue,
  type Operation,
  type Outcome,
  type RecordReader,
  type Store,
  type StoredRecord,
  versionOf,
} from '../store/store.ts'
import type { Clock } from '../util/clock.ts'
import type { Heap } from '../util/heap.ts'
import type { Random } from '../util/ids.ts'
import type { Json } from '../util/json.ts'
import { mapInSlices, Slices } from '../util/slices.ts'
import type { Form } from '../validate/form.ts'
import { FieldIssues } from '../validate/issues.ts'
import {
  type ActionCode,
  type ActionResult,
  actionMessage,
  checkAction,
  checkCount,
  type ModelAction,
  ModelActions,
  readInput,
  setValues,
} from './actions.ts'
import { MemoryGuard } from './admission.ts'
import { Batch, type BatchedRecord } from './batches.ts'
import { Committer } from './committer.ts'
import { completed, openWrite } from './completed-drafts.ts'
import {
  checkUpdateKeys,
  type DraftedWrite,
  type DraftParts,
  draftChange,
  draftNew,
  OpenDraft,
  OperationBuilder,
} from './drafts.ts'
import { type FormSources, formOf } from './form-sources.ts'
import type { ActionCall, CommitOptions, Completion, Hooks, WriteContext, WriteOrigin } from './hooks.ts'
import { byRow, type ImportCounts, type ImportItem, type ImportRequest, importRecords } from './imports.ts'
import type { RelatedRecord } from './judged-records.ts'
import { byIndex, type IndexedIssues, type Prefix, throwIssues, type VisibleRemovals } from './outcomes.ts'
import { idsBy } from './references.ts'
import { type DeletionHistory, type RestoredRecord, restoreRecord } from './restore.ts'
import {
  type BulkUpdateItem,
  MAX_BULK_RECORDS,
  type NewRecord,
  namesSelection,
  type RecordData,
  readActionRequest,
  readBulkCreate,
  readBulkUpdate,
  readRecomputation,
  readSelectionUpdate,
  readWriteRequest,
} from './write-requests.ts'
import { changedSinceRead, type Precondition, preconditionOf, type Removal, WriteTargets } from './write-targets.ts'

/** Stands for the model of a write of several models, or whose records are all those of code. */
const TRANSACTION = new Model({
  ...{ name: 'Transaction', label: undefined, displayField: undefined },
  ...{ timestamps: false, internal: true, fields: [] },
})

const DEFAULT_UPLOAD_HOURS = 24

/** What writes do with records. */
export type WriteAction = Exclude<Action, 'view'>

/** Options of a write. */
export interface WriteOptions extends CommitOptions {
  readonly precondition?: Precondition | undefined
}

/** What a computation of fields has done. */
export interface Recomputation {
  /** Number of records that were read. */
  readonly read: number
  readonly changed: number
  /** The id of the last one; null if there were none. */
  readonly last: number | null
}

/**
 * The write path. Every create, update and delete is authorised, validated and committed here. Bodies are passed as received.
 * Methods throw AppErrors; then nothing is changed.
 */
export class Records {
  readonly #access: AccessRules
  readonly #actions: ModelActions
  readonly #store: Store
  readonly #forms: FormSources
  readonly #parts: DraftParts
  readonly #memory: MemoryGuard
  readonly #hooks: Hooks
  readonly #committer: Committer
  readonly #targets: WriteTargets

  constructor(parts: {
    access: AccessRules
    actions?: ModelActions
    store: Store
    forms: ReadonlyMap<string, Form>
    hasher: PasswordHasher
    clock: Clock
    random: Random
    /** What features do with each write. */
    hooks: Hooks
    /** The setting `max_record_bytes`. */
    maxRecordBytes: number
    /** The heap that the records of the store are in; undefined for a store in another process. */
    heap?: Heap | undefined
    /** The forms that the Views API generates, which requests may name. */
    generatedForm?: FormSources['generated']
    /** Finds the records of writes by words. */
    searches?: Searches
    /** The setting `files.pending_hours`, for messages. */
    uploadHours?: number | undefined
  }) {
    this.#access = parts.access
    this.#actions = parts.actions ?? new ModelActions([])
    this.#store = parts.store
    this.#forms = { forms: parts.forms, generated: parts.generatedForm ?? (() => undefined) }
    this.#parts = parts
    this.#memory = new MemoryGuard(parts.heap, parts.clock)
    this.#targets = new WriteTargets(parts.access, parts.store, parts.searches)
    this.#hooks = parts.hooks
    const builder = new OperationBuilder(parts.hasher, parts.clock)
    const { access: rules, store, hooks, clock, uploadHours = DEFAULT_UPLOAD_HOURS } = parts
    this.#committer = new Committer({ rules, store, hooks, builder, clock, uploadHours })
  }

  /** Maximum size of a record: the setting `max_record_bytes`. */
  get maxRecordBytes(): number {
    return this.#parts.maxRecordBytes
  }

  /** Commits operations on internal tables, in one transaction. Assertions may be about any table. */
  commitInternal(operations: readonly Operation[]): Promise<Outcome> {
    return this.#committer.commitInternal(operations)
  }

  /** Commits operations that follow from a change of the models, in one transaction. */
  commitMigration(operations: readonly Operation[]): Promise<Outcome> {
    return this.#committer.commitMigration(operations)
  }

  /**
   * Checks that the actor may perform an action on some records of a model, before the body of the request is read.
   *
   * @throws {AppError} as the methods of the action
   */
  admit(actor: Actor, action: WriteAction, modelKey: string): void {
    if (action === 'change') this.#updateModel(actor, modelKey)
    else if (action === 'add') this.#createModel(actor, modelKey)
    else this.#access.modelFor(actor, action, modelKey)
  }

  /** @param body `{data, form_id?}` */
  async create(actor: Actor, modelKey: string, body: unknown, options: WriteOptions = {}): Promise<StoredRecord> {
    const model = this.#createModel(actor, modelKey)
    const { data: sent, formId } = readWriteRequest(body)
    const form = formOf(this.#forms, formId, model)
    const context = { actor, model, options }
    const resolved = this.#hooks.resolved(context, [{ data: sent }], this.#store)
    const { data } = only(resolved instanceof Promise ? await resolved : resolved)
    await this.#hooks.beforeWrite(context, [{ data }])
    const complete = this.#committer.completing(context, 'write')
    if (complete !== undefined) {
      const open = () => [openWrite(OpenDraft.ofNew(actor, model, form, data, this.#parts))]
      return only(await this.#committer.write(context, (records) => completed(complete, context, records, open())))
    }
    const draft = draftNew(actor, model, form, data, this.#parts)
    return only(await this.#committer.write(context, async () => [{ model, form, draft }]))
  }

  /** @param body `{records: [data…], form_id?}` */
  async createMany(actor: Actor, modelKey: string, body: unknown, options: WriteOptions = {}): Promise<readonly StoredRecord[]> {
    const model = this.#createModel(actor, modelKey)
    const { records, formId } = readBulkCreate(body)
    const form = formOf(this.#forms, formId, model)
    const context = { actor, model, options, prefix: byIndex }
    const targets = await this.#hooks.resolved(
      context,
      records.map((data) => ({ data })),
      this.#store,
    )
    await this.#hooks.beforeWrite(context, targets)
    const complete = this.#committer.completing(context, 'write')
    if (complete !== undefined) {
      const open = () => mapInSlices(targets, ({ data }) => openWrite(OpenDraft.ofNew(actor, model, form, data, this.#parts)))
      return this.#committer.write(context, async (stored) => completed(complete, context, stored, await open()))
    }
    const writes = await mapInSlices(targets, ({ data }) => ({
      model,
      form,
      draft: draftNew(actor, model, form, data, this.#parts),
    }))
    return this.#committer.write(context, async () => writes)
  }

  /**
   * Creates records of several models in one transaction, for seeds. Given ids are kept.
   *
   * @returns errors by index; if there are any, nothing is created
   * @throws {AppError} WRITE_CONFLICT if records that hooks read keep changing
   */
  async load(actor: Actor, items: Iterable<NewRecord> | AsyncIterable<NewRecord>): Promise<readonly IndexedIssues[]> {
    const options: CommitOptions = { origin: { via: 'seed' } }
    const contexts = this.#access.registry.public.map((model) => ({ actor, model, options }))
    const context = contexts.find((each) => this.#committer.completing(each, 'write') !== undefined)
    const complete = context && this.#committer.completing(context, 'write')
    const writes: DraftedWrite[] = []
    const slices = new Slices()
    for await (const { model: key, data: sent, id } of items) {
      const model = this.#access.modelFor(actor, 'add', key)
      const resolved = this.#hooks.resolved({ actor, model }, [{ data: sent }], this.#store)
      const { data } = only(resolved instanceof Promise ? await resolved : resolved)
      const open = OpenDraft.ofNew(actor, model, undefined, data, this.#parts)
      writes.push(complete === undefined ? { model, id, draft: open.finish() } : { model, id, draft: open.unfinished(), open })
      if (slices.isOver) await slices.next()
    }
    const [first] = writes
    if (first === undefined) return []
    if (context === undefined || complete === undefined) return this.#committer.load(first.model, async () => writes)
    const changes = writes.flatMap(({ model, id, open: draft }) =>
      draft === undefined ? [] : [{ model, id, draft, existing: undefined }],
    )
    const isRefused = changes.some(({ draft }) => draft.isRefused)
    return this.#committer.load(first.model, async (attempt) => {
      if (attempt > 0) for (const { draft } of changes) draft.reset()
      const completion = isRefused ? undefined : await complete(context, changes, this.#store)
      const finished = await mapInSlices(writes, (write) => ({ ...write, draft: write.open?.finish() ?? write.draft }))
      return completion === undefined ? finished : { writes: finished, completion }
    })
  }

  /** The ids of stored records by values of a unique field, for references in seeds. */
  idsBy(target: Model, field: Field, values: readonly Json[]): Promise<ReadonlyMap<Json, number>> {
    return idsBy(this.#store, target, field, values)
  }

  /**
   * Imports records in one transaction: creates them, or updates those with the same value in a unique field. Errors name rows,
   * from 1.
   *
   * @param read reads the rows, in batches between which other work may run; begins with the first row at each call
   */
  async importAll(
    actor: Actor,
    modelKey: string,
    read: () => AsyncIterable<readonly ImportItem[]>,
    request: ImportRequest,
  ): Promise<ImportCounts> {
    const model = this.#createModel(actor, modelKey)
    const { formId, key, quotesCells } = request
    if (key !== undefined) this.#access.modelFor(actor, 'change', modelKey)
    const form = formOf(this.#forms, formId, model)
    const context = {
      ...{ store: this.#store, access: this.#access, hooks: this.#hooks, parts: this.#parts },
      ...{ actor, model, prefix: byRow, options: request, form, key, quotesCells },
    }
    const memory = this.#memory
    const readWhileRoom = async function* () {
      for await (const rows of read()) {
        memory.throwIfFull()
        yield rows
      }
    }
    return importRecords(this.#committer, context, readWhileRoom)
  }

  /** @param body `{data, form_id?}`; omitted fields do not change */
  async update(
    actor: Actor,
    modelKey: string,
    recordId: string | number,
    body: unknown,
    options: WriteOptions = {},
  ): Promise<StoredRecord> {
    const model = this.#updateModel(actor, modelKey)
    const id = readRecordId(recordId)
    const { data, formId } = readWriteRequest(body)
    const form = formOf(this.#forms, formId, model)
    checkUpdateKeys(actor, model, form, data).throwIfAny()
    const updated = await this.#change({ actor, model, options, ids: [id] }, form, async (records) => [
      { existing: await this.#targets.one(records, actor, model, id, 'UPDATE_TARGET_MISSING', options.precondition), data },
    ])
    return only(updated)
  }

  /** @param body `{updates: [{id, data, if_match?}…], form_id?}`, or `{filters, expected_total, data, …}` for all records that match */
  async updateMany(actor: Actor, modelKey: string, body: unknown, options: WriteOptions = {}): Promise<readonly StoredRecord[]> {
    const model = this.#updateModel(actor, modelKey)
    if (namesSelection(body)) return this.#updateSelected(actor, model, body, options)
    const { updates, formId } = readBulkUpdate(body)
    const form = formOf(this.#forms, formId, model)
    const refused = await mapInSlices(updates, ({ data }, index) => {
      return { index, issues: checkUpdateKeys(actor, model, form, data) }
    })
    throwIssues(refused, byIndex)
    const ids = updates.map(({ id }) => id)
    return this.#change({ actor, model, options, prefix: byIndex, ids }, form, async (records) => {
      const found = await this.#targets.all(records, actor, model, ids)
      throwIfChanged(model, found, updates)
      return found.map((existing, index) => ({ existing, data: updates[index]?.data ?? {} }))
    })
  }

  async #updateSelected(actor: Actor, model: Model, body: unknown, options: WriteOptions): Promise<readonly StoredRecord[]> {
    const { selection, data, formId } = readSelectionUpdate(body)
    const form = formOf(this.#forms, formId, model)
    checkUpdateKeys(actor, model, form, data).throwIfAny()
    let found: readonly StoredRecord[] = []
    const prefix = (index: number) => `${found[index]?.id}.`
    return this.#change({ actor, model, options, prefix }, form, async () => {
      found = await this.#targets.selected(actor, model, selection)
      return found.map((existing) => ({ existing, data }))
    })
  }

  /**
   * Checks that the actor may perform an action of the project on some records of a model, before the body of the request is read.
   *
   * @throws {AppError} as `act`
   */
  admitAction(actor: Actor, modelKey: string, name: string): ModelAction {
    const model = this.#access.modelFor(actor, undefined, modelKey)
    const action = this.#actions.named(model, name)
    this.#access.modelFor(actor, name, modelKey)
    if (model.key !== 'user') this.#memory.throwIfFull()
    return action
  }

  /**
   * Performs an action of the project: on one record, or on those that the body names. All records or none are changed.
   *
   * @param recordId undefined for the records of the body
   * @param body `{input?}`, without an id with `{ids}`, or `{filters, expected_total, …}` for all records that match
   * @throws {AppError} ACTION_NOT_FOUND, FORBIDDEN; RECORD_NOT_FOUND for a record that the actor may not see, ACTION_REFUSED for one whose
   *   condition is false
   */
  async act(
    actor: Actor,
    modelKey: string,
    name: string,
    recordId: string | undefined,
    body: unknown,
    options: WriteOptions = {},
  ): Promise<ActionResult> {
    const action = this.admitAction(actor, modelKey, name)
    const { model, on } = action
    if (recordId === undefined && on === 'record')
      throw new AppError('INVALID_REQUEST', `The action '${name}' takes one record, by its path`)
    if (recordId !== undefined && on === 'model') throw new AppError('INVALID_REQUEST', `The action '${name}' takes no record`)
    const id = recordId === undefined ? undefined : readRecordId(recordId)
    const { ids: named = [], selection, input: sent } = readActionRequest(body, on !== 'model' && id === undefined)
    const input = await readInput(this.#store, this.#access, actor, action, sent, this.#parts)
    const data = setValues(action, input, actor, this.#parts)
    checkUpdateKeys(actor, model, undefined, data).throwIfAny()
    const ids = id === undefined ? named : [id]
    let found: readonly StoredRecord[] = []
    // What the code of an action writes belongs to none of its records.
    const prefix: Prefix = (index) =>
      id !== undefined || index < 0 ? '' : selection === undefined ? byIndex(index) : `${found[index]?.id}.`
    if (action.run !== undefined) checkCount(action, selection?.expectedTotal ?? ids.length)
    const call: ActionCall | undefined = action.run === undefined ? undefined : { action, code: action.run, input }
    const viaAction = { ...options, origin: { ...options.origin, via: 'action' as const } }
    const context = { actor, model, options: viaAction, ids, prefix, isPermitted: true, call }
    const read = async (records: RecordReader): Promise<readonly StoredRecord[]> => {
      if (selection !== undefined) return this.#targets.selected(actor, model, selection)
      if (id === undefined) return this.#targets.named(records, actor, model, ids)
      return [await this.#targets.one(records, actor, model, id, 'RECORD_NOT_FOUND', options.precondition)]
    }
    let related: readonly RelatedRecord[] = []
    const change = async (reader: RecordReader) => {
      found = await read(reader)
      related = await checkAction(reader, this.#access, actor, action, found)
      return found.map((existing) => ({ existing, data }))
    }
    const records = await this.#change(context, undefined, change, () => related)
    return { message: actionMessage(action, records.length, call?.returned), records }
  }

  /**
   * Runs code whose writes are stored together or not at all. It runs again if a record that it has read changes before the commit.
   *
   * @returns what the code has returned
   */
  async runTogether(actor: Actor, code: ActionCode, options: CommitOptions): Promise<unknown> {
    const call: ActionCall = { action: { model: TRANSACTION, input: TRANSACTION }, code, input: {} }
    const context = { actor, model: TRANSACTION, options, prefix: () => '', call }
    const complete = this.#committer.completing(context, 'write')
    if (complete === undefined) throw new Error('The project has no code')
    await this.#committer.write(context, async (records) => ({ writes: [], completion: await complete(context, [], records) }))
    return call.returned
  }

  /**
   * Changes stored records.
   *
   * @param read finds them, with the values to set; called again if they change before the commit
   * @param readsOf what it has read besides, and what must be so when the write commits
   */
  #change(
    context: WriteContext,
    form: Form | undefined,
    read: (records: RecordReader) => Promise<readonly { readonly existing: StoredRecord; readonly data: RecordData }[]>,
    readsOf: () => Completion['reads'] = () => [],
  ): Promise<readonly StoredRecord[]> {
    const { model } = context
    const complete = this.#committer.completing(context, 'write')
    return this.#committer.write(context, async (records) => {
      const targets = await this.#hooks.resolved(context, await read(records), records)
      await this.#hooks.beforeWrite(context, targets)
      if (complete !== undefined) {
        const open = await mapInSlices(targets, ({ existing, data }) =>
          openWrite(OpenDraft.ofChange(model, form, existing, data, this.#parts)),
        )
        return completed(complete, context, records, open, readsOf())
      }
      const writes = await mapInSlices(targets, ({ existing, data }) => {
        return { model, form, existing, draft: draftChange(model, form, existing, data, this.#parts) }
      })
      const reads = readsOf()
      return reads.length === 0 ? writes : { writes, completion: { writes: [], removals: [], reads } }
    })
  }

  /**
   * Computes the fields that hooks compute again, of up to 1,000 records, for superusers. No other hooks run before the write.
   *
   * @param body `{model, after?, dry_run?}`: the records with the next ids
   * @returns the number of records that were read, and of those that changed, and the id of the last one; null at the end of the model
   * @throws {AppError} FORBIDDEN, MODEL_NOT_FOUND, INVALID_REQUEST if hooks compute no field
   */
  async recompute(actor: Actor, body: unknown, origin?: WriteOrigin): Promise<Recomputation> {
    if (!actor.isSuperuser) throw forbidden(actor)
    const { modelKey, after, dryRun } = readRecomputation(body)
    const model = this.#access.modelFor(actor, 'change', modelKey)
    const computed = [...model.fields.values()].filter((field) => field.computed)
    if (computed.length === 0) throw new AppError('INVALID_REQUEST', `Hooks compute no field of ${model.name}`)
    let found: readonly StoredRecord[] = []
    const prefix = (index: number) => `${found[index]?.id}.`
    const context = { actor, model, prefix, options: { dryRun, origin, recompute: true } }
    const stored = await this.#change(context, undefined, async () => {
      found = await this.#targets.following(model, after, MAX_BULK_RECORDS)
      return found.map((existing) => ({ existing, data: {} }))
    })
    const isOther = (record: StoredRecord, index: number) =>
      computed.some(({ name }) => !isSameValue(record[name] ?? null, found[index]?.[name] ?? null))
    return { read: found.length, changed: stored.filter(isOther).length, last: found.at(-1)?.id ?? null }
  }

  /**
   * Creates, changes and deletes records of any models in one transaction, in the order of the operations.
   *
   * @param body `{operations: [{method, model, id?, data?, form_id?, if_match?, ref?}…]}`
   * @returns the records in the order of the operations, with their models
   * @throws {AppError} VALIDATION_FAILED by `<index>.<field>`, FORBIDDEN, RECORD_REFERENCED
   */
  async batch(actor: Actor, body: unknown, options: CommitOptions = {}): Promise<readonly BatchedRecord[]> {
    const modelFor = (action: WriteAction, key: string) => {
      if (action === 'add') return this.#createModel(actor, key)
      return action === 'change' ? this.#updateModel(actor, key) : this.#access.modelFor(actor, action, key)
    }
    const parts = {
      store: this.#store,
      access: this.#access,
      hooks: this.#hooks,
      parts: this.#parts,
      modelFor,
      forms: this.#forms,
    }
    const batch = new Batch(parts, actor, options, body)
    const written = await batch.commit(this.#committer, TRANSACTION)
    if (batch.removes) this.#memory.removed()
    return written
  }

  async remove(actor: Actor, modelKey: string, recordId: string | number, options: WriteOptions = {}): Promise<StoredRecord> {
    return only(await this.#remove(actor, this.#targets.removal(actor, modelKey, recordId, options.precondition), options))
  }

  /**
   * Restores a deleted record, with its id and what its deletion took with it.
   *
   * @param history has the deletion
   * @throws {AppError} RECORD_NOT_FOUND, RESTORE_REFUSED
   */
  restore(
    actor: Actor,
    modelKey: string,
    recordId: string | number,
    history: DeletionHistory,
    options: WriteOptions = {},
  ): Promise<RestoredRecord> {
    const model = this.#createModel(actor, modelKey)
    this.#access.modelFor(actor, 'view', modelKey)
    const context = { store: this.#store, access: this.#access, hooks: this.#hooks, parts: this.#parts, actor, model, options }
    return restoreRecord(this.#committer, context, readRecordId(recordId), history)
  }

  /** Computes the consequences of deleting a record. */
  async forecastRemoval(
    actor: Actor,
    modelKey: string,
    recordId: string | number,
    { precondition }: WriteOptions = {},
  ): Promise<VisibleRemovals> {
    return this.#forecast(actor, this.#targets.removal(actor, modelKey, recordId, precondition))
  }

  /** @param body `{ids: [integer…]}`, or `{filters, expected_total, …}` for all records that match */
  async removeMany(actor: Actor, modelKey: string, body: unknown, options: WriteOptions = {}): Promise<readonly StoredRecord[]> {
    return this.#remove(actor, this.#targets.removalOfMany(actor, modelKey, body), options, byIndex)
  }

  /** Computes the consequences of deleting several records. */
  async forecastRemovalOfMany(actor: Actor, modelKey: string, body: unknown): Promise<VisibleRemovals> {
    return this.#forecast(actor, this.#targets.removalOfMany(actor, modelKey, body))
  }

  async #remove(
    actor: Actor,
    { model, ids, read }: Removal,
    options: WriteOptions,
    prefix?: Prefix,
  ): Promise<readonly StoredRecord[]> {
    const removed = await this.#committer.remove(
      { actor, model, options, ids, ...(prefix === undefined ? {} : { prefix }) },
      read,
    )
    this.#memory.removed()
    return removed
  }

  #forecast(actor: Actor, { model, read }: Removal): Promise<VisibleRemovals> {
    return this.#committer.forecastRemoval({ actor, model }, read)
  }

  /** Sets fields on behalf of the server, such as the time of a login. No validation, no code; `updated_at` does not change. */
  async updateInternal(modelKey: string, id: number, values: Readonly<Record<string, Json>>): Promise<void> {
    const model = this.#access.registry.expect(modelKey)
    const context = { actor: SYSTEM, model, ids: [id], options: { withoutCode: true } }
    await this.#committer.write(context, async (records) => {
      const existing = await this.#targets.one(records, SYSTEM, model, id, 'RECORD_NOT_FOUND', undefined)
      return [{ model, existing, draft: { data: values, values, issues: new FieldIssues() }, quiet: true }]
    })
  }

  /** @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, MEMORY_FULL */
  #createModel(actor: Actor, modelKey: string): Model {
    const model = this.#access.modelFor(actor, 'add', modelKey)
    if (!model.internal) this.#memory.throwIfFull()
    return model
  }

  /**
   * An update of an unknown model is a 400, where other operations answer 404. While memory is full, accounts are changed all the same: a
   * superuser must be able to disable one.
   *
   * @throws {AppError} UPDATE_TARGET_MISSING, FORBIDDEN, MEMORY_FULL
   */
  #updateModel(actor: Actor, modelKey: string): Model {
    try {
      const model = this.#access.modelFor(actor, 'change', modelKey)
      if (!model.internal && model.key !== 'user') this.#memory.throwIfFull()
      return model
    } catch (error) {
      const missing = error instanceof AppError && error.code === 'MODEL_NOT_FOUND'
      throw missing ? new AppError('UPDATE_TARGET_MISSING', error.details) : error
    }
  }
}

function only<T>(records: readonly T[]): T {
  const [record] = records
  if (record === undefined) throw new Error('The store returned no record for an operation')
  return record
}

/** @throws {AppError} VALIDATION_FAILED that names each record that has another version than its `if_match` */
function throwIfChanged(model: Model, found: readonly StoredRecord[], updates: readonly BulkUpdateItem[]): void {
  const changed = found.flatMap((existing, index) => {
    const tags = updates[index]?.if_match ?? '*'
    if (tags === '*' || preconditionOf(tags)(versionOf(existing), existing)) return []
    const issues = new FieldIssues()
    issues.add('if_match', changedSinceRead(model, existing.id))
    return [{ index, issues }]
  })
  throwIssues(changed, byIndex)
}

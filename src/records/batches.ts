import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { type RecordReader, type Store, type StoredRecord, versionOf } from '../store/store.ts'
import { groupBy } from '../util/json.ts'
import { mapInSlices } from '../util/slices.ts'
import { didYouMean } from '../util/suggest.ts'
import type { Form } from '../validate/form.ts'
import { FieldIssues } from '../validate/issues.ts'
import { BatchReferences } from './batch-references.ts'
import { type OperationRequest, readBatch } from './batch-requests.ts'
import type { Committer } from './committer.ts'
import { completed, openWrite } from './completed-drafts.ts'
import { checkUpdateKeys, type DraftedWrite, type DraftParts, draftRemoval, OpenDraft } from './drafts.ts'
import { type FormSources, formOf } from './form-sources.ts'
import type { ChangeOfModel, CommitOptions, CompletedWrite, Hooks, WriteContext } from './hooks.ts'
import { byIndex, throwIssues } from './outcomes.ts'
import type { RecordData } from './write-requests.ts'
import { changedSinceRead, preconditionOf } from './write-targets.ts'

/** What batches need of the write path. */
interface BatchParts {
  readonly store: Store
  readonly access: AccessRules
  readonly hooks: Hooks
  readonly parts: DraftParts
  readonly forms: FormSources
  /** The model that an operation names. @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, MEMORY_FULL */
  readonly modelFor: (action: 'add' | 'change' | 'delete', key: string) => Model
}

/** A record that an operation has created, changed or deleted. */
export interface BatchedRecord {
  readonly model: Model
  readonly record: StoredRecord
  readonly isDeleted: boolean
}

const ACTIONS = { create: 'add', update: 'change', delete: 'delete' } as const

/** An operation with what it names. */
interface Planned {
  readonly operation: OperationRequest
  readonly model: Model
  readonly form: Form | undefined
}

/** Operations on records of any models, which one transaction commits in their order. */
export class Batch {
  readonly #parts: BatchParts
  readonly #actor: Actor
  readonly #options: CommitOptions
  readonly #planned: readonly Planned[]
  readonly #references: BatchReferences

  /**
   * @param body as received
   * @throws {AppError} VALIDATION_FAILED by `<index>.<field>`, FORBIDDEN for what the actor may not do with a model
   */
  constructor(parts: BatchParts, actor: Actor, options: CommitOptions, body: unknown) {
    this.#parts = parts
    this.#actor = actor
    this.#options = options
    const operations = readBatch(body)
    const issues = operations.map(() => new FieldIssues())
    const planned = operations.map((operation, index) => this.#planOf(operation, issues[index] ?? new FieldIssues()))
    noteTwins(planned, issues)
    this.#references = new BatchReferences(planned, issues)
    throwIssues(
      issues.map((each, index) => ({ index, issues: each })),
      byIndex,
    )
    this.#planned = planned.filter((each) => each !== undefined)
  }

  /** True if it deletes records. */
  get removes(): boolean {
    return this.#planned.some(({ operation }) => operation.method === 'delete')
  }

  /**
   * Commits the operations, all or none.
   *
   * @param mixed stands for the model of a write of several models
   * @throws {AppError} as `Committer.write`
   */
  async commit(committer: Committer, mixed: Model): Promise<readonly BatchedRecord[]> {
    const context = this.#contextOf(mixed)
    const isTakenId = ({ kind, ...violation }: { readonly kind: string; readonly field?: string }) =>
      kind === 'unique' && violation.field === 'id'
    const records = await committer.write(
      context,
      (reader) => this.#drafts(committer, context, reader),
      (violations) => {
        // Another program has written a record with an id of its own.
        const isTaken = violations.some(isTakenId)
        if (isTaken) this.#references.forgetIds()
        return isTaken
      },
    )
    return records.flatMap((record, index) => {
      const { model, operation } = this.#planned[index] ?? {}
      return model === undefined ? [] : [{ model, record, isDeleted: operation?.method === 'delete' }]
    })
  }

  #contextOf(mixed: Model): WriteContext {
    const kinds = new Map<string, ChangeOfModel>()
    for (const { model, operation } of this.#planned) {
      const change = operation.method === 'delete' ? 'remove' : 'write'
      kinds.set(`${model.key} ${change}`, { model, change })
    }
    const models = new Set(this.#planned.map(({ model }) => model))
    const [model = mixed] = models
    const common = { actor: this.#actor, options: this.#options, prefix: byIndex, kinds: [...kinds.values()] }
    if (models.size !== 1) return { ...common, model: mixed }
    const ids = this.#planned.flatMap(({ operation }) => (operation.method === 'create' ? [] : [operation.id]))
    return { ...common, model, ids }
  }

  #planOf(operation: OperationRequest, issues: FieldIssues): Planned | undefined {
    const { method, model: key, formId } = operation
    const model = orIssue(
      () => this.#parts.modelFor(ACTIONS[method], key),
      (error) => {
        const { access } = this.#parts
        const known = access.registry.public.filter((each) => access.may(this.#actor, ACTIONS[method], each))
        return issues.add(
          'model',
          `${error}${didYouMean(
            key,
            known.map((each) => each.key),
          )}`,
        )
      },
    )
    if (model === undefined) return undefined
    const form = orIssue(
      () => formOf(this.#parts.forms, formId, model),
      (error) => issues.add('form_id', error),
    )
    if (method === 'update') issues.addAll(checkUpdateKeys(this.#actor, model, form, operation.data))
    return { operation, model, form }
  }

  /** The drafts of the operations, made from the stored records as they are. */
  async #drafts(
    committer: Committer,
    context: WriteContext,
    reader: RecordReader,
  ): Promise<readonly DraftedWrite[] | CompletedWrite> {
    const { parts, store } = this.#parts
    const targets = await this.#targets(reader)
    await this.#references.takeIds(store, this.#options.dryRun === true ? 'rehearse' : 'commit')
    const data = await this.#prepared(targets, reader)
    const complete = committer.completing(context, 'write')
    const drafts = await mapInSlices(this.#planned, ({ operation, model, form }, index): DraftedWrite => {
      const existing = targets[index]
      if (existing !== undefined && operation.method === 'delete') return draftRemoval(model, existing)
      const sent = data.get(index) ?? {}
      const open =
        existing === undefined
          ? OpenDraft.ofNew(this.#actor, model, form, sent, parts)
          : OpenDraft.ofChange(model, form, existing, sent, parts)
      const id = this.#references.newIdOf(index)
      return { ...openWrite(open), ...(id === undefined ? {} : { id }) }
    })
    if (complete !== undefined) return completed(complete, context, reader, drafts)
    return mapInSlices(drafts, ({ open, ...write }) => (open === undefined ? write : { ...write, draft: open.finish() }))
  }

  /**
   * The stored records of the operations; undefined for a creation.
   *
   * @throws {AppError} VALIDATION_FAILED for those that do not exist, or have another version than `if_match`
   */
  async #targets(reader: RecordReader): Promise<readonly (StoredRecord | undefined)[]> {
    const found: (StoredRecord | undefined)[] = this.#planned.map(() => undefined)
    const named = this.#planned.flatMap(({ operation, model }, index) =>
      operation.method === 'create' ? [] : [{ model, index, id: operation.id, tags: operation.ifMatch ?? '*' }],
    )
    const refused: { readonly index: number; readonly issues: FieldIssues }[] = []
    const refuse = (index: number, name: string, message: string) => {
      const issues = new FieldIssues()
      issues.add(name, message)
      refused.push({ index, issues })
    }
    for (const [model, ofModel] of groupBy(named, (each) => each.model)) {
      const ids = ofModel.map(({ id }) => id)
      const records = await this.#parts.access.read(reader, this.#actor, model, ids)
      for (const [position, { index, id, tags }] of ofModel.entries()) {
        const record = records[position]
        found[index] = record
        if (record === undefined) refuse(index, 'id', noSuchRecord(model, id))
        else if (tags !== '*' && !preconditionOf(tags)(versionOf(record), record))
          refuse(index, 'if_match', changedSinceRead(model, id))
      }
    }
    throwIssues(refused, byIndex)
    return found
  }

  /** Runs the hooks before the write. @returns the values to set, with ids and files, by operation */
  async #prepared(
    targets: readonly (StoredRecord | undefined)[],
    reader: RecordReader,
  ): Promise<ReadonlyMap<number, RecordData>> {
    const { hooks } = this.#parts
    const prepared = new Map<number, RecordData>()
    const all = this.#planned.map(({ operation, model }, index) => {
      const data = operation.method === 'delete' ? undefined : this.#references.dataOf(index, operation.data)
      return { model, index, existing: targets[index], data }
    })
    for (const [model, ofModel] of groupBy(all, (each) => each.model)) {
      const context = { actor: this.#actor, model, options: this.#options }
      const written = await hooks.resolved(
        context,
        ofModel.filter(({ data }) => data !== undefined),
        reader,
      )
      for (const { index, data } of written) if (data !== undefined) prepared.set(index, data)
      await hooks.beforeWrite(context, [...written, ...ofModel.filter(({ data }) => data === undefined)])
    }
    return prepared
  }
}

/** Calls a function; what an expected error says is an issue. */
function orIssue<T>(look: () => T, note: (message: string) => void): T | undefined {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof AppError) || typeof error.details !== 'string' || !NAMING.has(error.code)) throw error
    note(error.details)
    return undefined
  }
}

/** Codes of the errors about names that an operation has. */
const NAMING: ReadonlySet<string> = new Set(['MODEL_NOT_FOUND', 'UPDATE_TARGET_MISSING', 'FORM_NOT_FOUND'])

/** Adds an issue to each operation that names the record of an earlier one. */
function noteTwins(planned: readonly (Planned | undefined)[], issues: readonly FieldIssues[]): void {
  const first = new Map<string, number>()
  for (const [index, each] of planned.entries()) {
    if (each === undefined || each.operation.method === 'create') continue
    const { model, operation } = each
    const key = `${model.key} ${operation.id}`
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, index)
    else
      issues[index]?.add(
        'id',
        `${model.name} with ID ${operation.id} is that of operation ${earlier} already; put both changes into one operation`,
      )
  }
}

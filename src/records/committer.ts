import type { AccessRules } from '../access/access-rules.ts'
import { checkPresentRights } from '../access/present-rights.ts'
import { type Action, type Actor, forbidden, SYSTEM } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Operation, Outcome, RecordReader, SideRecords, Store, StoredRecord, Violation } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { groupBy } from '../util/json.ts'
import { FieldIssues } from '../validate/issues.ts'
import { LARGE, WriteTurns } from './admission.ts'
import { completedRemoval, completedWrite, type DecidedWrite, ownRecords, removals } from './decided-write.ts'
import type { DraftedWrite, OpenDraft, OperationBuilder } from './drafts.ts'
import type { Complete, CompletedWrite, Completion, Hooks, OpenChange, OpenTransaction, Rehearse, WriteContext } from './hooks.ts'
import { LargeWrite } from './large-write.ts'
import {
  blocksOf,
  brokenConstraints,
  consequencesOf,
  type IndexedIssues,
  type Prefix,
  referencedError,
  throwIssues,
  type VisibleRemovals,
  visibleOutcome,
  withoutPrefix,
} from './outcomes.ts'
import type { RecordData } from './write-requests.ts'
import type { Removal } from './write-targets.ts'

/** Maximum number of attempts of a write whose records are changed by concurrent writes. */
const MAX_ATTEMPTS = 1000

/** The same, of a write that runs code of the project. */
const MAX_CODE_ATTEMPTS = 20

/** A write that is repeated while its records change between read and commit. */
interface RepeatedWrite {
  /** Decides, by the present records, what the transaction does. Throws to refuse the write. */
  decide(records: RecordReader): Promise<DecidedWrite>
  /** Throws what no repetition would change. @returns true to repeat a refused write */
  judge(outcome: Outcome): boolean | Promise<boolean>
  /** True if code of the project takes part, for which no transaction may be open. */
  readonly isCoded?: boolean
}

/** An attempt to commit a write. */
interface Attempt {
  readonly outcome: Outcome
  /** Number of drafts or removals. */
  readonly size: number
  /** The records of the model that it changes or deletes. */
  readonly ids: readonly number[]
}

/** The last step of the write path: commits drafts to the store and translates constraint violations into messages of the API. */
export class Committer {
  readonly #rules: AccessRules
  readonly #store: Store
  readonly #hooks: Hooks
  readonly #builder: OperationBuilder
  readonly #clock: Clock
  /** Hours for which an upload is kept, for messages. */
  readonly #uploadHours: number
  readonly #turns: WriteTurns

  constructor(parts: {
    rules: AccessRules
    store: Store
    hooks: Hooks
    builder: OperationBuilder
    clock: Clock
    uploadHours: number
  }) {
    this.#rules = parts.rules
    this.#store = parts.store
    this.#hooks = parts.hooks
    this.#builder = parts.builder
    this.#clock = parts.clock
    this.#uploadHours = parts.uploadHours
    this.#turns = new WriteTurns(parts.store, parts.rules)
  }

  /**
   * Commits drafts in one transaction.
   *
   * @param read makes the drafts from the stored records, with what code of the project adds; called again if those change before the commit
   * @param isRepeated true for violations that a concurrent write may have caused, which `read` would then see
   * @returns the stored records, in the order of the drafts; records of a dry run have provisional ids
   * @throws {AppError} VALIDATION_FAILED with the errors of all drafts, FORBIDDEN for a record that the actor may not write, and what hooks
   *   throw
   */
  write(
    context: WriteContext,
    read: (records: RecordReader) => Promise<readonly DraftedWrite[] | CompletedWrite>,
    isRepeated: (violations: readonly Violation[], writes: readonly DraftedWrite[]) => boolean = () => false,
  ): Promise<readonly StoredRecord[]> {
    const { actor, model, isPermitted = false } = context
    let writes: readonly DraftedWrite[] = []
    let from = 0
    const prefix = (index: number) => placesOf(context, writes, from)(index)
    return this.#untilCurrent(context, {
      isCoded: this.#hooks.completing(context, 'write') !== undefined,
      decide: async (records) => {
        const drafted = await read(records)
        const { writes: own, completion } = 'completion' in drafted ? drafted : { writes: drafted, completion: undefined }
        const ofCode = completion?.writes ?? []
        // A removal may change the records that the writes of code expect.
        const isRemoving = own.some(({ isRemoval }) => isRemoval)
        from = isRemoving ? ofCode.length : 0
        writes = ofCode.length === 0 ? own : isRemoving ? [...ofCode, ...own] : [...own, ...ofCode]
        if (writes.some(({ draft }) => draft.issues.any)) throwIssues(await this.#issuesOf(writes), prefix)
        const isQuiet = writes.every(({ quiet }) => quiet === true)
        const operations = await this.#builder.operations(writes, context.options?.dryRun)
        if (completion === undefined) return { operations, isQuiet }
        const place = { from, count: own.length }
        return completedWrite(operations, writes, place, completion, isPermitted ? actor : undefined)
      },
      judge: async (outcome) => {
        if (outcome.ok) return false
        throwIfDenied(outcome, actor)
        if (isRepeated(outcome.violations, writes)) return true
        throwIssues(this.#broken(outcome, writes), prefix)
        await this.#throwIfReferenced(outcome, actor, (index) => writes[index]?.model ?? model)
        return false
      },
    })
  }

  /** The stage in which code of the project completes changes of a model; undefined if none does. */
  completing(write: WriteContext, change: 'write' | 'remove'): Complete | undefined {
    const complete = this.#hooks.completing(write, change)
    if (complete === undefined) return undefined
    return async (context, changes, records) => {
      const rehearse: Rehearse = (operations) => this.#store.transact(operations, 'rehearse')
      const completion = await this.#withFiles(context, changes, await complete(context, changes, records, rehearse), records)
      if (completion.writes.length + completion.removals.length > 0 || (completion.setters?.size ?? 0) > 0)
        await this.#judge(context, changes, completion)
      return completion
    }
  }

  /** Looks up the files that code has set. */
  async #withFiles(
    { actor }: WriteContext,
    changes: readonly OpenChange[],
    completion: Completion,
    records: RecordReader,
  ): Promise<Completion> {
    if (this.#rules.registry.withFiles.length === 0) return completion
    const drafts = [...changes.map(({ draft }) => draft), ...completion.writes.map(({ open }) => open)]
    const open = new Set(drafts.filter((draft) => draft !== undefined && Object.keys(draft.openFiles).length > 0))
    for (const [model, ofModel] of groupBy(
      [...open].filter((draft) => draft !== undefined),
      (draft) => draft.model,
    )) {
      const targets = ofModel.map((draft) => ({ draft, existing: draft.existing, data: draft.openFiles }))
      for (const { draft, data } of await this.#hooks.resolved({ actor, model }, targets, records)) draft.setFiles(data)
    }
    const writes = completion.writes.map((write) =>
      write.open !== undefined && open.has(write.open) ? { ...write, draft: write.open.finish() } : write,
    )
    return open.size === 0 ? completion : { ...completion, writes }
  }

  #broken(outcome: Outcome, writes: readonly DraftedWrite[]): readonly IndexedIssues[] {
    return brokenConstraints(outcome, writes, this.#uploadHours)
  }

  /** Runs what hooks do before a write for the stored records that code changes with the rights of an actor. @throws {AppError} FORBIDDEN */
  async #judge(
    { actor: general, options = {} }: WriteContext,
    own: readonly OpenChange[],
    { writes, removals, setters }: Completion,
  ): Promise<void> {
    const byActor = (open: OpenDraft | undefined): RecordData =>
      Object.fromEntries([...((open && setters?.get(open)?.byActor) ?? [])].map((name) => [name, open?.values[name] ?? null]))
    const ofRequest = own.flatMap(({ model, existing, draft }) =>
      draft !== undefined && setters?.has(draft) === true ? [{ model, existing, data: byActor(draft), actor: general }] : [],
    )
    const changes = writes.map(({ model, existing, open, actor }) => ({ model, existing, data: byActor(open), actor }))
    const deletions = removals.map(({ model, record, actor }) => ({ model, existing: record, data: undefined, actor }))
    for (const { model, existing, data, actor = general } of [...ofRequest, ...changes, ...deletions]) {
      if (existing !== undefined && (!actor.isSuperuser || actor.key !== undefined))
        await this.#hooks.beforeWrite({ actor, model, options }, [{ existing, data }])
    }
  }

  /** True if the store takes a transaction in parts. */
  get writesInParts(): boolean {
    return this.#store.transactInParts !== undefined
  }

  /**
   * Commits drafts in one transaction, as `write` does, without having all of them in memory. No draft may depend on a later one, or change
   * the access of a user.
   *
   * @param read makes the drafts from the stored records; begins again at each call
   */
  async writeInParts(context: WriteContext, read: () => AsyncIterable<readonly DraftedWrite[]>): Promise<void> {
    const { actor, model, prefix = withoutPrefix, options } = context
    const write = new LargeWrite(
      {
        transact: (mode, work) =>
          this.#store.transactInParts?.(mode, work) ?? Promise.reject(new Error('The store takes no parts')),
        transaction: async (writes, mode) => {
          const part = { ...context, options: { ...options, dryRun: mode === 'rehearse' } }
          return this.#transaction(part, { operations: await this.#builder.operations(writes, part.options.dryRun) })
        },
        issues: (violations, writes) => {
          throwIfDenied({ ok: false, violations }, actor)
          return new Map(this.#broken({ ok: false, violations }, writes).map(({ index, issues }) => [index, issues]))
        },
      },
      read,
    )
    if (!(await write.run(prefix, options?.dryRun))) throw keepsChanging(model)
  }

  /**
   * Deletes records in one transaction.
   *
   * @param read returns the stored records to delete
   * @returns the deleted records
   * @throws {AppError} RECORD_REFERENCED if other records refer to one of them, FORBIDDEN, and what hooks throw
   */
  remove(context: WriteContext, read: Removal['read']): Promise<readonly StoredRecord[]> {
    const { actor, model } = context
    const complete = this.completing(context, 'remove')
    let writes: readonly DraftedWrite[] = []
    return this.#untilCurrent(context, {
      isCoded: complete !== undefined,
      decide: async (records) => {
        const { decided, completion } = await this.#decideRemoval(context, await read(records), complete, records)
        writes = completion?.writes ?? []
        return decided
      },
      judge: async (outcome) => {
        throwIfDenied(outcome, actor)
        if (!outcome.ok) throwIssues(this.#broken(outcome, writes), placesOf(context, writes))
        await this.#throwIfReferenced(outcome, actor, () => model)
        return false
      },
    })
  }

  /** @param complete lets code of the project complete the removal */
  async #decideRemoval(
    context: WriteContext,
    targets: readonly StoredRecord[],
    complete: Complete | undefined,
    reader: RecordReader,
  ): Promise<{ records: readonly StoredRecord[]; decided: DecidedWrite; completion?: Completion }> {
    const { model } = context
    const records = await this.#readForRemoval(context, targets)
    if (complete === undefined) return { records, decided: { operations: removals(model, records) } }
    const changes = records.map((existing) => ({ model, existing, draft: undefined }))
    const completion = await complete(context, changes, reader)
    const { writes } = completion
    if (writes.some(({ draft }) => draft.issues.any)) throwIssues(await this.#issuesOf(writes), placesOf(context, writes))
    const written = await this.#builder.operations(writes, context.options?.dryRun)
    return { records, decided: completedRemoval(model, records, written, completion), completion }
  }

  /** @param modelOf returns the model of an operation. @throws {AppError} RECORD_REFERENCED */
  async #throwIfReferenced(outcome: Outcome, actor: Actor, modelOf: (index: number) => Model): Promise<void> {
    if (outcome.ok || !outcome.violations.some(({ kind }) => kind === 'restrict')) return
    const known = await visibleOutcome(this.#rules, this.#store, actor, outcome)
    const referenced = known.ok ? undefined : referencedError(known.violations, modelOf, this.#rules.registry)
    if (referenced !== undefined) throw referenced
  }

  /**
   * Determines what a deletion would do.
   *
   * @param read returns the stored records to delete
   * @throws {AppError} FORBIDDEN, and what hooks throw, as `remove` does
   */
  async forecastRemoval(
    { actor, model }: Pick<WriteContext, 'actor' | 'model'>,
    read: Removal['read'],
  ): Promise<VisibleRemovals> {
    const context = { actor, model, options: { dryRun: true } }
    const complete = this.completing(context, 'remove')
    const { records, decided } = await this.#decideRemoval(context, await read(this.#store), complete, this.#store)
    const outcome = await this.#transact(context, decided)
    throwIfDenied(outcome, actor)
    const known = await visibleOutcome(this.#rules, this.#store, actor, outcome)
    const blockedBy = blocksOf(known, this.#rules, actor)
    if (!known.ok && blockedBy.length === 0) throw keepsChanging(model)
    const consequences = consequencesOf(known, { model, registry: this.#rules.registry, deleted: records })
    return { records, consequences, blockedBy }
  }

  async #readForRemoval(context: WriteContext, records: readonly StoredRecord[]): Promise<readonly StoredRecord[]> {
    await this.#hooks.beforeWrite(
      context,
      records.map((existing) => ({ existing })),
    )
    return records
  }

  /**
   * Creates records of the initial state in one transaction, without hooks but code of the project. Returns the errors by index; if there are any,
   * nothing is committed.
   *
   * @param read makes the drafts; called again if records that code has read change before the commit
   * @throws {AppError} WRITE_CONFLICT if they keep changing, RECORD_REFERENCED if code deletes a record that others refer to
   */
  async load(
    model: Model,
    read: (attempt: number) => Promise<readonly DraftedWrite[] | CompletedWrite>,
  ): Promise<readonly IndexedIssues[]> {
    for (let attempt = 0; attempt < MAX_CODE_ATTEMPTS; attempt++) {
      const faults = await this.#loaded(model, await read(attempt))
      if (faults !== undefined) return faults
    }
    throw keepsChanging(model)
  }

  /** @returns undefined if a record has changed since code has read it */
  async #loaded(model: Model, drafted: readonly DraftedWrite[] | CompletedWrite): Promise<readonly IndexedIssues[] | undefined> {
    const { writes: own, completion } = 'completion' in drafted ? drafted : { writes: drafted, completion: undefined }
    const writes = completion === undefined ? own : [...own, ...completion.writes]
    const issues = await this.#issuesOf(writes)
    const caused = (faults: readonly IndexedIssues[]) =>
      faults.map(({ index, issues: each }) => {
        const issues = new FieldIssues()
        issues.addAll(each, placesOf({}, writes)(index))
        return { index: writes[index]?.cause ?? index, issues }
      })
    if (issues.length > 0) return caused(issues)
    const operations = await this.#builder.operations(writes)
    const place = { from: 0, count: own.length }
    const all = completion === undefined ? operations : completedWrite(operations, writes, place, completion).operations
    const outcome = await this.#store.transact(all, 'commit', { files: this.#files })
    const broken = this.#broken(outcome, writes)
    if (outcome.ok || broken.length > 0) return caused(broken)
    await this.#throwIfReferenced(outcome, SYSTEM, () => model)
    if (outcome.violations.some(({ kind }) => kind === 'stale' || kind === 'missing')) return undefined
    throw new Error(`The store refused a transaction: ${JSON.stringify(outcome.violations)}`)
  }

  /** Commits operations on internal tables without validation and without hooks. */
  commitInternal(operations: readonly Operation[]): Promise<Outcome> {
    const stray = operations.find(({ kind, table }) => kind !== 'assert' && !this.#rules.registry.expect(table).internal)
    if (stray !== undefined) throw new Error(`'${stray.table}' is no table of the server's own`)
    return this.#store.transact(operations)
  }

  /** Commits operations that follow from a change of the models, without validation and without hooks. */
  commitMigration(operations: readonly Operation[]): Promise<Outcome> {
    return this.#store.transact(operations, 'commit', { files: this.#files })
  }

  /** Commits operations with what hooks add, or rehearses them. Returns the records of the given operations. */
  async #transact(write: WriteContext, decided: DecidedWrite): Promise<Outcome> {
    const { operations } = decided
    if (write.options?.dryRun === true) {
      const rehearsed = await this.#transaction(write, decided)
      return ownRecords(await this.#store.transact(rehearsed.operations, 'rehearse'), decided)
    }
    let transaction: OpenTransaction
    do {
      await this.#turns.admitted(write.actor, operations.length)
      transaction = await this.#transaction(write, decided)
      // Another transaction may have begun while hooks read.
    } while (this.#store.running !== undefined)
    const outcome = await this.#store.transact(transaction.operations, 'commit', sideRecordsOf(transaction))
    if (outcome.ok) await this.#hooks.afterCommit(outcome.changes, write)
    return ownRecords(outcome, decided)
  }

  /** Commits operations that are decided on locked records, with what hooks add. @param locked called when they are locked */
  async #transactLocked(
    write: WriteContext,
    ids: readonly number[],
    decide: RepeatedWrite['decide'],
    next: () => void,
  ): Promise<Attempt> {
    let decided: DecidedWrite = { operations: [] }
    const outcome = await this.#store.transactLocked?.(write.model.key, ids, async (records) => {
      next()
      decided = await decide(records)
      // The write has waited for its turn and for the locks.
      await checkPresentRights(records, this.#rules, write.actor)
      const transaction = await this.#transaction(write, decided)
      return { operations: transaction.operations, notes: sideRecordsOf(transaction) }
    })
    if (outcome === undefined) throw new Error('The store locks no records')
    if (outcome.ok) await this.#hooks.afterCommit(outcome.changes, write)
    return attemptOf(ownRecords(outcome, decided), write.model, decided.operations)
  }

  /** The time at which a transaction releases files; undefined for models without any. */
  get #files(): SideRecords['files'] {
    return this.#rules.registry.withFiles.length === 0 ? undefined : { at: isoTime(this.#clock()) }
  }

  /** A transaction of operations under the conditions of the actor's rights, with what hooks add. */
  async #transaction(write: WriteContext, { operations, actors, isQuiet = false }: DecidedWrite): Promise<OpenTransaction> {
    const transaction: OpenTransaction = {
      write,
      isQuiet,
      operations: this.#guarded(write, operations, actors),
      files: this.#files,
      rehearse: () => this.#store.transact(transaction.operations, 'rehearse'),
    }
    await this.#hooks.inTransaction(transaction)
    return transaction
  }

  /** Adds the conditions under which the actor may change the records. */
  #guarded(
    { actor: general, isPermitted = false }: WriteContext,
    operations: readonly Operation[],
    actors: DecidedWrite['actors'],
  ): readonly Operation[] {
    if (general.isSuperuser) return operations
    return operations.map((operation): Operation => {
      const own = actors?.get(operation)
      const actor = own ?? general
      if (operation.kind === 'assert' || actor.isSuperuser || (isPermitted && own === undefined)) return operation
      const allowed = this.#rules.only(actor, ACTION_OF[operation.kind], this.#rules.registry.expect(operation.table))
      return allowed === undefined ? operation : { ...operation, allowed }
    })
  }

  /**
   * The errors of drafts. If there are any, a dry run adds the constraint violations, so that the client receives all errors in
   * one response.
   */
  async #issuesOf(writes: readonly DraftedWrite[]): Promise<readonly IndexedIssues[]> {
    if (!writes.some(({ draft }) => draft.issues.any)) return []
    const outcome = await this.#store.transact(await this.#builder.operations(writes, true), 'rehearse')
    const constraints = new Map(this.#broken(outcome, writes).map(({ index, issues }) => [index, issues]))
    return writes.flatMap(({ draft }, index) => {
      const issues = new FieldIssues()
      issues.addAll(draft.issues)
      issues.addMissing(constraints.get(index) ?? new FieldIssues())
      return issues.any ? [{ index, issues }] : []
    })
  }

  /** Repeats a write while its records change or disappear between read and commit. */
  async #untilCurrent(context: WriteContext, write: RepeatedWrite): Promise<readonly StoredRecord[]> {
    const { model, ids = [], options } = context
    if (write.isCoded === true) return this.#untilCodeIsCurrent(context, write)
    const locks = this.#store.transactLocked !== undefined && options?.dryRun !== true
    let last: Attempt | undefined
    if (!locks || !this.#turns.areAwaited(model.key, ids)) {
      last = await this.#turns.beside(() => this.#attempt(context, write))
      if (last.outcome.ok) return last.outcome.records
    }
    const named = last?.ids ?? ids
    // Creates that were overtaken have nothing to lock.
    if (locks && named.length > 0) {
      return this.#turns.inTurn(model.key, named, (next) => this.#untilLocked(context, write, named, next))
    }
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      const again = () => this.#attempt(context, write)
      // Other processes would not wait.
      last = await (!locks && (last?.size ?? 0) > LARGE ? this.#turns.alone(again) : this.#turns.beside(again))
      if (last.outcome.ok) return last.outcome.records
    }
    throw keepsChanging(model)
  }

  /**
   * Repeats a write that runs code of the project: at first beside others, then in turn with other such writes, those of other processes included,
   * each of which would overtake all the others. It locks no records.
   */
  async #untilCodeIsCurrent(context: WriteContext, write: RepeatedWrite): Promise<readonly StoredRecord[]> {
    const attempt = () => this.#turns.beside(() => this.#attempt(context, write))
    let last: Attempt | undefined
    if (!this.#turns.isCodeAwaited) {
      last = await attempt()
      if (last.outcome.ok) return last.outcome.records
    }
    const repeated = async () => {
      for (let count = last === undefined ? 0 : 1; count < MAX_CODE_ATTEMPTS; count++) {
        last = await attempt()
        if (last.outcome.ok) return last.outcome.records
      }
      throw keepsChanging(context.model)
    }
    return this.#turns.inTurnOfCode(() => this.#store.inSharedTurn?.(repeated) ?? repeated())
  }

  /**
   * Repeats a write that was overtaken: it locks the records before it reads them.
   *
   * @param next lets the next write of this process follow, which then waits for the locks
   */
  async #untilLocked(
    context: WriteContext,
    write: RepeatedWrite,
    ids: readonly number[],
    next: () => void,
  ): Promise<readonly StoredRecord[]> {
    let known = ids
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      const last = await this.#judged(await this.#transactLocked(context, known, write.decide, next), write)
      if (last.outcome.ok) return last.outcome.records
      // Others than at first may match filters.
      known = [...new Set([...known, ...last.ids])]
    }
    throw keepsChanging(context.model)
  }

  /** Commits a write without locks. */
  async #attempt(context: WriteContext, write: RepeatedWrite): Promise<Attempt> {
    const decided = await write.decide(this.#store)
    const outcome = this.#overtaken(await this.#transact(context, decided), decided)
    return this.#judged(attemptOf(outcome, context.model, decided.operations), write)
  }

  /** A refusal by a table of the server's own, such as a job with a key that is stored just now, is that of an overtaken write. */
  #overtaken(outcome: Outcome, { operations }: DecidedWrite): Outcome {
    if (outcome.ok) return outcome
    const refused = outcome.violations.find(({ kind, index }) => {
      const table = operations[index]?.table
      return kind === 'unique' && table !== undefined && this.#rules.registry.expect(table).internal
    })
    return refused === undefined ? outcome : { ok: false, violations: [{ kind: 'stale', index: refused.index, id: 0 }] }
  }

  /** Returns an attempt that was committed or overtaken. */
  async #judged(attempt: Attempt, { judge, isCoded }: RepeatedWrite): Promise<Attempt> {
    const { outcome } = attempt
    const isStale = !outcome.ok && outcome.violations.some(isOfOthers)
    // Code may have made the values that are refused, such as a number, from records that have changed.
    if (isStale && isCoded === true) return attempt
    const isOvertaken = (await judge(outcome)) || isStale
    if (!outcome.ok && !isOvertaken) throw new Error(`The store refused a transaction: ${JSON.stringify(outcome.violations)}`)
    return attempt
  }
}

const attemptOf = (outcome: Outcome, { key }: Model, operations: readonly Operation[]): Attempt => ({
  outcome,
  size: operations.length,
  ids: operations.flatMap((operation) => (operation.kind !== 'insert' && operation.table === key ? [operation.id] : [])),
})

/** True if another write has changed or deleted a record since it was read, rather than an earlier operation of the same transaction. */
const isOfOthers = (violation: Violation): boolean =>
  (violation.kind === 'stale' || violation.kind === 'missing') && violation.by === undefined

/**
 * The prefixes of messages. What code writes has that of the record that it was written for, and its model: `3.ledger.`.
 *
 * @param from the index of the first write of the request
 */
function placesOf({ prefix = withoutPrefix }: Pick<WriteContext, 'prefix'>, writes: readonly DraftedWrite[], from = 0): Prefix {
  return (index) => {
    const { cause, model } = writes[index] ?? {}
    return cause === undefined || model === undefined ? prefix(index - from) : `${prefix(cause)}${model.key}.`
  }
}

/** Undefined if no hook has added any. */
const sideRecordsOf = ({ events, history, files }: OpenTransaction): SideRecords | undefined =>
  events === undefined && history === undefined && files === undefined ? undefined : { events, history, files }

const ACTION_OF: Readonly<Record<Exclude<Operation['kind'], 'assert'>, Action>> = {
  insert: 'add',
  update: 'change',
  remove: 'delete',
}

/** @throws {AppError} FORBIDDEN */
function throwIfDenied(outcome: Outcome, actor: Actor): void {
  if (!outcome.ok && outcome.violations.some(({ kind }) => kind === 'denied')) throw forbidden(actor)
}

const keepsChanging = ({ name }: Model): AppError =>
  new AppError('WRITE_CONFLICT', `${name} keeps changing under other writes; read it again and retry`)

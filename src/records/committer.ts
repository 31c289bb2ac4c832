import type { AccessRules } from '../access/access-rules.ts'
import { type Action, type Actor, forbidden } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { Operation, Outcome, SideRecords, Store, StoredRecord } from '../store/store.ts'
import { FieldIssues } from '../validate/issues.ts'
import { type AccessGuard, accessChanges, LastSuperuser, SUPERUSERS, usersAffected } from './account-guards.ts'
import type { AccountLog } from './account-log.ts'
import { blocksOf, consequencesOf, type VisibleRemovals, visibleOutcome } from './consequences.ts'
import {
  brokenConstraints,
  type IndexedIssues,
  type Prefix,
  referencedError,
  throwIssues,
  withoutPrefix,
} from './constraint-errors.ts'
import type { DraftedWrite, OperationBuilder } from './drafts.ts'
import type { EventPublisher } from './event-publisher.ts'
import type { HistoryRecorder, WriteOrigin } from './history-recorder.ts'
import { LargeWrite } from './large-write.ts'
import { LARGE, WriteTurns } from './write-turns.ts'

/** Maximum number of attempts of a write whose records are changed by concurrent writes. */
const MAX_ATTEMPTS = 1000

/** Options of a commit. */
export interface CommitOptions {
  /** Does everything except the commit, and returns what would be stored. */
  readonly dryRun?: boolean | undefined
  /** For the history. */
  readonly origin?: WriteOrigin | undefined
}

/** By whom, where and how a write is made. */
export interface WriteContext {
  readonly actor: Actor
  readonly model: Model
  readonly prefix?: Prefix
  readonly options?: CommitOptions
}

/** An attempt to commit a write. */
interface Attempt {
  readonly outcome: Outcome
  /** Number of drafts or removals. */
  readonly size: number
}

const NO_PUBLISHER: EventPublisher = { isSubscribed: () => false, eventRequest: () => undefined, committed() {} }

/** The last step of the write path: commits drafts to the store and translates constraint violations into messages of the API. */
export class Committer {
  readonly #rules: AccessRules
  readonly #store: Store
  readonly #finisher: OperationBuilder
  readonly #accounts: AccountLog
  readonly #log: Log
  readonly #superusers: LastSuperuser
  readonly #turns: WriteTurns
  #access: AccessGuard = { relatedOperations: async () => [], async changed() {} }
  #publisher = NO_PUBLISHER
  #recorder: HistoryRecorder | undefined

  constructor(
    rules: AccessRules,
    store: Store,
    finisher: OperationBuilder,
    { accounts, log }: { accounts: AccountLog; log: Log },
  ) {
    this.#rules = rules
    this.#store = store
    this.#finisher = finisher
    this.#accounts = accounts
    this.#log = log
    this.#turns = new WriteTurns(store, rules)
    this.#superusers = new LastSuperuser(rules.registry, store, (operations) => store.transact(operations, 'rehearse'))
  }

  guardAccess(guard: AccessGuard): void {
    this.#access = guard
  }

  setEventPublisher(publisher: EventPublisher): void {
    this.#publisher = publisher
  }

  /** Records the history of changes from now on. */
  setHistory(recorder: HistoryRecorder): void {
    this.#recorder = recorder
  }

  /**
   * Commits drafts in one transaction.
   *
   * @param read makes the drafts from the stored records; called again if those change before the commit
   * @returns the stored records, in the order of the drafts; those of a dry run have provisional ids
   * @throws {AppError} VALIDATION_FAILED with the errors of all drafts, FORBIDDEN for a record that the actor may not write,
   *   LAST_SUPERUSER
   */
  write(context: WriteContext, read: () => Promise<readonly DraftedWrite[]>): Promise<readonly StoredRecord[]> {
    const { actor, model, prefix = withoutPrefix, options } = context
    const dryRun = options?.dryRun === true
    return this.#untilCurrent(context, async () => {
      const writes = await read()
      throwIssues(await this.#issuesOf(writes), prefix)
      const finished = dryRun ? await this.#finisher.rehearsals(writes) : await this.#finisher.operations(writes)
      const operations = this.#guarded(actor, model, finished)
      const kept = await this.#superusers.kept(operations)
      const changes = dryRun ? [] : accessChanges(writes, operations)
      const companions = changes.length === 0 ? [] : await this.#access.relatedOperations(changes)
      const isQuiet = writes.every(({ quiet }) => quiet === true)
      const outcome = await this.#transact([...operations, ...companions, ...kept], context, isQuiet)
      throwIfDenied(outcome, actor)
      throwIssues(brokenConstraints(outcome, writes), prefix)
      if (!dryRun) this.#accounts.log(actor, outcome)
      return { outcome: firstRecords(outcome, writes.length), size: writes.length }
    })
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
        operations: async (writes, mode) => {
          const isRehearsal = mode === 'rehearse'
          const operations = isRehearsal ? await this.#finisher.rehearsals(writes) : await this.#finisher.operations(writes)
          return this.#guarded(actor, model, operations)
        },
        notes: () => this.#notesOf([], context),
        issues: (violations, writes) => {
          throwIfDenied({ ok: false, violations }, actor)
          return new Map(brokenConstraints({ ok: false, violations }, writes).map(({ index, issues }) => [index, issues]))
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
   * @throws {AppError} RECORD_REFERENCED if other records refer to one of them, FORBIDDEN if a cascade would delete a superuser,
   *   LAST_SUPERUSER
   */
  remove(context: WriteContext, read: () => Promise<readonly StoredRecord[]>): Promise<readonly StoredRecord[]> {
    const { actor, model } = context
    return this.#untilCurrent(context, async () => {
      const removals = this.#removals(context, await read())
      const outcome = await this.#transact([...removals, ...(await this.#superusers.kept(removals))], context)
      throwIfDenied(outcome, actor)
      const known = outcome.ok ? outcome : await visibleOutcome(this.#rules, this.#store, actor, outcome)
      const referenced = known.ok ? undefined : referencedError(known.violations, model, this.#rules.registry)
      if (referenced !== undefined) throw referenced
      this.#accounts.log(actor, outcome)
      return { outcome: firstRecords(outcome, removals.length), size: removals.length }
    })
  }

  /**
   * Determines what a deletion would do.
   *
   * @param read returns the stored records to delete
   * @throws {AppError} FORBIDDEN, LAST_SUPERUSER as `remove` does
   */
  async forecastRemoval(context: WriteContext, read: () => Promise<readonly StoredRecord[]>): Promise<VisibleRemovals> {
    const records = await read()
    const removals = this.#removals(context, records)
    const outcome = await this.#store.transact(removals, 'rehearse')
    throwIfDenied(outcome, context.actor)
    await this.#superusers.kept(removals)
    const { model } = context
    const known = await visibleOutcome(this.#rules, this.#store, context.actor, outcome)
    const blockedBy = blocksOf(known)
    if (!known.ok && blockedBy.length === 0) throw keepsChanging(model)
    const consequences = consequencesOf(known, { model, registry: this.#rules.registry, deleted: records })
    return { records, consequences, blockedBy }
  }

  #removals({ actor, model }: WriteContext, records: readonly StoredRecord[]): readonly Operation[] {
    return this.#guarded(
      actor,
      model,
      records.map((record) => ({
        kind: 'remove',
        table: model.key,
        id: record.id,
        expect: record,
        ...(actor.isSuperuser ? {} : { spared: SUPERUSERS }),
      })),
    )
  }

  /** Creates seed records in one transaction, without history. Returns the errors by index; if there are any, nothing is committed. */
  async attempt(writes: readonly DraftedWrite[]): Promise<readonly IndexedIssues[]> {
    const issues = await this.#issuesOf(writes)
    if (issues.length > 0) return issues
    const isSubscribed = writes.some(({ model, quiet }) => quiet !== true && this.#publisher.isSubscribed(model.key))
    const events = isSubscribed ? this.#publisher.eventRequest() : undefined
    const outcome = await this.#commit(await this.#finisher.operations(writes), { events })
    return brokenConstraints(outcome, writes)
  }

  /** Adds the conditions under which the actor may change records of a model. */
  #guarded(actor: Actor, model: Model, operations: readonly Operation[]): readonly Operation[] {
    if (actor.isSuperuser) return operations
    return operations.map((operation): Operation => {
      const allowed = this.#rules.only(actor, ACTION_OF[operation.kind], model)
      return allowed === undefined || operation.table !== model.key ? operation : { ...operation, allowed }
    })
  }

  /** Commits operations on internal tables without validation and without events. */
  commitInternal(operations: readonly Operation[]): Promise<Outcome> {
    const stray = operations.find(({ table }) => !this.#rules.registry.expect(table).internal)
    if (stray !== undefined) throw new Error(`'${stray.table}' is no table of the server's own`)
    return this.#store.transact(operations)
  }

  /** Commits operations that follow from a change of the models: without validation, events and history. */
  commitMigration(operations: readonly Operation[]): Promise<Outcome> {
    return this.#store.transact(operations)
  }

  /** Commits operations with the events and the history of their changes. Internal updates, such as the time of a login, have neither. */
  async #transact(operations: readonly Operation[], context: WriteContext, isQuiet = false): Promise<Outcome> {
    if (context.options?.dryRun === true) return this.#store.transact(operations, 'rehearse')
    await this.#turns.admitted(context.actor, operations.length)
    return this.#commit(operations, isQuiet ? {} : this.#notesOf(operations, context))
  }

  #notesOf(operations: readonly Operation[], { actor, model, options }: WriteContext): SideRecords {
    // A cascade may change records of any table.
    const mayCascade = operations.some(({ kind }) => kind === 'remove')
    const events = mayCascade || this.#publisher.isSubscribed(model.key) ? this.#publisher.eventRequest() : undefined
    const isRecorded = mayCascade || this.#recorder?.records(model) === true
    const history = isRecorded ? this.#recorder?.request(actor, options?.origin ?? {}) : undefined
    return { events, history }
  }

  async #commit(operations: readonly Operation[], notes: SideRecords): Promise<Outcome> {
    const { events, history } = notes
    if (events === undefined && history === undefined) return this.#store.transact(operations)
    const outcome = await this.#store.transact(operations, 'commit', notes)
    if (outcome.ok && events !== undefined) await this.#afterCommit(() => this.#publisher.committed(outcome.changes))
    return outcome
  }

  /** Does what follows from a commit. The write is stored, so a failure is logged, and is no error of the request. */
  async #afterCommit(task: () => void | Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      this.#log.error('A write was committed, and what follows from it failed', { error })
    }
  }

  /**
   * The errors of drafts. If there are any, a dry run adds the constraint violations, so that the client receives all errors in
   * one response.
   */
  async #issuesOf(writes: readonly DraftedWrite[]): Promise<readonly IndexedIssues[]> {
    if (!writes.some(({ draft }) => draft.issues.any)) return []
    const outcome = await this.#store.transact(await this.#finisher.rehearsals(writes), 'rehearse')
    const constraints = new Map(brokenConstraints(outcome, writes).map(({ index, issues }) => [index, issues]))
    return writes.flatMap(({ draft }, index) => {
      const issues = new FieldIssues()
      issues.addAll(draft.issues)
      issues.addMissing(constraints.get(index) ?? new FieldIssues())
      return issues.any ? [{ index, issues }] : []
    })
  }

  /** Repeats a write while its records change or disappear between read and commit. */
  async #untilCurrent({ model, options }: WriteContext, write: () => Promise<Attempt>): Promise<readonly StoredRecord[]> {
    let runsAlone = false
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { outcome, size }: Attempt = await (runsAlone ? this.#turns.alone(write) : this.#turns.beside(write))
      if (outcome.ok) {
        const affected = options?.dryRun === true ? [] : usersAffected(outcome.changes)
        if (affected.length > 0) await this.#afterCommit(() => this.#access.changed(affected))
        return outcome.records
      }
      const overtaken = outcome.violations.some(({ kind }) => kind === 'stale' || kind === 'missing')
      if (!overtaken) throw new Error(`The store refused a transaction: ${JSON.stringify(outcome.violations)}`)
      // Other processes do not wait.
      runsAlone = size > LARGE && !this.#store.isShared
    }
    throw keepsChanging(model)
  }
}

const ACTION_OF: Readonly<Record<Operation['kind'], Action>> = { insert: 'add', update: 'change', remove: 'delete' }

/** The outcome with the records of the first operations, without those of operations that were added. */
const firstRecords = (outcome: Outcome, count: number): Outcome =>
  outcome.ok && outcome.records.length > count ? { ...outcome, records: outcome.records.slice(0, count) } : outcome

/** @throws {AppError} FORBIDDEN */
function throwIfDenied(outcome: Outcome, actor: Actor): void {
  if (!outcome.ok && outcome.violations.some(({ kind }) => kind === 'denied')) throw forbidden(actor)
}

const keepsChanging = ({ name }: Model): AppError =>
  new AppError('WRITE_CONFLICT', `${name} keeps changing under other writes; read it again and retry`)

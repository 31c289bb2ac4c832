import type { AccessRules } from '../access/access-rules.ts'
import { type Action, type Actor, SHELL } from '../auth/permissions.ts'
import { listEntries } from '../client/model-queries.ts'
import { queryText } from '../client/query.ts'
import type { AnyModel, ListQuery } from '../client/types-calls.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Reads } from '../reads/reads.ts'
import { checkUpdateKeys, type DraftParts, type OpenDraft } from '../records/drafts.ts'
import type { Completion, OpenChange, Rehearse, WriteContext } from '../records/hooks.ts'
import { withoutPrefix } from '../records/outcomes.ts'
import { isSameValue, type Operation, type RecordReader } from '../store/store.ts'
import type { Timer } from '../util/clock.ts'
import type { Json } from '../util/json.ts'
import { BatchReader } from './batch-reader.ts'
import { CodeDrafts, isThere } from './code-drafts.ts'
import { type CodeData, isNewId, type NewRecordId } from './code-values.ts'
import { type Caller, callerOf, type OwnServices, type ServiceParts, servicesOf } from './context.ts'
import type { EnqueueOptions } from './define.ts'
import { HookRun } from './hook-run.ts'
import { type Entry, type HookTransaction, keyOf, type QueuedWrite } from './hook-tx.ts'
import type { JobQueue, NewJob } from './job-queue.ts'
import { LaterWrites } from './later-writes.ts'
import type { CodeFunction, HookSet } from './parse-hooks.ts'
import { Removals } from './removals.ts'
import { codeName, failureOf, HOOKS_MS, LONG_MS, loop, MAX_LEVELS, TimeLimit } from './running.ts'

/** What the hooks of earlier records of a round have written: keys of records, and drafts of the records themselves. */
interface Written {
  readonly keys: Set<string>
  readonly drafts: Set<OpenDraft>
}

const nothingWritten = (): Written => ({ keys: new Set(), drafts: new Set() })

const NOTHING_STORED = '; nothing was stored'

/** Number of records whose hooks run at once. */
const AT_ONCE = 1000

/** What the transactions of a project's code are made of. */
export interface CodeParts extends ServiceParts {
  readonly queue: JobQueue
  readonly access: AccessRules
  readonly reads: Pick<Reads, 'list'>
  readonly drafts: DraftParts
  readonly timer: Timer
  /** The hooks of a model before a write, a deletion included. */
  readonly hooksOf: (model: Model) => readonly HookSet[]
  /** Keys of the models with hooks that a deletion may reach by its cascade. */
  readonly reachedBy: (model: Model) => readonly string[]
}

/**
 * What the hooks of one attempt of a write do together: they run for up to 1,000 records at once, each by itself. What they write is applied in
 * the order of the records; hooks that have read what an earlier one has written run again. No transaction of the store is open meanwhile: the
 * commit carries the versions of the records that were read.
 */
export class CodeTransaction implements HookTransaction {
  readonly #parts: CodeParts
  readonly #write: WriteContext
  readonly #rehearse: Rehearse
  readonly #records: RecordReader
  /** Made when code reads a record, or writes to a stored one. */
  #batches: BatchReader | undefined
  readonly #caller: Caller
  #limit: TimeLimit
  readonly #later: LaterWrites
  /** The time of hooks, in all runs. */
  #hookLimit: TimeLimit | undefined
  readonly #drafts: CodeDrafts
  readonly #removals: Removals
  /** The runs of hooks that have messages or validate their records; made with the first one. */
  #runs: Map<OpenDraft, HookRun> | undefined
  /** The jobs that the hooks of each record store. */
  readonly #jobs = new Map<OpenDraft | Entry, readonly NewJob[]>()

  /**
   * @param rehearse tells what operations would change
   * @param former the former run, if code has written to records whose hooks had run
   */
  constructor(parts: CodeParts, write: WriteContext, records: RecordReader, rehearse: Rehearse, former?: CodeTransaction) {
    this.#parts = parts
    this.#write = write
    this.#rehearse = rehearse
    this.#records = records
    this.#caller = callerOf(write)
    this.#limit = new TimeLimit(LONG_MS, parts.timer, NOTHING_STORED)
    this.#later = LaterWrites.after(former === undefined ? undefined : former.#later)
    this.#hookLimit = former === undefined ? undefined : former.#hookLimit
    this.#drafts = new CodeDrafts(this.#caller.actor, parts.drafts)
    this.#removals = new Removals(parts.reachedBy)
  }

  get actor(): Actor {
    return this.#caller.actor
  }

  get isDryRun(): boolean {
    return this.#write.options?.dryRun === true
  }

  /** True if values are computed only. */
  get isRecompute(): boolean {
    return this.#write.options?.recompute === true
  }

  /** Begins a message about a record of a request for several: `3: `. */
  aboutOf(cause: number): string {
    const prefix = (this.#write.prefix ?? withoutPrefix)(cause)
    return prefix === '' ? '' : `${prefix.replace(/\.$/, '')}: `
  }

  /**
   * Runs the hooks of the records of a request.
   *
   * @param action makes the run of the code of an action, which comes first
   * @returns undefined if the transaction is to run again, after this one
   */
  async complete(changes: readonly OpenChange[], action?: (own: readonly Entry[]) => HookRun): Promise<Completion | undefined> {
    const own = changes.map(({ model, draft, existing, id }, cause): Entry => {
      return { model, draft, existing, id, cause, actor: this.#write.actor, chain: this.#caller.chain, isOwn: true }
    })
    this.#drafts.begin(own)
    for (const entry of own) {
      if (entry.draft === undefined && entry.existing !== undefined)
        this.#removals.add(keyOf(entry.model, entry.existing.id), entry)
    }
    const begun: Entry[] = []
    if (action !== undefined) await this.#begin(action(own), begun)
    const { clock, timer } = this.#parts
    const count = Math.max(1, Math.ceil(own.length / AT_ONCE))
    this.#hookLimit ??= new TimeLimit(HOOKS_MS, timer, NOTHING_STORED, { clock, count })
    this.#limit = this.#hookLimit
    let round: readonly Entry[] = [...own, ...begun]
    while (round.length > 0) {
      const next: Entry[] = []
      for (let from = 0; from < round.length; from += AT_ONCE) await this.#runAll(round.slice(from, from + AT_ONCE), next)
      if (this.#hasComplaints) return this.#completed()
      if (!this.#removals.isEmpty) await this.#cascade(next)
      round = next
    }
    return this.#later.areKnown ? this.#completed() : undefined
  }

  async #completed(): Promise<Completion> {
    if (this.#runs !== undefined) await this.#validate([...this.#runs.values()])
    const completion = this.#completion()
    return this.#jobs.size === 0 ? completion : { ...completion, operations: await this.#jobOperations() }
  }

  get #reader(): BatchReader {
    this.#batches ??= new BatchReader(this.#records, this.#parts.access)
    return this.#batches
  }

  get #hasComplaints(): boolean {
    return [...(this.#runs?.values() ?? [])].some(({ complaints }) => complaints.length > 0)
  }

  /** Runs the code of an action, and applies what it writes. */
  async #begin(run: HookRun, next: Entry[]): Promise<void> {
    const pending = run.before()
    if (pending !== undefined) await this.#wait(pending, [run])
    this.#readAhead([run])
    await this.#apply(run, nothingWritten(), next, this.#caller.via)
  }

  /** Reads what code has to change, all of it at once. */
  #readAhead(runs: readonly HookRun[]): void {
    for (const { queue } of runs) {
      for (const write of queue) if (write.kind !== 'create') this.#reader.get(write.model, write.actor, write.id).catch(() => {})
    }
  }

  async #runAll(entries: readonly Entry[], next: Entry[]): Promise<void> {
    const runs: HookRun[] = []
    const pending: Promise<void>[] = []
    for (const entry of entries) {
      const sets = this.#parts.hooksOf(entry.model)
      const { draft } = entry
      const isIdle = draft !== undefined && entry.existing !== undefined && (!draft.isChanged || this.#isRemoved(entry))
      if (sets.length === 0 || (isIdle && !this.isRecompute)) {
        if (draft !== undefined) this.#drafts.stateOf(draft).isExpected = false
        continue
      }
      const run = this.#runOf(entry, sets)
      const waiting = run.before()
      runs.push(run)
      if (waiting === undefined) continue
      pending.push(waiting)
      // Another run may throw before this one is waited for.
      waiting.catch(() => {})
    }
    if (pending.length > 0) await this.#wait(Promise.all(pending), runs)
    this.#readAhead(runs)
    const written = nothingWritten()
    for (let run of runs) {
      if (this.#hasReadWritten(run, written)) {
        run = this.#runOf(run.entry, this.#parts.hooksOf(run.entry.model))
        const again = run.before()
        if (again !== undefined) await this.#wait(again, [run])
      }
      const applying = this.#apply(run, written, next)
      if (applying !== undefined) await applying
    }
  }

  #runOf(entry: Entry, sets: readonly HookSet[]): HookRun {
    const { model, draft, existing, former } = entry
    const isUpdate = draft !== undefined && existing !== undefined && former === undefined
    return new HookRun(this, entry, sets, isUpdate ? this.#later.of(keyOf(model, existing.id)) : undefined)
  }

  #isRemoved({ model, existing }: Entry): boolean {
    return !this.#removals.isEmpty && existing !== undefined && this.#removals.has(keyOf(model, existing.id))
  }

  /** True if hooks have read what those of an earlier record have written: then they run again. */
  #hasReadWritten({ entry: { model, existing }, reads }: HookRun, { keys, drafts }: Written): boolean {
    if (keys.size > 0 && existing !== undefined && keys.has(keyOf(model, existing.id))) return true
    return reads.some((key) => {
      if (keys.has(key)) return true
      const draft = drafts.size === 0 ? undefined : this.#drafts.known(key)?.draft
      return draft !== undefined && drafts.has(draft)
    })
  }

  #wait(pending: Promise<unknown>, runs: readonly HookRun[]): Promise<unknown> {
    const name = () => {
      const code = runs.find(({ code }) => code !== undefined)?.code
      return code === undefined ? 'A hook' : codeName(code)
    }
    return this.#limit.wait(pending, name)
  }

  /** Applies the effects of a run. @returns undefined if nothing has to be waited for */
  #apply(run: HookRun, written: Written, next: Entry[], via = 'hook'): Promise<void> | undefined {
    const { draft } = run.entry
    const key = draft ?? run.entry
    if (run.jobs.length > 0) this.#jobs.set(key, [...(this.#jobs.get(key) ?? []), ...run.jobs])
    if (run.queue.length > 0) return this.#applyQueue(run, written, next, via)
    if (draft !== undefined) this.#applyPatch(run, draft, written)
    return undefined
  }

  /** What a hook returns may refer to what it creates, and what it updates may be its own record. */
  async #applyQueue(run: HookRun, written: Written, next: Entry[], via: string): Promise<void> {
    const { draft } = run.entry
    for (const write of run.queue) if (write.kind === 'create') await this.#queue(run, write, written, next, via)
    if (draft !== undefined) this.#applyPatch(run, draft, written)
    for (const write of run.queue) if (write.kind !== 'create') await this.#queue(run, write, written, next, via)
  }

  #applyPatch(run: HookRun, draft: OpenDraft, written: Written): void {
    const state = this.#drafts.stateOf(draft)
    state.isExpected = false
    state.hasRun = true
    if (run.later !== undefined) state.patch = run.patch
    run.later = undefined
    const isValidated = this.#parts.hooksOf(draft.model).some(({ validate }) => validate !== undefined)
    if (isValidated || run.complaints.length > 0) {
      this.#runs ??= new Map()
      this.#runs.set(draft, run)
    }
    if (run.patch.length === 0) return
    for (const [{ name }, value] of run.patch) {
      this.#drafts.note(draft, run.entry.actor, name, false)
      this.#drafts.set(draft, name, value)
    }
    run.patch = []
    written.drafts.add(draft)
  }

  async #queue(run: HookRun, write: QueuedWrite, written: Written, next: Entry[], via: string): Promise<void> {
    try {
      await this.#add(run, write, written, next, via)
    } catch (error) {
      throw failureOf(error, write.code)
    }
  }

  async #add(run: HookRun, write: QueuedWrite, written: Written, next: Entry[], via: string): Promise<void> {
    const { model, actor } = write
    const { cause } = run.entry
    const chain = [...run.entry.chain, write.by]
    if (chain.length > MAX_LEVELS) throw loop(chain)
    const common = { model, actor, cause, chain, via, isOwn: false }
    if (write.kind === 'create') {
      const entry = this.#drafts.create(common, write.data, write.ref)
      if (!entry.draft.isRefused) next.push(entry)
      return
    }
    const key = keyOf(model, write.id)
    const existing = await this.#reader.get(model, actor, write.id)
    const found = this.#drafts.known(key)
    if (!isThere(existing, found?.entry)) throw noRecord(model, write.id)
    // A record that the transaction deletes is neither deleted again nor changed.
    if (this.#removals.has(key)) return
    written.keys.add(key)
    if (write.kind === 'delete') {
      const isOfAction = run.entry.draft === undefined && run.entry.existing === undefined
      if (found?.entry.isOwn === true && !isOfAction)
        throw new Error(`${model.name} ${write.id} is the record that the request changes; only an action may delete it`)
      const entry = { ...common, draft: undefined, existing }
      this.#removals.add(key, entry)
      next.push(entry)
      return
    }
    const known = found ?? (existing && this.#drafts.change(common, existing))
    if (known === undefined) return
    const { draft, entry } = known
    const state = this.#drafts.stateOf(draft)
    if (found === undefined) state.isExpected = false
    if (actor !== SHELL && entry.actor === SHELL) state.limit = actor
    for (const [name, messages] of Object.entries(checkUpdateKeys(actor, model, undefined, write.data).toMessages())) {
      draft.complain(name, ...messages)
    }
    for (const name of Object.keys(write.data)) this.#drafts.note(draft, actor, name, true)
    this.#merge({ ...entry, chain, isComputed: run.entry.draft === draft }, draft, write.data, next)
  }

  /**
   * Sets values of a record, whose hooks run for them. If they have run already, they run in another run of the transaction, with these values; or, if
   * that is not possible, again for what is new: then the record as they left it is the one before.
   */
  #merge(entry: Entry, draft: OpenDraft, data: CodeData, next: Entry[]): void {
    const before = { ...entry.existing, ...draft.values }
    const { refs } = draft
    const state = this.#drafts.stateOf(draft)
    const isLate = state.hasRun && entry.isComputed !== true && this.#isFollowed(entry, data)
    for (const [name, value] of Object.entries(data)) this.#drafts.set(draft, name, value)
    const names = Object.keys(data).filter((name) => !isSameValue(before[name] ?? null, draft.values[name] ?? null))
    if (isLate && entry.existing !== undefined) {
      this.#follow(keyOf(entry.model, entry.existing.id), draft, Object.keys(data), names)
      return
    }
    if ((names.length === 0 && refs === draft.refs) || state.isExpected) return
    state.isExpected = true
    next.push(state.hasRun ? { ...entry, former: before } : entry)
  }

  /** True if the hooks before an update of a stored record are to get the values that are written to it later. */
  #isFollowed({ model, existing }: Entry, data: CodeData): boolean {
    if (existing === undefined || !this.#later.areFollowed || this.isRecompute) return false
    const hasRef = Object.values(data).some((value) => [value].flat().some(isNewId))
    return !hasRef && this.#parts.hooksOf(model).some(({ beforeUpdate }) => beforeUpdate !== undefined)
  }

  /** Notes values that are set after the hooks of a record. What its hooks have made of one that they knew is left. */
  #follow(key: string, draft: OpenDraft, names: readonly string[], changed: readonly string[]): void {
    for (const name of names) {
      if (!changed.includes(name) && !this.#later.knows(key, name)) continue
      if (!this.#later.note(key, name, draft.values[name] ?? null)) continue
      for (const [field, value] of this.#drafts.stateOf(draft).patch ?? []) {
        if (field.name === name) this.#drafts.set(draft, name, value)
      }
    }
  }

  /** Adds what the deletions change or delete by their cascades in models with hooks, after the updates, as far as it is not known yet. */
  async #cascade(next: Entry[]): Promise<void> {
    const { registry } = this.#parts.access
    const updates = () => this.#drafts.operations()
    for await (const cascaded of this.#removals.cascades(this.#rehearse, updates, (table) => registry.expect(table))) {
      const { entry, before, after } = cascaded
      const { model } = entry
      const key = keyOf(model, before.id)
      if (after === undefined) {
        next.push(this.#removals.follow(cascaded, key))
        continue
      }
      const known = this.#drafts.known(key)
      const present = known?.draft.values ?? before
      const data = Object.fromEntries(
        [...model.relations.values()].flatMap(({ name }) =>
          isSameValue(after[name] ?? null, present[name] ?? null) ? [] : [[name, after[name] ?? null]],
        ),
      )
      if (known === undefined) {
        next.push(this.#drafts.change(entry, before, data).entry)
        continue
      }
      for (const name of Object.keys(data)) this.#drafts.note(known.draft, SHELL, name, true)
      this.#merge(known.entry, known.draft, data, next)
    }
  }

  async #validate(runs: readonly HookRun[]): Promise<void> {
    for (let from = 0; from < runs.length; from += AT_ONCE) {
      const some = runs.slice(from, from + AT_ONCE)
      await this.#wait(Promise.all(some.map((run) => run.validate())), some)
    }
  }

  /** Seeds and mock records store no jobs. */
  async #jobOperations(): Promise<readonly Operation[]> {
    const { via } = this.#caller
    const jobs = via === 'seed' || via === 'mock' ? [] : [...this.#jobs.values()].flat()
    return jobs.length === 0 ? [] : this.#parts.queue.operationsOf(jobs, via === 'endpoint')
  }

  #completion(): Completion {
    const isWritten = (key: string) => this.#drafts.known(key) !== undefined || this.#removals.has(key)
    const reads = (this.#batches?.seen ?? []).filter(({ table, id }) => !isWritten(`${table} ${id}`))
    return { writes: this.#drafts.finished(), ...this.#removals.finished(), reads, setters: this.#drafts.setters }
  }

  refOf(draft: OpenDraft): NewRecordId {
    return this.#drafts.refOf(draft, this)
  }

  servicesOf(code: CodeFunction<unknown>): OwnServices {
    return servicesOf(this.#parts, this.#caller, `${code.file} ${code.name}`, this.#limit)
  }

  jobOf(job: unknown, input: unknown, options: EnqueueOptions, { actor, chain }: Pick<Entry, 'actor' | 'chain'>): NewJob {
    return this.#parts.queue.prepare(job, input, options, { ...this.#caller, actor, chain })
  }

  mailOf(message: unknown, { actor, chain }: Pick<Entry, 'actor' | 'chain'>): NewJob {
    return this.#parts.queue.prepareMail(message, { ...this.#caller, actor, chain })
  }

  /** @throws {AppError} FORBIDDEN; {Error} if there is no such model */
  modelFor(actor: Actor, action: Action, key: string): Model {
    const { access } = this.#parts
    const model = access.registry.get(key.toLowerCase())
    if (model === undefined || model.internal) throw new Error(`There is no model '${key}'`)
    return access.modelFor(actor, action, model.key)
  }

  /** The record as the transaction would leave it so far. */
  async present(model: Model, actor: Actor, id: number): Promise<Readonly<Record<string, Json>> | undefined> {
    const key = keyOf(model, id)
    const stored = await this.#reader.get(model, actor, id)
    const known = this.#drafts.known(key)
    if (!isThere(stored, known?.entry) || this.#removals.has(key)) return undefined
    return { id, ...stored, ...known?.draft.values }
  }

  /** Committed records, as the client of the API lists them. */
  async list(actor: Actor, key: string, query: ListQuery<AnyModel, string, string> = {}): Promise<unknown> {
    const model = this.modelFor(actor, 'view', key)
    const body = await this.#parts.reads.list(actor, model.key, queryText(listEntries(query)).slice(1))
    return JSON.parse(body.toString())
  }
}

/** The error of a write of code to a record that does not exist, or not for the actor. */
const noRecord = (model: Model, id: number): AppError =>
  new AppError('RECORD_NOT_FOUND', `${model.name} with ID ${id} does not exist`)

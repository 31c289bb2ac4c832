import type { AccessRules } from '../access/access-rules.ts'
import { type Action, type Actor, forbidden, isPrivileged, SHELL } from '../auth/permissions.ts'
import { listEntries } from '../client/model-queries.ts'
import { queryText } from '../client/query.ts'
import type { AnyModel, ListQuery } from '../client/types-calls.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Reads } from '../reads/reads.ts'
import { checkUpdateKeys, type DraftedWrite, type DraftParts, OpenDraft } from '../records/drafts.ts'
import type { Completion, DraftedRemoval, OpenChange, Rehearse, Setters, WriteContext } from '../records/hooks.ts'
import { withoutPrefix } from '../records/outcomes.ts'
import { isSameValue, type KnownCascade, type Operation, type RecordReader, type StoredRecord } from '../store/store.ts'
import type { Timer } from '../util/clock.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { BatchReader } from './batch-reader.ts'
import { type CodeData, isNewId, NewRecordId } from './code-values.ts'
import { type Caller, callerOf, type OwnServices, type ServiceParts, servicesOf } from './context.ts'
import type { EnqueueOptions } from './define.ts'
import { HookRun } from './hook-run.ts'
import { type Entry, type HookTransaction, keyOf, type QueuedWrite } from './hook-tx.ts'
import type { JobQueue, NewJob } from './job-queue.ts'
import { LaterWrites } from './later-writes.ts'
import type { CodeFunction, HookSet } from './parse-hooks.ts'
import { codeName, failureOf, HOOKS_MS, LONG_MS, loop, MAX_LEVELS, TimeLimit } from './running.ts'

/** What the hooks of earlier records of a round have written: keys of records, and drafts of the records themselves. */
type Written = Set<string | OpenDraft>

/** What the transaction knows of a draft. */
interface DraftState {
  /** True if hooks have yet to run for the draft. */
  isExpected: boolean
  /** True if hooks have run for it. */
  hasRun?: boolean
  /** What they have set, if code is to write to the record later. */
  patch?: HookRun['patch']
  /** The run of its hooks, if they have messages or validate it. */
  run?: HookRun
  /** Stands for the id of the new record. */
  ref?: NewRecordId
  /** On whose behalf code writes to a record that `system` writes, too. */
  limit?: Actor
  /** Who has set fields of a stored record, beside the request. */
  setters?: Setters
}

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

/** A draft of a stored record. */
interface KnownDraft {
  readonly draft: OpenDraft
  readonly entry: Entry
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
  /** The records of the request whose drafts are not in the next map yet. */
  #own: readonly Entry[] = []
  /** The drafts of records by key. */
  readonly #drafts = new Map<string, KnownDraft>()
  /** What code writes, in order. */
  readonly #written: Entry[] = []
  /** What the request and code delete, by key. */
  readonly #removed = new Map<string, Entry>()
  readonly #cascaded: { readonly table: string; readonly record: StoredRecord }[] = []
  readonly #targets = new Map<NewRecordId, OpenDraft>()
  readonly #states = new Map<OpenDraft, DraftState>()
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
    this.#own = own
    this.#expect(own)
    for (const entry of own) {
      if (entry.draft === undefined && entry.existing !== undefined)
        this.#removed.set(keyOf(entry.model, entry.existing.id), entry)
    }
    const begun: Entry[] = []
    if (action !== undefined) await this.#begin(action(own), begun)
    const { clock, timer } = this.#parts
    const count = Math.max(1, Math.ceil(own.length / AT_ONCE))
    this.#hookLimit ??= new TimeLimit(HOOKS_MS, timer, NOTHING_STORED, { clock, count })
    this.#limit = this.#hookLimit
    let round: readonly Entry[] = [...own, ...begun]
    while (round.length > 0) {
      this.#expect(round)
      const next: Entry[] = []
      for (let from = 0; from < round.length; from += AT_ONCE) await this.#runAll(round.slice(from, from + AT_ONCE), next)
      if (this.#runs.some(({ complaints }) => complaints.length > 0)) return this.#completed()
      await this.#cascade(next)
      round = next
    }
    return this.#later.areKnown ? this.#completed() : undefined
  }

  async #completed(): Promise<Completion> {
    await this.#validate()
    return { ...this.#completion(), operations: await this.#jobOperations() }
  }

  get #reader(): BatchReader {
    this.#batches ??= new BatchReader(this.#records, this.#parts.access)
    return this.#batches
  }

  #stateOf(draft: OpenDraft): DraftState {
    const state = this.#states.get(draft) ?? { isExpected: false }
    this.#states.set(draft, state)
    return state
  }

  /** The runs of hooks that have messages or validate their records. */
  get #runs(): readonly HookRun[] {
    return [...this.#states.values()].flatMap(({ run }) => run ?? [])
  }

  #expect(entries: readonly Entry[]): void {
    for (const { draft } of entries) if (draft !== undefined) this.#stateOf(draft).isExpected = true
  }

  /** What is known of the draft of a record. */
  #known(key: string): KnownDraft | undefined {
    return this.#allKnown().get(key)
  }

  /** The drafts of stored records by key. Those of the request are added when code asks for the first one. */
  #allKnown(): ReadonlyMap<string, KnownDraft> {
    for (const entry of this.#own) {
      const { model, draft, existing, id = existing?.id } = entry
      if (id !== undefined && draft !== undefined) this.#drafts.set(keyOf(model, id), { draft, entry })
    }
    this.#own = []
    return this.#drafts
  }

  /** Runs the code of an action, and applies what it writes. */
  async #begin(run: HookRun, next: Entry[]): Promise<void> {
    const pending = run.before()
    if (pending !== undefined) await this.#wait(pending, [run])
    this.#readAhead([run])
    await this.#apply(run, new Set(), next, this.#caller.via)
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
        if (draft !== undefined) this.#stateOf(draft).isExpected = false
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
    const written: Written = new Set()
    for (let run of runs) {
      if (this.#hasReadWritten(run, written)) {
        run = this.#runOf(run.entry, this.#parts.hooksOf(run.entry.model))
        const again = run.before()
        if (again !== undefined) await this.#wait(again, [run])
      }
      await this.#apply(run, written, next)
    }
  }

  #runOf(entry: Entry, sets: readonly HookSet[]): HookRun {
    const { model, draft, existing, former } = entry
    const isUpdate = draft !== undefined && existing !== undefined && former === undefined
    return new HookRun(this, entry, sets, isUpdate ? this.#later.of(keyOf(model, existing.id)) : undefined)
  }

  #isRemoved({ model, existing }: Entry): boolean {
    return this.#removed.size > 0 && existing !== undefined && this.#removed.has(keyOf(model, existing.id))
  }

  /** True if hooks have read what those of an earlier record have written: then they run again. */
  #hasReadWritten({ entry: { model, existing }, reads }: HookRun, written: Written): boolean {
    if (written.size === 0) return false
    if (existing !== undefined && written.has(keyOf(model, existing.id))) return true
    return reads.some((key) => {
      const draft = this.#known(key)?.draft
      return written.has(key) || (draft !== undefined && written.has(draft))
    })
  }

  #wait(pending: Promise<unknown>, runs: readonly HookRun[]): Promise<unknown> {
    const name = () => {
      const code = runs.find(({ code }) => code !== undefined)?.code
      return code === undefined ? 'A hook' : codeName(code)
    }
    return this.#limit.wait(pending, name)
  }

  async #apply(run: HookRun, written: Written, next: Entry[], via = 'hook'): Promise<void> {
    const { draft } = run.entry
    const key = draft ?? run.entry
    if (run.jobs.length > 0) this.#jobs.set(key, [...(this.#jobs.get(key) ?? []), ...run.jobs])
    // What it returns may refer to what it creates, and what it updates may be its own record.
    for (const write of run.queue) if (write.kind === 'create') await this.#queue(run, write, written, next, via)
    if (draft !== undefined) this.#applyPatch(run, draft, written)
    for (const write of run.queue) if (write.kind !== 'create') await this.#queue(run, write, written, next, via)
  }

  #applyPatch(run: HookRun, draft: OpenDraft, written: Written): void {
    const state = this.#stateOf(draft)
    state.isExpected = false
    state.hasRun = true
    if (run.later !== undefined) state.patch = run.patch
    run.later = undefined
    const isValidated = this.#parts.hooksOf(draft.model).some(({ validate }) => validate !== undefined)
    if (isValidated || run.complaints.length > 0) state.run = run
    if (run.patch.length === 0) return
    this.#note(
      draft,
      run.entry.actor,
      run.patch.map(([{ name }]) => name),
    )
    for (const [field, value] of run.patch) this.#set(draft, field.name, value)
    run.patch = []
    written.add(draft)
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
      const draft = OpenDraft.ofNew(actor, model, undefined, plainData(write.data), this.#parts.drafts)
      this.#targets.set(write.ref, draft)
      for (const [name, value] of Object.entries(write.data)) this.#refer(draft, name, value)
      const entry = { ...common, draft, existing: undefined }
      this.#written.push(entry)
      if (!draft.isRefused) next.push(entry)
      return
    }
    const key = keyOf(model, write.id)
    const existing = await this.#reader.get(model, actor, write.id)
    const known = this.#known(key)
    if (!isThere(existing, known?.entry)) throw noRecord(model, write.id)
    // A record that the transaction deletes is neither deleted again nor changed.
    if (this.#removed.has(key)) return
    written.add(key)
    if (write.kind === 'delete') {
      const isOfAction = run.entry.draft === undefined && run.entry.existing === undefined
      if (known?.entry.isOwn === true && !isOfAction)
        throw new Error(`${model.name} ${write.id} is the record that the request changes; only an action may delete it`)
      const entry = { ...common, draft: undefined, existing }
      this.#removed.set(key, entry)
      next.push(entry)
      return
    }
    const entry = known?.entry ?? (existing && this.#changeOf({ ...common, existing }))
    if (entry === undefined) return
    const { draft } = entry
    if (draft === undefined) return
    if (known === undefined) {
      this.#written.push(entry)
      this.#drafts.set(key, { draft, entry })
    }
    if (actor !== SHELL && entry.actor === SHELL) this.#stateOf(draft).limit = actor
    for (const [name, messages] of Object.entries(checkUpdateKeys(actor, model, undefined, write.data).toMessages())) {
      draft.complain(name, ...messages)
    }
    this.#note(draft, actor, Object.keys(write.data))
    this.#merge({ ...entry, chain, isComputed: run.entry.draft === draft }, draft, write.data, next)
  }

  /**
   * Notes who sets fields of a stored record, if the rights of the actor of the request have limits.
   *
   * @throws {AppError} FORBIDDEN for a field that only a superuser may set
   */
  #note(draft: OpenDraft, actor: Actor, names: readonly string[]): void {
    const { existing, model } = draft
    if (existing === undefined || this.actor.isSuperuser) return
    const state = this.#stateOf(draft)
    state.setters ??= { byActor: new Set(), bySystem: new Set() }
    const { byActor, bySystem } = state.setters
    for (const name of names) {
      if (!actor.isSuperuser && isPrivileged(model, name)) throw forbidden(actor)
      const [setter, other] = actor === SHELL ? [bySystem, byActor] : [byActor, bySystem]
      setter.add(name)
      other.delete(name)
    }
  }

  /**
   * Sets values of a record, whose hooks run for them. If they have run already, they run in another run of the transaction, with these values; or, if
   * that is not possible, again for what is new: then the record as they left it is the one before.
   */
  #merge(entry: Entry, draft: OpenDraft, data: CodeData, next: Entry[]): void {
    const before = { ...entry.existing, ...draft.values }
    const { refs } = draft
    const state = this.#stateOf(draft)
    const isLate = state.hasRun === true && entry.isComputed !== true && this.#isFollowed(entry, data)
    for (const [name, value] of Object.entries(data)) this.#set(draft, name, value)
    const names = Object.keys(data).filter((name) => !isSameValue(before[name] ?? null, draft.values[name] ?? null))
    if (isLate && entry.existing !== undefined) {
      this.#follow(keyOf(entry.model, entry.existing.id), draft, Object.keys(data), names)
      return
    }
    if ((names.length === 0 && refs === draft.refs) || state.isExpected) return
    state.isExpected = true
    next.push(state.hasRun === true ? { ...entry, former: before } : entry)
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
      for (const [field, value] of this.#stateOf(draft).patch ?? []) if (field.name === name) this.#set(draft, name, value)
    }
  }

  #changeOf(entry: Omit<Entry, 'draft'> & { readonly existing: StoredRecord }): Entry {
    return { ...entry, draft: OpenDraft.ofChange(entry.model, undefined, entry.existing, {}, this.#parts.drafts) }
  }

  /** A field that does not exist is no field to set: its name is among the messages. */
  #set(draft: OpenDraft, name: string, value: unknown): void {
    const field = draft.model.fields.get(name)
    if (field === undefined) return
    draft.set(field, value instanceof NewRecordId ? null : plainValue(value))
    this.#refer(draft, name, value)
  }

  /** Sets the ids of new records that a value has. */
  #refer(draft: OpenDraft, name: string, value: unknown): void {
    const field = draft.model.fields.get(name)
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!(item instanceof NewRecordId) || field === undefined) continue
      const target = this.#targets.get(item)
      if (target === undefined) throw new Error(`${name} has the id of a record that the transaction does not create`)
      draft.refer(field, target)
    }
  }

  /** Adds what the deletions change or delete by their cascades in models with hooks, after the updates, as far as it is not known yet. */
  async #cascade(next: Entry[]): Promise<void> {
    if (this.#removed.size === 0) return
    const removed = [...this.#removed.values()]
    const tables = new Set(removed.flatMap(({ model }) => this.#parts.reachedBy(model)))
    if (tables.size === 0) return
    const updates = [...this.#allKnown().values()].flatMap(({ draft, entry: { model, existing } }): readonly Operation[] =>
      existing === undefined ? [] : [{ kind: 'update', table: model.key, id: existing.id, values: changesOf(draft) }],
    )
    const removals = removed.flatMap(({ model, existing, cascadeFrom }): readonly Operation[] =>
      existing === undefined || cascadeFrom !== undefined ? [] : [{ kind: 'remove', table: model.key, id: existing.id }],
    )
    const outcome = await this.#rehearse([...updates, ...removals])
    if (!outcome.ok) return
    for (const { table, id, before, after } of outcome.changes) {
      const model = this.#parts.access.registry.expect(table)
      const key = keyOf(model, id)
      if (before === undefined || !tables.has(table) || this.#removed.has(key)) continue
      const [cause, from] = this.#causeOf(model, before)
      const common = {
        model,
        existing: before,
        actor: SHELL,
        via: 'cascade',
        cause: cause.cause,
        chain: cause.chain,
        isOwn: false,
      }
      if (after === undefined) {
        const entry = { ...common, draft: undefined, cascadeFrom: from }
        this.#removed.set(key, entry)
        this.#cascaded.push({ table, record: before })
        next.push(entry)
        continue
      }
      const known = this.#known(key)
      const present = known?.draft.values ?? before
      const data = Object.fromEntries(
        [...model.relations.values()].flatMap(({ name }) =>
          isSameValue(after[name] ?? null, present[name] ?? null) ? [] : [[name, after[name] ?? null]],
        ),
      )
      if (known !== undefined) {
        this.#note(known.draft, SHELL, Object.keys(data))
        this.#merge(known.entry, known.draft, data, next)
        continue
      }
      const draft = OpenDraft.ofChange(model, undefined, before, data, this.#parts.drafts)
      const entry = { ...common, draft }
      this.#written.push(entry)
      this.#drafts.set(key, { draft, entry })
      next.push(entry)
    }
  }

  /** The deletion that a record of a cascade refers to, and its model. */
  #causeOf(model: Model, record: StoredRecord): readonly [Entry, string] {
    for (const { name, relation } of model.relations.values()) {
      for (const id of [record[name] ?? []].flat()) {
        const cause = this.#removed.get(`${relation.target} ${id}`)
        if (cause !== undefined) return [cause, relation.target]
      }
    }
    const [first] = this.#removed.values()
    if (first === undefined) throw new Error('A cascade without a deletion')
    return [first, first.model.key]
  }

  async #validate(): Promise<void> {
    const runs = this.#runs
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
    const writes = this.#written.map(({ model, draft, existing, actor, via, cause }): DraftedWrite => {
      if (draft === undefined) throw new Error('A deletion among the writes of code')
      const rights = this.#states.get(draft)?.limit ?? actor
      return {
        model,
        draft: draft.finish(),
        open: draft,
        actor: rights,
        via,
        cause,
        ...(existing === undefined ? {} : { existing }),
      }
    })
    const removals = [...this.#removed.values()].flatMap(
      ({ model, existing, actor, via, isOwn, cascadeFrom }): DraftedRemoval[] =>
        isOwn || existing === undefined || cascadeFrom !== undefined ? [] : [{ model, record: existing, actor, via }],
    )
    const tables = [...new Set([...this.#removed.values()].flatMap(({ model }) => this.#parts.reachedBy(model)))]
    const knownCascade: KnownCascade | undefined = tables.length === 0 ? undefined : { tables, records: this.#cascaded }
    const isWritten = (key: string) => this.#known(key) !== undefined || this.#removed.has(key)
    const reads = (this.#batches?.seen ?? []).filter(({ table, id }) => !isWritten(`${table} ${id}`))
    const setters = new Map(
      [...this.#states].flatMap(([draft, { setters }]) => (setters === undefined ? [] : [[draft, setters]])),
    )
    return { writes, removals, knownCascade, reads, setters }
  }

  /** Stands for the id of a new record. */
  refOf(draft: OpenDraft): NewRecordId {
    const state = this.#stateOf(draft)
    const ref = state.ref ?? new NewRecordId(draft.model, this)
    state.ref = ref
    this.#targets.set(ref, draft)
    return ref
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
    const known = this.#known(key)
    if (!isThere(stored, known?.entry) || this.#removed.has(key)) return undefined
    return { id, ...stored, ...known?.draft.values }
  }

  /** Committed records, as the client of the API lists them. */
  async list(actor: Actor, key: string, query: ListQuery<AnyModel, string, string> = {}): Promise<unknown> {
    const model = this.modelFor(actor, 'view', key)
    const body = await this.#parts.reads.list(actor, model.key, queryText(listEntries(query)).slice(1))
    return JSON.parse(body.toString())
  }
}

/** True if a record exists for who reads it: as stored, or because the transaction creates it. */
const isThere = (stored: StoredRecord | undefined, written: Entry | undefined): boolean =>
  stored !== undefined || (written !== undefined && written.existing === undefined)

const changesOf = ({ changed, values }: OpenDraft): JsonObject =>
  Object.fromEntries(changed.map((name) => [name, values[name] ?? null]))

const plainValue = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter((item) => !(item instanceof NewRecordId)) : value

const plainData = (data: CodeData): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value instanceof NewRecordId ? [] : [[name, plainValue(value) as Json]])),
  )

/** The error of a write of code to a record that does not exist, or not for the actor. */
const noRecord = (model: Model, id: number): AppError =>
  new AppError('RECORD_NOT_FOUND', `${model.name} with ID ${id} does not exist`)

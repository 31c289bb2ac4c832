import { SHELL } from '../auth/permissions.ts'
import { type Field, isSettable } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { OpenDraft } from '../records/drafts.ts'
import { isSameValue } from '../store/store.ts'
import { isObject, type Json } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { type CodeData, copyOf, fittingValue, isNewId, type NewRecordId, ownCopy, ownJson, shownValue } from './code-values.ts'
import type { Deletion, RecordCreation, Tx, Update } from './define.ts'
import { refusalOf } from './define.ts'
import { type Effects, type Entry, type HookTransaction, HookTx, type QueuedWrite } from './hook-tx.ts'
import type { NewJob } from './job-queue.ts'
import type { CodeFunction, HookSet } from './parse-hooks.ts'
import { failureOf, messagesOf, refusedError } from './running.ts'

const NOTHING: readonly never[] = []

/** A call of the hooks of one record. Its effects are collected, and applied by the transaction. */
export class HookRun implements Effects {
  readonly entry: Entry
  readonly #transaction: HookTransaction
  readonly #sets: readonly HookSet[]
  /** Values that code is to write to the record when its hooks have run. */
  later: ReadonlyMap<string, Json> | undefined
  /** Values that hooks have returned and computed, until they are applied to the draft. */
  patch: readonly (readonly [Field, unknown])[] = NOTHING
  /** Messages by field. */
  complaints: readonly (readonly [string, readonly string[]])[] = NOTHING
  readonly queue: QueuedWrite[] = []
  readonly jobs: NewJob[] = []
  readonly reads: string[] = []
  isOver = false
  #isRefused = false
  /** The code that runs. */
  #code: CodeFunction<unknown> | undefined

  constructor(transaction: HookTransaction, entry: Entry, sets: readonly HookSet[], later?: ReadonlyMap<string, Json>) {
    this.#transaction = transaction
    this.entry = entry
    this.#sets = sets
    this.later = later
  }

  /** What runs, for messages. */
  get code(): CodeFunction<unknown> | undefined {
    return this.#code
  }

  /** Calls the hooks before the write, then computes. @returns undefined if none of them has to be waited for */
  before(): Promise<void> | undefined {
    if (!this.#transaction.isRecompute && this.entry.isComputed !== true) {
      for (const [index, set] of this.#sets.entries()) {
        const pending = this.#beforeOf(set)
        if (pending !== undefined) return this.#rest(pending, index + 1)
      }
    }
    this.#compute()
    this.isOver = true
    return undefined
  }

  async #rest(pending: Promise<void>, from: number): Promise<void> {
    await pending
    for (const set of this.#sets.slice(from)) await this.#beforeOf(set)
    this.#compute()
    this.isOver = true
  }

  #beforeOf(set: HookSet): Promise<void> | undefined {
    if (this.#isRefused) return undefined
    const { draft, existing, former = existing } = this.entry
    const stage = draft === undefined ? set.beforeDelete : former === undefined ? set.beforeCreate : set.beforeUpdate
    if (stage === undefined) return undefined
    const change = draft === undefined ? this.#deletion() : this.#change(draft, former)
    // The change is of the kind that the stage takes.
    const code = stage as unknown as CodeFunction<(change: unknown, tx: Tx) => unknown>
    return this.#call(code, change, (patch) => this.#take(patch, code))
  }

  /** Calls the validation of each file. It may read, and writes nothing. */
  async validate(): Promise<void> {
    this.isOver = false
    const { draft } = this.entry
    const written = this.queue.length + this.jobs.length
    for (const { validate } of draft === undefined || this.#isRefused || this.#transaction.isRecompute ? [] : this.#sets) {
      if (validate === undefined || draft === undefined) continue
      const code = validate as unknown as CodeFunction<(change: unknown, tx: Tx) => unknown>
      await this.#call(code, this.#change(draft, this.entry.existing), (messages) => {
        if (messages !== undefined && messages !== null) this.#complain(messages)
      })
      if (this.queue.length + this.jobs.length > written)
        throw failureOf(new Error('validate writes nothing; write in a hook before the write'), code)
    }
    for (const [field, messages] of this.complaints) draft?.complain(field, ...messages)
    this.isOver = true
  }

  #call(
    code: CodeFunction<(change: unknown, tx: Tx) => unknown>,
    change: unknown,
    take: (result: unknown) => void,
  ): Promise<void> | undefined {
    this.#code = code
    try {
      const result = code.call(change, new HookTx(this.#transaction, this, code))
      if (isThenable(result)) {
        return Promise.resolve(result)
          .then(take)
          .catch((error: unknown) => this.#fail(error, code))
      }
      take(result)
    } catch (error) {
      this.#fail(error, code)
    }
    return undefined
  }

  /** A refusal by field joins the other messages of the record; everything else ends the request. */
  #fail(error: unknown, code: CodeFunction<unknown>): void {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw failureOf(error, code)
    const { draft, cause } = this.entry
    if (typeof refusal.messages === 'string' || draft === undefined) {
      throw refusedError(refusal, this.#transaction.aboutOf(cause))
    }
    this.#isRefused = true
    this.queue.length = 0
    this.jobs.length = 0
    this.#complain(refusal.messages)
  }

  #complain(messages: unknown): void {
    this.complaints = [...this.complaints, ...messagesOf(messages)]
  }

  #patch(field: Field, value: unknown): void {
    this.patch = [...this.patch.filter(([other]) => other !== field), [field, value]]
  }

  #take(patch: unknown, code: CodeFunction<unknown>): void {
    const { model, draft } = this.entry
    if (patch === undefined || patch === null || draft === undefined) return
    if (!isObject(patch)) throw new TypeError(`${code.name} must return the values to set, or nothing`)
    for (const [name, value] of Object.entries(patch)) {
      const field = model.fields.get(name)
      if (field === undefined) {
        throw new TypeError(
          `${code.name} returns '${name}', which ${model.name} does not have${didYouMean(name, model.fields.keys())}`,
        )
      }
      if (field.computed) throw new TypeError(`${code.name} returns '${name}', which is computed`)
      if (!isSettable(field) && this.entry.actor !== SHELL)
        throw new TypeError(`${code.name} returns '${name}', which the server sets`)
      this.#patch(field, fittingValue(name, field, value, this.#transaction))
    }
  }

  #compute(): void {
    const { draft } = this.entry
    if (draft === undefined || this.#isRefused || this.#sets.every(({ compute }) => compute.length === 0)) return
    for (const { compute } of this.#sets) {
      for (const { field, code } of compute) {
        this.#code = code
        try {
          const value = code.call(this.#record(draft))
          if (isThenable(value)) throw new TypeError(`${code.name} must return its value at once, not a promise`)
          this.#patch(field, ownJson(value))
        } catch (error) {
          // A record that lacks mandatory values is refused for that.
          if (!draft.isFaulty) throw failureOf(error, code)
        }
      }
    }
  }

  /** The record as it would be stored. */
  #record(draft: OpenDraft): Readonly<Record<string, unknown>> {
    const { existing, model } = this.entry
    const values: Record<string, unknown> = { ...existing, ...draft.values }
    if (this.later !== undefined) Object.assign(values, Object.fromEntries(this.later))
    for (const [field, value] of this.patch) values[field.name] = shownValue(field, value)
    return ownCopy(model, values)
  }

  /** @param before undefined for a record that is created */
  #change(draft: OpenDraft, before: Before | undefined): RecordCreation<CodeData> | Update<CodeData> {
    const change = new HookChange(this.#transaction, draft, this.#record(draft), before, this.patch, this.later)
    return change as unknown as Update<CodeData>
  }

  #deletion(): Deletion<CodeData> {
    const { model, existing, cascadeFrom } = this.entry
    return { before: copyOf(model, existing ?? {}), cascade_from: cascadeFrom } as unknown as Deletion<CodeData>
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

type Before = Readonly<Record<string, Json>>

/** A creation or an update, as hooks get it. What most hooks do not ask for is made when one does. */
class HookChange {
  readonly record: CodeData
  readonly form: string | undefined
  readonly #transaction: HookTransaction
  readonly #draft: OpenDraft
  readonly #before: Before | undefined
  readonly #patch: HookRun['patch']
  readonly #later: HookRun['later']

  constructor(
    transaction: HookTransaction,
    draft: OpenDraft,
    record: CodeData,
    before: Before | undefined,
    patch: HookRun['patch'],
    later: HookRun['later'],
  ) {
    this.record = record
    this.form = draft.form?.name
    this.#transaction = transaction
    this.#draft = draft
    this.#before = before
    this.#patch = patch
    this.#later = later
  }

  get before(): CodeData | undefined {
    return this.#before && copyOf(this.#draft.model, this.#before)
  }

  get changed(): ReadonlySet<string> | undefined {
    return this.#before && changedFields(this.#draft, this.#patch, this.#later, this.#before, this.record)
  }

  get ref(): NewRecordId | undefined {
    return this.#before === undefined ? this.#transaction.refOf(this.#draft) : undefined
  }

  get secrets(): Readonly<Record<string, string>> {
    return secretsOf(this.#draft.model, this.#draft)
  }
}

/** The fields that have another value than before. */
function changedFields(
  draft: OpenDraft,
  patch: HookRun['patch'],
  later: HookRun['later'],
  before: Readonly<Record<string, Json>>,
  record: CodeData,
): ReadonlySet<string> {
  const refers = new Set(draft.refs.map(({ field }) => field))
  for (const [{ name }, value] of patch) if ([value].flat().some(isNewId)) refers.add(name)
  const isChange = (name: string): boolean => {
    const value = (record[name] ?? null) as Json
    const former = before[name] ?? (Array.isArray(value) ? [] : null)
    // A record for code has no secrets; one that is set is another one.
    return refers.has(name) || draft.model.secrets.includes(name) || !isSameValue(value, former)
  }
  return new Set([...draft.changed, ...patch.map(([{ name }]) => name), ...(later?.keys() ?? [])].filter(isChange))
}

/** The secrets that a draft sets, in plain text. */
function secretsOf(model: Model, draft: OpenDraft): Readonly<Record<string, string>> {
  const secrets: Record<string, string> = {}
  const changed = model.secrets.length === 0 ? [] : draft.changed
  for (const name of model.secrets) {
    const value = changed.includes(name) ? draft.values[name] : undefined
    if (typeof value === 'string') secrets[name] = value
  }
  return secrets
}

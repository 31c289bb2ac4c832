import { type Action, type Actor, SHELL } from '../auth/permissions.ts'
import type { AnyModel, ListQuery } from '../client/types-calls.ts'
import { AppError } from '../errors.ts'
import { type Field, isSettable } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { OpenDraft } from '../records/drafts.ts'
import { isSameValue, type StoredRecord } from '../store/store.ts'
import { isObject, type Json } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { readValue } from '../validate/record.ts'
import type { Deletion, EnqueueOptions, RecordCreation, Services, Tx, Update } from './define.ts'
import { refusalOf } from './define.ts'
import type { NewJob } from './job-queue.ts'
import type { CodeFunction, HookSet } from './parse-hooks.ts'
import { failureOf, messagesOf, refusedError } from './running.ts'

/** A record of a write, for its hooks. */
export interface Entry {
  readonly model: Model
  /** Undefined for a deletion. */
  readonly draft: OpenDraft | undefined
  /** As stored; undefined for a new record. */
  readonly existing: StoredRecord | undefined
  /** The id of a new record, if it is known. */
  readonly id?: number | undefined
  /** On whose behalf the record is written. */
  readonly actor: Actor
  readonly via?: string | undefined
  /** Index of the record of the request that it is written for. */
  readonly cause: number
  /** What caused the write, the first cause first. */
  readonly chain: readonly string[]
  /** True for a record of the request. */
  readonly isOwn: boolean
  /** Key of the model whose deletion deletes the record, too. */
  readonly cascadeFrom?: string | undefined
  /** The record as its hooks have left it, if they have run before. */
  readonly former?: Readonly<Record<string, Json>> | undefined
}

/** A write that code has asked for. */
export type QueuedWrite = {
  readonly model: Model
  readonly actor: Actor
  /** `order.beforeCreate`, as an element of a chain of causes. */
  readonly by: string
} & (
  | { readonly kind: 'create'; readonly data: CodeData; readonly ref: NewRecordId }
  | { readonly kind: 'update'; readonly data: CodeData; readonly id: number }
  | { readonly kind: 'delete'; readonly id: number }
)

type Unsigned<W> = W extends unknown ? Omit<W, 'by'> : never

/** Values as code sets them: those of a request, and ids of records that the transaction creates. */
export type CodeData = Readonly<Record<string, unknown>>

/** What hooks reach by their transaction. */
export interface HookTransaction {
  /** On whose behalf code runs. */
  readonly actor: Actor
  readonly isDryRun: boolean
  /** True if values are computed only. */
  readonly isRecompute: boolean
  /** Begins a message about a record of a request for several: `3: `. */
  aboutOf(cause: number): string
  /** Stands for the id of a new record. */
  refOf(draft: OpenDraft): NewRecordId
  servicesOf(code: CodeFunction<unknown>): Omit<Services, 'enqueue'>
  /** A job to be stored with the transaction. */
  jobOf(job: unknown, input: unknown, options: EnqueueOptions, cause: Pick<Entry, 'actor' | 'chain'>): NewJob
  /** @throws {AppError} FORBIDDEN; {Error} if there is no such model */
  modelFor(actor: Actor, action: Action, key: string): Model
  /** The record as the transaction would leave it so far. */
  present(model: Model, actor: Actor, id: number): Promise<Readonly<Record<string, Json>> | undefined>
  /** Committed records. */
  list(actor: Actor, key: string, query?: ListQuery<AnyModel, string, string>): Promise<unknown>
}

/** Stands for the id of a record that the transaction will create. */
export class NewRecordId {
  /** @throws {Error} the id is not known before the commit */
  toJSON(): never {
    throw new Error(
      'The id of a record that the transaction creates is not known before the commit; use it as a value of a record',
    )
  }
}

export const keyOf = ({ key }: Model, id: number): string => `${key} ${id}`

const NOTHING: readonly never[] = []

/** What hooks get, while it is made. */
type TxOf = { -readonly [M in keyof Tx]: Tx[M] }

/** A call of the hooks of one record. Its effects are collected, and applied by the transaction. */
export class HookRun {
  readonly entry: Entry
  readonly #transaction: HookTransaction
  readonly #sets: readonly HookSet[]
  /** Values that hooks have returned and computed, until they are applied to the draft. */
  patch: readonly (readonly [Field, unknown])[] = NOTHING
  /** Messages by field. */
  complaints: readonly (readonly [string, readonly string[]])[] = NOTHING
  queue: QueuedWrite[] = []
  /** Jobs to be stored with the record. */
  readonly jobs: NewJob[] = []
  /** Keys of the records that the hooks have read. */
  readonly reads: string[] = []
  #isRefused = false
  #isOver = false
  /** The code that runs. */
  #code: CodeFunction<unknown> | undefined

  constructor(transaction: HookTransaction, entry: Entry, sets: readonly HookSet[]) {
    this.#transaction = transaction
    this.entry = entry
    this.#sets = sets
  }

  /** What runs, for messages. */
  get code(): CodeFunction<unknown> | undefined {
    return this.#code
  }

  /** Calls the hooks before the write, then computes. @returns undefined if none of them has to be waited for */
  before(): Promise<void> | undefined {
    if (!this.#transaction.isRecompute) {
      for (const [index, set] of this.#sets.entries()) {
        const pending = this.#beforeOf(set)
        if (pending !== undefined) return this.#rest(pending, index + 1)
      }
    }
    this.#compute()
    this.#isOver = true
    return undefined
  }

  async #rest(pending: Promise<void>, from: number): Promise<void> {
    await pending
    for (const set of this.#sets.slice(from)) await this.#beforeOf(set)
    this.#compute()
    this.#isOver = true
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
    this.#isOver = false
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
    this.#isOver = true
  }

  #call(
    code: CodeFunction<(change: unknown, tx: Tx) => unknown>,
    change: unknown,
    take: (result: unknown) => void,
  ): Promise<void> | undefined {
    this.#code = code
    try {
      const result = code.call(change, this.#tx(code))
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
    this.queue = []
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
      this.#patch(field, ownValue(value))
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
          this.#patch(field, ownValue(value))
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
    for (const [field, value] of this.patch) values[field.name] = shownValue(field, value)
    return ownCopy(model, values)
  }

  /** @param before undefined for a record that is created */
  #change(draft: OpenDraft, before: Readonly<Record<string, Json>> | undefined): RecordCreation<CodeData> | Update<CodeData> {
    const { model } = this.entry
    const transaction = this.#transaction
    const record = this.#record(draft)
    const patched = this.patch
    const change = {
      record,
      get before() {
        return before === undefined ? undefined : copyOf(model, before)
      },
      get changed() {
        return before === undefined ? undefined : changedFields(draft, patched, before, record)
      },
      get ref() {
        return before === undefined ? transaction.refOf(draft) : undefined
      },
      form: draft.form?.name,
      get secrets() {
        return secretsOf(model, draft)
      },
    }
    return change as unknown as Update<CodeData>
  }

  #deletion(): Deletion<CodeData> {
    const { model, existing, cascadeFrom } = this.entry
    return { before: copyOf(model, existing ?? {}), cascade_from: cascadeFrom } as unknown as Deletion<CodeData>
  }

  #tx(code: CodeFunction<unknown>): Tx {
    const tx: TxOf = Object.create(this.#transaction.servicesOf(code))
    tx.dry_run = this.#transaction.isDryRun
    tx.model = (key) => this.#recordsOf(key, this.#transaction.actor, code)
    tx.system = { model: (key) => this.#recordsOf(key, SHELL, code) }
    tx.enqueue = async (job, input, options = {}) => {
      this.#expectOpen()
      const { chain } = this.entry
      const { actor } = this.#transaction
      this.jobs.push(this.#transaction.jobOf(job, input, options, { actor, chain: [...chain, this.#causeOf(code)] }))
    }
    return tx
  }

  /** `order.beforeCreate`, as an element of a chain of causes. */
  #causeOf({ name }: CodeFunction<unknown>): string {
    return `${this.entry.model.key}.${name}`
  }

  #recordsOf(key: string, actor: Actor, code: CodeFunction<unknown>): ReturnType<Tx['model']> {
    const transaction = this.#transaction
    const queue = (action: 'add' | 'change' | 'delete', write: (model: Model) => Unsigned<QueuedWrite>) => {
      this.#expectOpen()
      this.queue.push({ ...write(transaction.modelFor(actor, action, key)), by: this.#causeOf(code) })
    }
    const records = {
      read: (id: number) => this.#read(transaction.modelFor(actor, 'view', key), actor, id),
      list: (query?: ListQuery<AnyModel, string, string>) => transaction.list(actor, key, query),
      create: (data: CodeData) => {
        const ref = new NewRecordId()
        queue('add', (model) => ({ kind: 'create', model, actor, data: ownData(data), ref }))
        return ref
      },
      update: (id: number, data: CodeData) =>
        queue('change', (model) => ({ kind: 'update', model, actor, id: idOf(id), data: ownData(data) })),
      delete: (id: number) => queue('delete', (model) => ({ kind: 'delete', model, actor, id: idOf(id) })),
    }
    return records as unknown as ReturnType<Tx['model']>
  }

  #expectOpen(): void {
    if (this.#isOver) throw new Error('The hook is over; await everything that it does')
  }

  /** The record as the transaction, with what these hooks have written so far, would leave it. */
  async #read(model: Model, actor: Actor, id: number): Promise<CodeData | undefined> {
    this.#expectOpen()
    const key = keyOf(model, idOf(id))
    this.reads.push(key)
    const found = await this.#transaction.present(model, actor, id)
    if (found === undefined) return undefined
    let values: Record<string, unknown> | undefined = { ...found }
    for (const write of this.queue) {
      if (write.kind === 'create' || write.model !== model || write.id !== id) continue
      if (write.kind === 'delete') values = undefined
      else if (values !== undefined) {
        for (const [name, value] of Object.entries(write.data)) {
          const field = model.fields.get(name)
          if (field !== undefined) values[name] = shownValue(field, value)
        }
      }
    }
    return values === undefined ? undefined : copyOf(model, values)
  }
}

/** @throws {TypeError} for an id of a record that does not exist yet, and for what is no id */
function idOf(id: unknown): number {
  if (typeof id === 'number' && Number.isInteger(id)) return id
  throw new TypeError(
    id instanceof NewRecordId
      ? 'A record that the transaction creates can be used as a value only, until it is committed'
      : `An id is a whole number, not ${JSON.stringify(id)}`,
  )
}

const isNewId = (value: unknown): boolean => value instanceof NewRecordId

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Values that code writes, as its own copy. */
const ownData = (data: CodeData): CodeData =>
  Object.fromEntries(Object.entries(data ?? {}).map(([name, value]) => [name, ownValue(value)]))

/**
 * A value of code as JSON, which code cannot change afterwards. A Date becomes its text; ids of records to come stay.
 *
 * @throws {TypeError} for what is no JSON
 */
function ownValue(value: unknown): unknown {
  if (value === undefined || isNewId(value) || typeof value === 'number') return value
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => ownValue(item ?? null))
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`A ${typeof value} is no value of a record`)
  return JSON.parse(text)
}

/** A value as a record has it; empty for the id of a record to come. */
function shownValue(field: Field, raw: unknown): Json {
  if (isNewId(raw)) return null
  const plain = Array.isArray(raw) ? raw.filter((item) => !isNewId(item)) : raw
  return readValue(field, plain).value
}

/** A record for code: without secrets, and its own copy, so that a change of it has no effect. */
export const copyOf = (model: Model, record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  ownCopy(model, { ...record })

/** The same of values that are a copy already. */
function ownCopy(model: Model, copy: Record<string, unknown>): Readonly<Record<string, unknown>> {
  for (const name in copy) {
    const value = copy[name]
    if (typeof value === 'object' && value !== null) copy[name] = isIds(value) ? [...value] : structuredClone(value)
  }
  for (const name of model.secrets) delete copy[name]
  return Object.freeze(copy)
}

const isIds = (value: object): value is readonly number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number')

/** The fields that have another value than before. */
function changedFields(
  draft: OpenDraft,
  patch: HookRun['patch'],
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
  return new Set([...draft.changed, ...patch.map(([{ name }]) => name)].filter(isChange))
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

/** The error of a write of code to a record that does not exist, or not for the actor. */
export const noRecord = (model: Model, id: number): AppError =>
  new AppError('RECORD_NOT_FOUND', `${model.name} with ID ${id} does not exist`)

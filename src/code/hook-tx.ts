import { type Action, type Actor, SHELL } from '../auth/permissions.ts'
import type { AnyModel, ListQuery } from '../client/types-calls.ts'
import type { Model } from '../model/model.ts'
import type { OpenDraft } from '../records/drafts.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import { type CodeData, copyOf, NewRecordId, ownData, shownValue } from './code-values.ts'
import type { OwnServices } from './context.ts'
import type { EnqueueOptions, Tx } from './define.ts'
import type { NewJob } from './job-queue.ts'
import type { CodeFunction } from './parse-hooks.ts'

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
  /** True if its hooks have written to it themselves, so that only computed fields are new. */
  readonly isComputed?: boolean
}

/** A write that code has asked for. */
export type QueuedWrite = {
  readonly model: Model
  readonly actor: Actor
  /** `order.beforeCreate`, as an element of a chain of causes. */
  readonly by: string
  readonly code: CodeFunction<unknown>
} & (
  | { readonly kind: 'create'; readonly data: CodeData; readonly ref: NewRecordId }
  | { readonly kind: 'update'; readonly data: CodeData; readonly id: number }
  | { readonly kind: 'delete'; readonly id: number }
)

type Unsigned<W> = W extends unknown ? Omit<W, 'by' | 'code'> : never

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
  servicesOf(code: CodeFunction<unknown>): OwnServices
  /** A job to be stored with the transaction. */
  jobOf(job: unknown, input: unknown, options: EnqueueOptions, cause: Pick<Entry, 'actor' | 'chain'>): NewJob
  /** A mail to be stored with the transaction. @throws {AppError} VALIDATION_FAILED */
  mailOf(message: unknown, cause: Pick<Entry, 'actor' | 'chain'>): NewJob
  /** @throws {AppError} FORBIDDEN; {Error} if there is no such model */
  modelFor(actor: Actor, action: Action, key: string): Model
  /** The record as the transaction would leave it so far. */
  present(model: Model, actor: Actor, id: number): Promise<Readonly<Record<string, Json>> | undefined>
  /** Committed records. */
  list(actor: Actor, key: string, query?: ListQuery<AnyModel, string, string>): Promise<unknown>
}

export const keyOf = ({ key }: Model, id: number): string => `${key} ${id}`

/** What the hooks of a record have asked for so far. */
export interface Effects {
  readonly entry: Entry
  readonly queue: QueuedWrite[]
  /** Jobs to be stored with the record. */
  readonly jobs: NewJob[]
  /** Keys of the records that the hooks have read. */
  readonly reads: string[]
  /** True when the hooks are over: they can ask for nothing more. */
  readonly isOver: boolean
}

/** What a hook, or the code of an action, gets. Its members are made when code asks for them, since most hooks ask for few. */
export class HookTx implements Tx {
  readonly #transaction: HookTransaction
  readonly #effects: Effects
  readonly #code: CodeFunction<unknown>
  #known: OwnServices | undefined

  constructor(transaction: HookTransaction, effects: Effects, code: CodeFunction<unknown>) {
    this.#transaction = transaction
    this.#effects = effects
    this.#code = code
  }

  get #services(): OwnServices {
    this.#known ??= this.#transaction.servicesOf(this.#code)
    return this.#known
  }

  get actor(): Tx['actor'] {
    return this.#services.actor
  }

  get via(): Tx['via'] {
    return this.#services.via
  }

  get request_id(): Tx['request_id'] {
    return this.#services.request_id
  }

  get signal(): AbortSignal {
    return this.#services.signal
  }

  get log(): Tx['log'] {
    return this.#services.log
  }

  get now(): Tx['now'] {
    return this.#services.now
  }

  get dry_run(): boolean {
    return this.#transaction.isDryRun
  }

  get model(): Tx['model'] {
    return (key) => this.#recordsOf(key, this.#transaction.actor)
  }

  get system(): Tx['system'] {
    return { model: (key) => this.#recordsOf(key, SHELL) }
  }

  get enqueue(): Tx['enqueue'] {
    return async (job, input, options = {}) => {
      this.#expectOpen()
      this.#effects.jobs.push(this.#transaction.jobOf(job, input, options, this.#origin))
    }
  }

  get mail(): Tx['mail'] {
    return async (message) => {
      this.#expectOpen()
      this.#effects.jobs.push(this.#transaction.mailOf(message, this.#origin))
    }
  }

  /** On whose behalf a job runs, and what has caused it. */
  get #origin(): Pick<Entry, 'actor' | 'chain'> {
    return { actor: this.#transaction.actor, chain: [...this.#effects.entry.chain, this.#cause] }
  }

  /** `order.beforeCreate`, as an element of a chain of causes. */
  get #cause(): string {
    return `${this.#effects.entry.model.key}.${this.#code.name}`
  }

  #recordsOf(key: string, actor: Actor): ReturnType<Tx['model']> {
    const transaction = this.#transaction
    const queue = (write: Unsigned<QueuedWrite>) => {
      this.#expectOpen()
      this.#effects.queue.push({ ...write, by: this.#cause, code: this.#code })
    }
    const records = {
      read: (id: number) => this.#read(transaction.modelFor(actor, 'view', key), actor, id),
      list: (query?: ListQuery<AnyModel, string, string>) => transaction.list(actor, key, query),
      create: (data: CodeData) => {
        const model = transaction.modelFor(actor, 'add', key)
        const ref = new NewRecordId(model, transaction)
        queue({ kind: 'create', model, actor, data: ownData(model, data, transaction), ref })
        return ref
      },
      update: (id: number, data: CodeData) => {
        const model = transaction.modelFor(actor, 'change', key)
        queue({ kind: 'update', model, actor, id: idOf(id), data: ownData(model, data, transaction) })
      },
      delete: (id: number) => queue({ kind: 'delete', model: transaction.modelFor(actor, 'delete', key), actor, id: idOf(id) }),
    }
    return records as unknown as ReturnType<Tx['model']>
  }

  #expectOpen(): void {
    if (this.#effects.isOver) throw new Error('The hook is over; await everything that it does')
  }

  /** The record as the transaction, with what these hooks have written so far, would leave it. */
  async #read(model: Model, actor: Actor, id: number): Promise<CodeData | undefined> {
    this.#expectOpen()
    const { reads, queue } = this.#effects
    const key = keyOf(model, idOf(id))
    reads.push(key)
    const found = await this.#transaction.present(model, actor, id)
    if (found === undefined) return undefined
    let values: Record<string, unknown> | undefined = { ...found }
    for (const write of queue) {
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

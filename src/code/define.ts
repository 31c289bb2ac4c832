// The public API of project code. `index.ts` exports everything here, so that `admin types` can add the models of a project to `Models`.
import type { ModelClient } from '../client/model-client.ts'
import type { AnyModel, ModelTypes } from '../client/types-calls.ts'
import { markCallSite } from '../config/call-site.ts'
import type { RecordOf, WritableFieldName } from '../model/define.ts'
import type { ModelDefinition } from '../model/definition.ts'
import { isObject } from '../util/json.ts'

/** The types of a project's models, by key. The file that `admin types` writes adds them. */
// biome-ignore lint/suspicious/noEmptyInterface: a declaration of the same name adds the models
export interface Models {}

/** A key of a model: any text, until `admin types` has made them known. */
export type ModelKey = keyof Models extends never ? string : keyof Models & string

/** The types of a model by its key. */
export type TypesOf<K extends string> = K extends keyof Models ? (Models[K] extends ModelTypes ? Models[K] : AnyModel) : AnyModel

/** What code may return, or nothing: also functions whose type says that they return nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function of the type `() => void` is no `() => undefined`
export type Maybe<T> = T | undefined | void | Promise<T | undefined | void>

/** Who may call an endpoint: everyone, every user, superusers, holders of a permission, members of a group. Actions have the same but `public`. */
export type Access = 'public' | 'authenticated' | 'superuser' | { readonly permission: string } | { readonly group: string }

/** Messages by field. */
export type Messages<R> = { readonly [N in keyof R]?: string | readonly string[] }

/** How a write was made. */
export type Via = 'api' | 'import' | 'cascade' | 'cli' | 'seed' | 'mock' | 'hook' | 'action' | 'endpoint' | 'job' | 'script'

/** A user on whose behalf code runs. */
export interface Person {
  readonly id: number
  readonly username: string
  readonly is_superuser: boolean
  readonly groups: ReadonlySet<string>
  /** True if the user has a permission, such as `change_post`. */
  can(codename: string): boolean
}

/** The records of a model, with the methods of `admin-folder/client`, without HTTP. */
export type RecordsOf<K extends string> = Pick<
  ModelClient<TypesOf<K>>,
  'list' | 'all' | 'read' | 'create' | 'update' | 'delete' | 'bulkCreate' | 'bulkUpdate' | 'bulkDelete' | 'search' | 'aggregate'
>

/** Access to the records of the models. */
export interface Reach {
  model<K extends ModelKey>(key: K): RecordsOf<K>
}

/** What all code gets. */
export interface Services {
  /** The user who makes the request; null for the server, the shell, and requests without a token. */
  readonly actor: Person | null
  readonly via: Via
  readonly request_id: string | undefined
  /** Aborted when the time of the code is over. */
  readonly signal: AbortSignal
  readonly log: {
    info(text: string, data?: object): void
    warn(text: string, data?: object): void
    error(text: string, data?: object): void
  }
  now(): Date
  /**
   * Stores a job with the transaction; outside of one, at once. It runs after the commit, at least once.
   *
   * @throws for input that the fields of the job refuse
   */
  enqueue<I extends object>(job: Job<I>, input: I, options?: EnqueueOptions): Promise<void>
  /**
   * Stores a mail to one address with the transaction; outside of one, at once. It is sent after the commit, at least once, by a job of the server.
   *
   * @throws for an address, subject or text that is refused, and without the setting `mail`
   */
  mail(message: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>
}

/** How a job is stored. */
export interface EnqueueOptions {
  /** The job is not stored again while one with this key waits. */
  readonly key?: string
  /** Not before this time. */
  readonly run_at?: Date
}

/** A job, as `defineJob` returns it. */
export interface Job<I extends object> {
  readonly name: string
  readonly run: (input: I, ctx: JobContext) => unknown
}

/** What code gets that runs outside of a transaction. `model` acts with the permissions of the actor, `system.model` with all. */
export interface Context extends Services, Reach {
  readonly system: Reach
  /**
   * Runs work whose writes are stored together or not at all, with the hooks of their models. It has no effects but through `tx`: it runs again if a
   * record that it has read changes before the commit.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** The default export of a script for `admin run`. */
export type Script = (ctx: Context, args: readonly string[]) => unknown

/** What a job gets. */
export interface JobContext extends Context {
  /** The id is the same for each attempt, so that receivers can tell a repetition. The first attempt is 1. */
  readonly job: { readonly id: number; readonly attempt: number }
}

declare const isNew: unique symbol

/** The id of a record that the transaction will create; stands wherever an id stands. */
export interface NewId {
  readonly [isNew]: true
}

/** Values of a record, with the ids of records that the transaction creates. */
export type Draft<D> = { readonly [F in keyof D]: D[F] | (F extends `${string}_id` ? NewId : never) }

/** The records of a model within a transaction. Writes are collected, and stored together with the record of the hook. */
export interface TxRecordsOf<K extends string> {
  /**
   * The record as the transaction would leave it; undefined if there is none, or the actor may not see it. If it changes before the commit, the
   * whole write runs again.
   */
  read(id: number): Promise<TypesOf<K>['record'] | undefined>
  /** Committed records only. */
  list: RecordsOf<K>['list']
  create(data: Draft<TypesOf<K>['create']>): NewId
  update(id: number, data: Draft<TypesOf<K>['update']>): void
  delete(id: number): void
}

/** Access to the records of the models within a transaction. */
export interface TxReach {
  model<K extends ModelKey>(key: K): TxRecordsOf<K>
}

/** The transaction of a hook. `model` acts with the permissions of the actor, `system.model` with all. */
export interface Tx extends Services, TxReach {
  readonly system: TxReach
  /** True if nothing will be stored. */
  readonly dry_run: boolean
}

/** Secret fields that the request sets, in plain text; no record that code gets contains one. */
export type Secrets = Readonly<Record<string, string>>

/** A record that has an id. */
export type StoredValues<R> = R & { readonly id: number }

/** Values that a hook may set. */
export type Patch<M extends ModelDefinition> = {
  readonly [F in WritableFieldName<M>]?: RecordOf<M>[F & keyof RecordOf<M>]
}

/** A record that is created. */
export interface RecordCreation<R> {
  /** As it would be stored: the values of the request, defaults, and what earlier hooks have set. */
  readonly record: R
  readonly before: undefined
  /** Stands for the id to come. */
  readonly ref: NewId
  /** The form that the request names. */
  readonly form: string | undefined
  readonly secrets: Secrets
}

/** A record that is changed. */
export interface Update<R> {
  /** As it would be stored. */
  readonly record: StoredValues<R>
  /** As it is stored. */
  readonly before: StoredValues<R>
  /** The fields that get another value. */
  readonly changed: ReadonlySet<keyof R>
  readonly form: string | undefined
  readonly secrets: Secrets
}

/** A record that is deleted. */
export interface Deletion<R> {
  readonly before: StoredValues<R>
  /** The model whose deletion causes this one, as `on_delete: cascade` says. */
  readonly cascade_from: string | undefined
}

/** A committed change. */
export interface Committed<R> {
  readonly action: 'create' | 'update' | 'delete'
  readonly before: StoredValues<R> | undefined
  readonly after: StoredValues<R> | undefined
}

/**
 * What a project does with the writes of a model. Hooks have no effects but through `tx`: they may run several times for one write, and what
 * they write is stored together with the record or not at all.
 */
export interface ModelHooks<R, P> {
  /** Values of fields as pure functions of the record. They are stored; clients cannot set them, so that they are not among the inputs. */
  readonly compute?: { readonly [F in keyof R]?: (record: R) => R[F] }
  /** Runs before a record is created; may return values to set. */
  readonly beforeCreate?: (change: RecordCreation<R>, tx: Tx) => Maybe<P>
  /** Runs before a record is changed; may return values to set. */
  readonly beforeUpdate?: (change: Update<R>, tx: Tx) => Maybe<P>
  /** Runs before a record is deleted. */
  readonly beforeDelete?: (change: Deletion<R>, tx: Tx) => void | Promise<void>
  /** Returns messages by field for a record that may not be stored. */
  readonly validate?: (change: RecordCreation<R> | Update<R>, tx: Tx) => Maybe<Messages<R>>
  /** Runs after the commit, at most once, with up to 1,000 changes. The response does not wait for it. */
  readonly afterCommit?: (changes: readonly Committed<R>[], ctx: Context) => void | Promise<void>
}

/** ModelHooks of a model, as `defineHooks` returns them. */
export interface HooksDefinition {
  readonly model: string
  readonly hooks: object
}

/**
 * Defines what a project does with the writes of a model.
 *
 * @param model the model, or its key
 * @example export default defineHooks('order', { compute: { total: ({ quantity, price }) => quantity * price } })
 */
export function defineHooks<const M extends ModelDefinition>(
  model: M,
  hooks: ModelHooks<RecordOf<NoInfer<M>>, Patch<NoInfer<M>>>,
): HooksDefinition
export function defineHooks<K extends ModelKey>(
  model: K,
  hooks: ModelHooks<TypesOf<NoInfer<K>>['record'], TypesOf<NoInfer<K>>['update']>,
): HooksDefinition
export function defineHooks(model: ModelDefinition | string, hooks: object): HooksDefinition {
  const key = typeof model === 'string' ? model : model.name.toLowerCase()
  return markCallSite({ model: key, hooks }, defineHooks)
}

/** Marks the errors of `refuse`. Shared by the process, since a project may import another copy of this package. */
const REFUSAL = Symbol.for('admin-folder.refusal')

/** What `refuse` was called with. */
export interface Refusal {
  readonly messages: string | Readonly<Record<string, string | readonly string[]>>
  readonly status: 400 | 403 | 404 | 409
}

/** What an error of `refuse` was thrown with; undefined for another error. */
export function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof Error ? (error as Error & { [REFUSAL]?: Refusal })[REFUSAL] : undefined
}

/**
 * Ends the request with an error that the caller sees: messages by field, or a sentence. Every other exception is an internal error.
 *
 * @param status of a sentence
 */
export function refuse(messages: Refusal['messages'], status: Refusal['status'] = 400): never {
  const isText = (text: unknown) => typeof text === 'string'
  const given: unknown = messages
  if (!isText(given) && !(isObject(given) && Object.values(given).flat().every(isText)))
    throw new TypeError('refuse takes a sentence, or texts by field')
  if (![400, 403, 404, 409].includes(status)) throw new TypeError(`The status of refuse is 400, 403, 404 or 409, not ${status}`)
  const text = typeof messages === 'string' ? messages : Object.values(messages).flat().join('; ')
  const refusal: Refusal = { messages, status }
  throw Object.assign(new Error(text), { [REFUSAL]: refusal })
}

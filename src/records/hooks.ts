import type { Actor } from '../auth/permissions.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { Change, KnownCascade, Operation, Outcome, RecordReader, SideRecords, StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import type { ActionCode, ModelAction } from './actions.ts'
import type { DraftedWrite, OpenDraft } from './drafts.ts'
import type { Prefix } from './outcomes.ts'
import type { RecordData } from './write-requests.ts'

/** Ways in which a write is made, beside requests and the command line. */
export type WriteVia = 'import' | 'mock' | 'seed' | 'restore' | 'hook' | 'action' | 'endpoint' | 'job' | 'script'

/** The source of a write, for the history. */
export interface WriteOrigin {
  /** When absent, the API or, for the server and the shell, the command line. */
  readonly via?: WriteVia | undefined
  readonly requestId?: string | undefined
  /** What caused the write, if code of the project made it; the first cause first. */
  readonly chain?: readonly string[] | undefined
}

/** Options of a commit. */
export interface CommitOptions {
  /** Does everything except the commit, and returns what would be stored. */
  readonly dryRun?: boolean | undefined
  readonly origin?: WriteOrigin | undefined
  /** Id of a session that goes on although the password of its user changes. */
  readonly keptSession?: number | undefined
  /** Id of a one-time token that is spent with the write: of several writes with it, one succeeds. */
  readonly spentToken?: number | undefined
  /** Values of an identity that the created user logs in by. It is created with the user, or neither is. */
  readonly identity?: JsonObject | undefined
  /** True if the caller writes what changes of an account into its log. */
  readonly isNoted?: boolean | undefined
  /** Calls no code of the project. */
  readonly withoutCode?: boolean | undefined
  /** Computes the fields that code computes, and calls no other hooks before the write. */
  readonly recompute?: boolean | undefined
}

/** An action of the project as it is performed, or a transaction of its code: code that runs before the hooks of its records. */
export interface ActionCall {
  readonly action: Pick<ModelAction, 'model' | 'input'>
  readonly code: ActionCode
  readonly input: JsonObject
  /** What the code has returned: a sentence for the user, if it is a text. The code may run again, so the last one counts. */
  returned?: unknown
}

/** That a write creates or updates records of a model, or deletes some. */
export interface ChangeOfModel {
  readonly model: Model
  readonly change: 'write' | 'remove'
}

/** By whom, where and how a write is made. */
export interface WriteContext {
  readonly actor: Actor
  readonly model: Model
  readonly prefix?: Prefix
  readonly options?: CommitOptions
  /** What the write does with which models, if that is more than one kind of change of `model`. */
  readonly kinds?: readonly ChangeOfModel[]
  /** The records that the request names for a change or a deletion. */
  readonly ids?: readonly number[]
  /** True for an action, whose records are checked when they are read: the right to perform it is not that to change them. */
  readonly isPermitted?: boolean
  /** The action, if it has code. */
  readonly call?: ActionCall | undefined
}

/** One record of a write. */
export interface WriteTarget {
  /** As stored; undefined for a new record. */
  readonly existing?: StoredRecord | undefined
  /** The values that the request sets; undefined for a deletion. */
  readonly data?: RecordData | undefined
}

/** A transaction before its commit, or before its dry run. Hooks add to it. */
export interface OpenTransaction extends SideRecords {
  readonly write: WriteContext
  /** True for an update of the server's own, such as the time of a login: it has neither events nor history. */
  readonly isQuiet: boolean
  /** The operations of the write, then those that hooks have added. */
  operations: readonly Operation[]
  events?: SideRecords['events']
  history?: SideRecords['history']
  /** What the operations would change. */
  rehearse(): Promise<Outcome>
}

/** A record that is created, changed or deleted, before validation. */
export interface OpenChange {
  /** Undefined for a deletion. */
  readonly draft: OpenDraft | undefined
  readonly model: Model
  /** As stored; undefined for a new record. */
  readonly existing: StoredRecord | undefined
  /** The id of a new record, if it is known. */
  readonly id?: number | undefined
}

/** A record that code of the project deletes. */
export interface DraftedRemoval {
  readonly model: Model
  readonly record: StoredRecord
  readonly actor?: Actor | undefined
  readonly via?: string | undefined
}

/** Who has set fields of a stored record, beside the request. */
export interface Setters {
  /** Names of the fields that code has set with the rights of an actor. */
  readonly byActor: Set<string>
  /** Those of them that it has written by `tx`, not returned by a hook. */
  readonly writtenByActor: Set<string>
  /** Those that it has set with all rights. */
  readonly bySystem: Set<string>
}

/** What code adds to a write, to be stored with it or not at all. */
export interface Completion {
  /** By draft, also of records of the request, of those that are stored already. */
  readonly setters?: ReadonlyMap<OpenDraft, Setters> | undefined
  readonly writes: readonly DraftedWrite[]
  readonly removals: readonly DraftedRemoval[]
  /** What the cascades of the removals do, as code has seen it. */
  readonly knownCascade?: KnownCascade | undefined
  /** Operations on tables of the server's own, such as those that store jobs. */
  readonly operations?: readonly Operation[]
  /** Records that code has read, and that must be so when the write commits; undefined for those that did not exist. */
  readonly reads: readonly { readonly table: string; readonly id: number; readonly record: StoredRecord | undefined }[]
}

/** The drafts of a write, with what code of the project adds. */
export interface CompletedWrite {
  readonly writes: readonly DraftedWrite[]
  readonly completion: Completion
}

/** Completes changes by code of the project. */
export type Complete = (write: WriteContext, changes: readonly OpenChange[], records: RecordReader) => Promise<Completion>

/** Tells what operations would change, without the conditions of anyone's rights. */
export type Rehearse = (operations: readonly Operation[]) => Promise<Outcome>

/** Replaces values of requests by what they mean. */
export type ResolveValues = NonNullable<WriteHooks['resolve']>

/** What a feature does with each write. Seeds and changes of models, which make the initial state, call no hooks. */
export interface WriteHooks {
  /** Runs before validation, for each record, again if the record changes before the commit. Throws to refuse the write. */
  beforeWrite?(write: WriteContext, target: WriteTarget): void | Promise<void>
  /**
   * Replaces the ids of files in values that a request, a seed or code of the project sets, by the files that they name or by problems
   * (`FileProblem`). Called before the values are read, for models with fields of files; again if the record changes before the commit.
   *
   * @returns the values of each target
   */
  resolve?(
    write: Pick<WriteContext, 'actor' | 'model'>,
    targets: readonly WriteTarget[],
    records: RecordReader,
  ): Promise<readonly RecordData[]>
  /** Adds operations, events and history that are stored with the write, or not at all. Throws to refuse the write. Of dry runs, too. */
  inTransaction?(transaction: OpenTransaction): void | Promise<void>
  /** True if `afterCommit` must get the changes of a model, so that they are not written in parts. */
  seesChanges?(model: Model): boolean
  /** True if `complete` has something to do with such a change of a model. */
  completes?(model: Model, change: 'write' | 'remove', options: CommitOptions | undefined): boolean
  /**
   * Runs code of the project for records whose values have been read: it sets further values and adds messages, writes and removals. No
   * transaction is open. Runs again if a record that it has read changes before the commit.
   */
  complete?(write: WriteContext, changes: readonly OpenChange[], records: RecordReader, rehearse: Rehearse): Promise<Completion>
  /**
   * Runs after the commit and before the response. The write is stored, so an error is logged, and is no error of the request. A transaction in
   * parts does not call it, since its changes are not in memory.
   */
  afterCommit?(changes: readonly Change[], write: WriteContext): void | Promise<void>
}

/** The hooks of all features, which run in the order in which the features were used. */
export class Hooks {
  readonly #log: Log
  readonly #all: WriteHooks[] = []

  constructor(log: Log) {
    this.#log = log
  }

  use(...hooks: readonly WriteHooks[]): void {
    this.#all.push(...hooks)
  }

  async beforeWrite(write: WriteContext, targets: Iterable<WriteTarget>): Promise<void> {
    for (const target of targets) {
      for (const hooks of this.#all) {
        const pending = hooks.beforeWrite?.(write, target)
        if (pending !== undefined) await pending
      }
    }
  }

  /** The targets with the files that their values name. Those of a model without fields of files, or that set none, are returned as they are. */
  resolved<T extends WriteTarget>(
    write: Pick<WriteContext, 'actor' | 'model'>,
    targets: readonly T[],
    records: RecordReader,
  ): readonly T[] | Promise<readonly T[]> {
    const { fileFields } = write.model
    if (fileFields.length === 0) return targets
    const sets = ({ data }: WriteTarget) => data !== undefined && fileFields.some(({ name }) => (data[name] ?? null) !== null)
    const hooks = this.#all.find(({ resolve }) => resolve !== undefined)
    if (hooks?.resolve === undefined || !targets.some(sets)) return targets
    return hooks
      .resolve(write, targets, records)
      .then((values) => targets.map((target, index) => ({ ...target, data: values[index] ?? target.data })))
  }

  /** The stage `complete` for changes of a model; undefined if no feature takes part, so that the write is that of the request alone. */
  completing(
    { model, options, call, kinds }: WriteContext,
    change: ChangeOfModel['change'],
  ): NonNullable<WriteHooks['complete']> | undefined {
    const all = kinds ?? [{ model, change }]
    const hooks = this.#all.find(
      ({ complete, completes }) =>
        complete !== undefined &&
        (call !== undefined || all.some((kind) => completes?.(kind.model, kind.change, options) === true)),
    )
    return hooks?.complete?.bind(hooks)
  }

  /** True if the records of a model may be written in parts: no feature needs all of their changes. */
  mayDivide(write: WriteContext): boolean {
    return (
      this.completing(write, 'write') === undefined && !this.#all.some(({ seesChanges }) => seesChanges?.(write.model) === true)
    )
  }

  async inTransaction(transaction: OpenTransaction): Promise<void> {
    for (const hooks of this.#all) {
      const pending = hooks.inTransaction?.(transaction)
      if (pending !== undefined) await pending
    }
  }

  async afterCommit(changes: readonly Change[], write: WriteContext): Promise<void> {
    for (const hooks of this.#all) {
      try {
        const pending = hooks.afterCommit?.(changes, write)
        if (pending !== undefined) await pending
      } catch (error) {
        this.#log.error('A write was committed, and what follows from it failed', { error })
      }
    }
  }
}

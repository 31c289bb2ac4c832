import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { CommitOptions, WriteContext, WriteHooks } from '../records/hooks.ts'
import type { Change } from '../store/store.ts'
import { groupBy } from '../util/json.ts'
import { actionRun } from './action-run.ts'
import { copyOf } from './code-values.ts'
import { type Caller, callerOf, contextOf } from './context.ts'
import type { Committed } from './define.ts'
import type { HookSet, ProjectHooks } from './parse-hooks.ts'
import { codeName, failureOf, LONG_MS, loop, MAX_LEVELS, TimeLimit } from './running.ts'
import { type CodeParts, CodeTransaction } from './transaction.ts'

/** Number of changes that `afterCommit` gets at once. */
const CHANGES_AT_ONCE = 1000

type AfterCommit = NonNullable<HookSet['afterCommit']>

/** Runs the hooks of a project with the writes of its models. */
export class ProjectCode {
  readonly #hooks: ProjectHooks
  readonly #parts: CodeParts
  /** The calls of `afterCommit` that are not over. */
  readonly #running = new Set<Promise<void>>()
  /** What this feature does with each write. */
  readonly hooks: WriteHooks

  constructor(hooks: ProjectHooks, registry: Registry, parts: Omit<CodeParts, 'hooksOf' | 'reachedBy'>) {
    this.#hooks = hooks
    const reached = new Map(registry.all.map((model) => [model.key, reachedFrom(model, registry, hooks)]))
    this.#parts = {
      ...parts,
      hooksOf: ({ key }) => hooks.get(key) ?? [],
      reachedBy: ({ key }) => reached.get(key) ?? [],
    }
    this.hooks = {
      beforeWrite: ({ options }) => {
        const chain = options?.origin?.chain ?? []
        if (chain.length > MAX_LEVELS) throw loop(chain)
      },
      completes: (model, change, options) => this.#completes(model, change, options),
      complete: async (write, changes, records, rehearse) => {
        const { call } = write
        let former: CodeTransaction | undefined
        for (;;) {
          const transaction: CodeTransaction = new CodeTransaction(this.#parts, write, records, rehearse, former)
          const completion = await transaction.complete(changes, call && ((own) => actionRun(transaction, call, own, write)))
          if (completion !== undefined) return completion
          for (const { draft } of changes) draft?.reset()
          former = transaction
        }
      },
      seesChanges: ({ key }) => this.#hooks.get(key)?.some(({ afterCommit }) => afterCommit !== undefined) === true,
      afterCommit: (changes, write) => this.#afterCommit(changes, write),
    }
  }

  /** Resolves when no `afterCommit` runs any more. */
  async stop(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #completes(model: Model, change: 'write' | 'remove', options: CommitOptions | undefined): boolean {
    if (options?.withoutCode === true) return false
    const own = this.#hooks.get(model.key) ?? []
    if (change === 'remove') {
      return own.some(({ beforeDelete }) => beforeDelete !== undefined) || this.#parts.reachedBy(model).length > 0
    }
    return own.some(writes)
  }

  /** Starts the calls, which the response does not wait for. */
  #afterCommit(changes: readonly Change[], write: WriteContext): void {
    const { options } = write
    const via = options?.origin?.via
    if (options?.withoutCode === true || via === 'mock' || via === 'seed') return
    const observed = changes.filter(({ table }) => this.#hooks.get(table)?.some(({ afterCommit }) => afterCommit !== undefined))
    if (observed.length === 0) return
    const caller = callerOf(write)
    for (const [table, ofTable] of groupBy(observed, (change) => change.table)) {
      const model = this.#parts.access.registry.expect(table)
      for (const { afterCommit } of this.#hooks.get(table) ?? []) {
        if (afterCommit === undefined) continue
        const observe = async () => {
          for (let from = 0; from < ofTable.length; from += CHANGES_AT_ONCE) {
            const some = ofTable.slice(from, from + CHANGES_AT_ONCE).map((change) => committed(model, change))
            await this.#observe(afterCommit, some, caller)
          }
        }
        const run = observe().finally(() => this.#running.delete(run))
        this.#running.add(run)
      }
    }
  }

  async #observe(code: AfterCommit, changes: readonly Committed<never>[], caller: Caller): Promise<void> {
    const limit = new TimeLimit(LONG_MS, this.#parts.timer)
    try {
      const name = `${code.file} ${code.name}`
      const context = contextOf(this.#parts, caller, { name, via: 'hook' }, limit.signal)
      const call = async () => code.call(changes as never, context)
      await limit.wait(call(), () => codeName(code))
    } catch (error) {
      const failure = error instanceof AppError && error.code === 'CODE_TIMEOUT' ? error : failureOf(error, code)
      this.#parts.log.error('Code after a commit failed', { error: failure, code: codeName(code), request_id: caller.requestId })
    }
  }
}

function committed(model: Model, { before, after }: Change): Committed<never> {
  const action = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
  const view = (record: Change['before']) => (record === undefined ? undefined : copyOf(model, record))
  return { action, before: view(before), after: view(after) } as unknown as Committed<never>
}

const writes = ({ compute, beforeCreate, beforeUpdate, validate }: HookSet): boolean =>
  compute.length > 0 || beforeCreate !== undefined || beforeUpdate !== undefined || validate !== undefined

/** The models with hooks whose records a deletion may change or delete by its cascade. */
function reachedFrom(model: Model, registry: Registry, hooks: ProjectHooks): readonly string[] {
  const reached = new Set<string>()
  const from = [model.key]
  for (const key of from) {
    for (const other of registry.public) {
      for (const { relation } of other.relations.values()) {
        if (relation.target !== key || relation.onDelete === 'restrict') continue
        const isRemoved = relation.kind === 'one' && relation.onDelete === 'cascade'
        if (isRemoved && !from.includes(other.key)) from.push(other.key)
        const sets = hooks.get(other.key) ?? []
        if (sets.some((set) => (isRemoved ? set.beforeDelete !== undefined : writes(set)))) reached.add(other.key)
      }
    }
  }
  return [...reached]
}

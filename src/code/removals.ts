import { SHELL } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { Completion, DraftedRemoval, Rehearse } from '../records/hooks.ts'
import type { Change, Operation, StoredRecord } from '../store/store.ts'
import { type Entry, keyOf } from './hook-tx.ts'

/** A record that the cascade of a deletion changes or deletes, without its draft. */
export interface Cascaded {
  readonly entry: Omit<Entry, 'draft' | 'existing'>
  readonly before: StoredRecord
  /** Undefined if it is deleted. */
  readonly after: StoredRecord | undefined
}

/** What the request and code delete in one run of a transaction, and what follows from it in models with hooks. */
export class Removals {
  readonly #reachedBy: (model: Model) => readonly string[]
  /** By key of the record. */
  readonly #all = new Map<string, Entry>()
  readonly #cascaded: { readonly table: string; readonly record: StoredRecord }[] = []

  /** @param reachedBy tells the keys of the models with hooks that a deletion may reach by its cascade */
  constructor(reachedBy: (model: Model) => readonly string[]) {
    this.#reachedBy = reachedBy
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  has(key: string): boolean {
    return this.#all.has(key)
  }

  add(key: string, entry: Entry): void {
    this.#all.set(key, entry)
  }

  /** Adds a record that a cascade deletes. */
  follow({ entry, before }: Cascaded, key: string): Entry {
    const removed = { ...entry, draft: undefined, existing: before }
    this.#all.set(key, removed)
    this.#cascaded.push({ table: entry.model.key, record: before })
    return removed
  }

  /** The keys of the models that the cascades may reach. */
  get #tables(): ReadonlySet<string> {
    return new Set([...this.#all.values()].flatMap(({ model }) => this.#reachedBy(model)))
  }

  /**
   * Yields what the cascades do after some updates, in models with hooks, as far as it is no known deletion. A deletion is to be followed before the
   * next one is asked for, since it may be the cause of that.
   *
   * @param updates returns the updates of the transaction so far
   * @param modelOf returns the model of a table
   */
  async *cascades(
    rehearse: Rehearse,
    updates: () => readonly Operation[],
    modelOf: (table: string) => Model,
  ): AsyncGenerator<Cascaded> {
    const tables = this.#tables
    if (tables.size === 0) return
    const removals = [...this.#all.values()].flatMap(({ model, existing, cascadeFrom }): readonly Operation[] =>
      existing === undefined || cascadeFrom !== undefined ? [] : [{ kind: 'remove', table: model.key, id: existing.id }],
    )
    const outcome = await rehearse([...updates(), ...removals])
    for (const change of outcome.ok ? outcome.changes : []) {
      const cascaded = tables.has(change.table) ? this.#cascadedOf(modelOf(change.table), change) : undefined
      if (cascaded !== undefined) yield cascaded
    }
  }

  #cascadedOf(model: Model, { id, before, after }: Change): Cascaded | undefined {
    if (before === undefined || this.has(keyOf(model, id))) return undefined
    const [{ cause, chain }, cascadeFrom] = this.#causeOf(model, before)
    const common = { model, actor: SHELL, via: 'cascade', cause, chain, isOwn: false }
    return { entry: after === undefined ? { ...common, cascadeFrom } : common, before, after }
  }

  /** The deletion that a record of a cascade refers to, and its model. */
  #causeOf(model: Model, record: StoredRecord): readonly [Entry, string] {
    for (const { name, relation } of model.relations.values()) {
      for (const id of [record[name] ?? []].flat()) {
        const cause = this.#all.get(`${relation.target} ${id}`)
        if (cause !== undefined) return [cause, relation.target]
      }
    }
    const [first] = this.#all.values()
    if (first === undefined) throw new Error('A cascade without a deletion')
    return [first, first.model.key]
  }

  /** What code deletes, and what hooks have seen of the cascades. */
  finished(): Pick<Completion, 'removals' | 'knownCascade'> {
    const removals = [...this.#all.values()].flatMap(({ model, existing, actor, via, isOwn, cascadeFrom }): DraftedRemoval[] =>
      isOwn || existing === undefined || cascadeFrom !== undefined ? [] : [{ model, record: existing, actor, via }],
    )
    const tables = [...this.#tables]
    return { removals, knownCascade: tables.length === 0 ? undefined : { tables, records: this.#cascaded } }
  }
}

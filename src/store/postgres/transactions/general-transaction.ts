import type { Operation, Outcome, TransactionMode, TransactionNotes } from '../../store.ts'
import { Transaction } from '../../transactions/transaction.ts'
import type { UsedIds } from '../../transactions/transaction-overlay.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { rememberRowVersion, rowVersionOf } from '../layout/row-version.ts'
import { IdSequences } from './id-sequences.ts'
import { addCascades } from './loading/cascades.ts'
import { LoadedTables } from './loading/loaded-tables.ts'
import { Loader } from './loading/loader.ts'
import { predictNeeds, tablesOfNewRecords } from './loading/predicted-needs.ts'
import { differs, writeStatement } from './statements/writes.ts'
import { complete } from './stored-values.ts'

type Accepted = Extract<Outcome, { ok: true }>

/** What a transaction is to do. Its values are in stored form. */
export interface Work {
  readonly operations: readonly Operation[]
  readonly mode: TransactionMode
  readonly notes: TransactionNotes | undefined
}

/** The first id of each table that gets records, and the ids that are reserved beyond it. */
type Ids = Map<string, [number, ...(readonly number[])]>

/**
 * A transaction that may do anything: it loads and locks what the operations concern, decides by the same rules as every engine, and
 * stores the changes in the same SQL transaction. A dry run reads a snapshot without locks and writes nothing.
 */
export class GeneralTransaction {
  readonly #layout: Layout
  readonly #connection: Connection
  readonly #work: Work
  readonly #tables: LoadedTables
  readonly #loader: Loader
  readonly #sequences: IdSequences

  constructor(layout: Layout, connection: Connection, work: Work) {
    this.#layout = layout
    this.#connection = connection
    this.#work = work
    this.#tables = new LoadedTables(layout)
    this.#loader = new Loader(connection, work.mode === 'commit')
    this.#sequences = new IdSequences(connection)
  }

  /** Runs the transaction. If the outcome is not `ok`, nothing is written. */
  async run(): Promise<Outcome> {
    const { operations, mode, notes } = this.#work
    predictNeeds(this.#tables, operations)
    await addCascades(this.#connection, this.#tables, operations)
    const names = tablesOfNewRecords(operations, notes)
    const next = await this.#sequences.nextIds(names.map((name) => this.#layout.of(name)))
    const ids: Ids = new Map(names.map((name, index) => [name, [next[index] ?? 1]]))
    const decided = await this.#decide(ids)
    const outcome =
      decided.outcome.ok && mode === 'commit' ? await this.#withReservedIds(decided.outcome, decided.used, ids) : decided.outcome
    if (!outcome.ok) return outcome
    const completed = this.#completed(outcome)
    if (mode === 'commit') await this.#store(completed)
    return completed
  }

  /** Runs the operations on what is loaded, until everything is loaded that they read. */
  async #decide(ids: Ids): Promise<{ outcome: Outcome; used: readonly UsedIds[] }> {
    const { operations, notes } = this.#work
    for (;;) {
      await this.#loader.load(this.#tables)
      for (const [name, given] of ids) this.#tables.get(name).setIds(given)
      const transaction = new Transaction(this.#tables, this.#layout.registry)
      const outcome = transaction.run(operations, notes)
      if (this.#tables.needsNothing) return { outcome, used: transaction.usedIds() }
    }
  }

  /** Reserves the ids of new records. If others took some of them meanwhile, the operations run again with those that are reserved. */
  async #withReservedIds(outcome: Outcome, used: readonly UsedIds[], ids: Ids): Promise<Outcome> {
    const given = new Map(ids)
    const chosen = used.flatMap(({ table, chosen: count, nextId }) => {
      const first = ids.get(table)?.[0] ?? 1
      const isMoved = nextId !== first + count
      return count === 0 && !isMoved ? [] : [{ table, layout: this.#layout.of(table), first, nextId, chosen: count, isMoved }]
    })
    const moved = chosen.filter(({ isMoved }) => isMoved)
    for (const { layout } of moved) await this.#sequences.lock(layout)
    const next = await this.#sequences.nextIds(moved.map(({ layout }) => layout))
    for (const [index, { table, first }] of moved.entries()) given.set(table, [next[index] ?? first])
    const others = chosen.filter(({ isMoved }) => !isMoved)
    const reserved = await this.#sequences.reserve(others)
    for (const [index, { table, first }] of others.entries()) {
      const [head = first, ...rest] = reserved[index] ?? []
      given.set(table, [head, ...rest])
    }
    const isCurrent =
      moved.every(({ table, first }) => given.get(table)?.[0] === first) &&
      others.every(({ table, first }) => given.get(table)?.every((id, index) => id === first + index))
    const decided = isCurrent ? { outcome, used } : await this.#decide(given)
    if (!decided.outcome.ok) return decided.outcome
    for (const { layout, table } of moved) {
      const end = decided.used.find((ids) => ids.table === table)?.nextId
      if (end !== undefined && end > (given.get(table)?.[0] ?? end)) await this.#sequences.moveTo(layout, end)
    }
    return decided.outcome
  }

  /** Events and history entries have only some of their fields. */
  #completed(outcome: Accepted): Accepted {
    const { events, history } = this.#work.notes ?? {}
    if (events === undefined && history === undefined) return outcome
    const changes = outcome.changes.map((change) => {
      if ((change.table !== events?.table && change.table !== history?.table) || change.after === undefined) return change
      return { ...change, after: complete(this.#layout.of(change.table), change.after) }
    })
    return { ...outcome, changes }
  }

  async #store({ changes }: Accepted): Promise<void> {
    const { rows } = await this.#connection.query(writeStatement(this.#layout, changes))
    const version = rows[0]?.[0] ?? undefined
    for (const { table, before, after } of changes) {
      if (after === undefined) continue
      const { model } = this.#layout.of(table)
      const isWritten = before === undefined || [...model.fields.keys()].some((name) => differs({ before, after }, name))
      const known = isWritten ? version : before === undefined ? undefined : rowVersionOf(before)
      if (known !== undefined) rememberRowVersion(after, known)
    }
  }
}
